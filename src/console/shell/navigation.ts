/** The pages: path, required scope, and how their scripts are loaded. */

import { type ComponentType, lazy } from 'react';
import {
  Activity,
  BrainCircuit,
  ChartLine,
  FileSliders,
  FlaskConical,
  History,
  type Icon,
  KeyRound,
  LayoutGrid,
  Library,
  Mails,
  Play,
  Radio,
  Rows3,
  Search,
  UserRound,
  Users,
  Webhook,
} from '../kit/icons.ts';
import { t } from '../texts/texts.ts';

export type Page = {
  /** First segment after the environment. */
  path: string;
  title: string;
  /** One line for the command palette. */
  purpose: string;
  icon: Icon;
  area: string;
  /** Needs the scope in all environments. */
  everywhere?: boolean;
  /** Needs the scope `explanations` too. */
  explains?: boolean;
  /** Scope that its changes need; absent if all its readers may make them, or if it has none. */
  changes?: string;
  component: ComponentType;
  /** Loads the script; a failure is reported when the page opens. */
  prepare(): void;
};

type Needs = Pick<Page, 'area' | 'everywhere' | 'explains' | 'changes'>;

const page = (
  path: string,
  icon: Icon,
  title: string,
  purpose: string,
  { importPage, ...needs }: Needs & { importPage(): Promise<{ Page: ComponentType }> },
): Page => ({
  ...{ path, icon, title, purpose, ...needs },
  prepare: () => void importPage().catch(() => undefined),
  component: lazy(async () => ({ default: (await importPage()).Page })),
});

export const sections: { name: string; pages: Page[] }[] = [
  {
    name: t('Analytics'),
    pages: [
      page('overview', Activity, t('Overview'), t('Health, results of the last 7 days, and issues to fix'), {
        area: 'metrics',
        importPage: () => import('../overview/page.tsx'),
      }),
      page('metrics', ChartLine, t('Metrics'), t('Any metric by any dimension over time'), {
        area: 'metrics',
        importPage: () => import('../metrics/page.tsx'),
      }),
      page('experiments', FlaskConical, t('Experiments'), t('Plan, run and decide A/B tests'), {
        area: 'metrics',
        changes: 'configurations',
        importPage: () => import('../experiments/page.tsx'),
      }),
    ],
  },
  {
    name: t('Merchandising'),
    pages: [
      page(
        'merchandising',
        LayoutGrid,
        t('Merchandising'),
        t('Arrange a list, a search or a category by hand'),
        { area: 'configurations', explains: true, importPage: () => import('../board/page.tsx') },
      ),
      page('playground', Play, t('Playground'), t('Lists as a visitor gets them, with reasons'), {
        area: 'configurations',
        explains: true,
        importPage: () => import('../playground/page.tsx'),
      }),
      page('configurations', FileSliders, t('Rule sets'), t('Rules and preferences of lists and searches'), {
        area: 'configurations',
        changes: 'configurations',
        importPage: () => import('../configurations/page.tsx'),
      }),
      page('pages', Rows3, t('Pages'), t('Rows of lists for the start page and others'), {
        area: 'configurations',
        changes: 'configurations',
        importPage: () => import('../pages/page.tsx'),
      }),
      page('search', Search, t('Search'), t('Results with reasons, performance of queries, and synonyms'), {
        area: 'configurations',
        changes: 'configurations',
        importPage: () => import('../search/page.tsx'),
      }),
      page('audiences', Users, t('Audiences'), t('People to reach with a promotion'), {
        area: 'audiences',
        importPage: () => import('../audiences/page.tsx'),
      }),
      page('batches', Mails, t('Batches'), t('Lists for many people at once'), {
        area: 'recommendations',
        importPage: () => import('../batches/page.tsx'),
      }),
    ],
  },
  {
    name: t('Data'),
    pages: [
      page('catalogue', Library, t('Catalogue'), t('Find, edit, enable and disable items'), {
        area: 'items',
        changes: 'items',
        importPage: () => import('../catalogue/page.tsx'),
      }),
      page('events', Radio, t('Events'), t('Incoming and refused events'), {
        area: 'admin',
        importPage: () => import('../events/page.tsx'),
      }),
      page('models', BrainCircuit, t('Models'), t('Trainings, model quality and rollback'), {
        area: 'admin',
        importPage: () => import('../models/page.tsx'),
      }),
    ],
  },
  {
    name: t('Manage'),
    pages: [
      page('activity', History, t('Activity'), t('Who changed what in the last 90 days'), {
        area: 'configurations',
        importPage: () => import('../activity/page.tsx'),
      }),
      page('people', UserRound, t('People'), t('Export or delete the data of a user or device'), {
        area: 'users',
        importPage: () => import('../people/page.tsx'),
      }),
      page('webhooks', Webhook, t('Webhooks'), t('Programs that receive changes, and their deliveries'), {
        area: 'admin',
        importPage: () => import('../webhooks/page.tsx'),
      }),
      page('team', Users, t('Team'), t('People who use the console, and their roles'), {
        area: 'admin',
        importPage: () => import('../team/page.tsx'),
      }),
      page('access', KeyRound, t('Access'), t('Clients, write keys, and the record of changes'), {
        area: 'admin',
        everywhere: true,
        importPage: () => import('../access/page.tsx'),
      }),
    ],
  },
];

export const pages = sections.flatMap((section) => section.pages);

/** Loads the page at an address while the server is asked for the session. */
export function preparePage(pathname: string): void {
  const [, , , path = pages[0].path] = pathname.split('/');
  pages.find((page) => page.path === path)?.prepare();
}
