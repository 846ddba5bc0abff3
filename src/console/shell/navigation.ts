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
  /** Scope that the page needs. */
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

const load = (path: string, importPage: () => Promise<{ Page: ComponentType }>) => ({
  path,
  prepare: () => void importPage().catch(() => undefined),
  component: lazy(async () => ({ default: (await importPage()).Page })),
});

export const sections: { name: string; pages: Page[] }[] = [
  {
    name: t('Analytics'),
    pages: [
      {
        ...load('overview', () => import('../overview/page.tsx')),
        title: t('Overview'),
        purpose: t('Health, results of the last 7 days, and issues to fix'),
        icon: Activity,
        area: 'metrics',
      },
      {
        ...load('metrics', () => import('../metrics/page.tsx')),
        title: t('Metrics'),
        purpose: t('Any metric by any dimension over time'),
        icon: ChartLine,
        area: 'metrics',
      },
      {
        ...load('experiments', () => import('../experiments/page.tsx')),
        title: t('Experiments'),
        purpose: t('Plan, run and decide A/B tests'),
        icon: FlaskConical,
        area: 'metrics',
        changes: 'configurations',
      },
    ],
  },
  {
    name: t('Merchandising'),
    pages: [
      {
        ...load('merchandising', () => import('../board/page.tsx')),
        title: t('Merchandising'),
        purpose: t('Arrange a list, a search or a category by hand'),
        icon: LayoutGrid,
        area: 'configurations',
        explains: true,
      },
      {
        ...load('playground', () => import('../playground/page.tsx')),
        title: t('Playground'),
        purpose: t('Lists as a visitor gets them, with reasons'),
        icon: Play,
        area: 'configurations',
        explains: true,
      },
      {
        ...load('configurations', () => import('../configurations/page.tsx')),
        title: t('Rule sets'),
        purpose: t('Rules and preferences of lists and searches'),
        icon: FileSliders,
        area: 'configurations',
        changes: 'configurations',
      },
      {
        ...load('pages', () => import('../pages/page.tsx')),
        title: t('Pages'),
        purpose: t('Rows of lists for the start page and others'),
        icon: Rows3,
        area: 'configurations',
        changes: 'configurations',
      },
      {
        ...load('search', () => import('../search/page.tsx')),
        title: t('Search'),
        purpose: t('Results with reasons, performance of queries, and synonyms'),
        icon: Search,
        area: 'configurations',
        changes: 'configurations',
      },
      {
        ...load('audiences', () => import('../audiences/page.tsx')),
        title: t('Audiences'),
        purpose: t('People to reach with a promotion'),
        icon: Users,
        area: 'audiences',
      },
      {
        ...load('batches', () => import('../batches/page.tsx')),
        title: t('Batches'),
        purpose: t('Lists for many people at once'),
        icon: Mails,
        area: 'recommendations',
      },
    ],
  },
  {
    name: t('Data'),
    pages: [
      {
        ...load('catalogue', () => import('../catalogue/page.tsx')),
        title: t('Catalogue'),
        purpose: t('Find, edit, enable and disable items'),
        icon: Library,
        area: 'items',
        changes: 'items',
      },
      {
        ...load('events', () => import('../events/page.tsx')),
        title: t('Events'),
        purpose: t('Incoming and refused events'),
        icon: Radio,
        area: 'admin',
      },
      {
        ...load('models', () => import('../models/page.tsx')),
        title: t('Models'),
        purpose: t('Trainings, model quality and rollback'),
        icon: BrainCircuit,
        area: 'admin',
      },
    ],
  },
  {
    name: t('Manage'),
    pages: [
      {
        ...load('activity', () => import('../activity/page.tsx')),
        title: t('Activity'),
        purpose: t('Who changed what in the last 90 days'),
        icon: History,
        area: 'configurations',
      },
      {
        ...load('people', () => import('../people/page.tsx')),
        title: t('People'),
        purpose: t('Export or delete the data of a user or device'),
        icon: UserRound,
        area: 'users',
      },
      {
        ...load('webhooks', () => import('../webhooks/page.tsx')),
        title: t('Webhooks'),
        purpose: t('Programs that receive changes, and their deliveries'),
        icon: Webhook,
        area: 'admin',
      },
      {
        ...load('team', () => import('../team/page.tsx')),
        title: t('Team'),
        purpose: t('People who use the console, and their roles'),
        icon: Users,
        area: 'admin',
      },
      {
        ...load('access', () => import('../access/page.tsx')),
        title: t('Access'),
        purpose: t('Clients, write keys, and the record of changes'),
        icon: KeyRound,
        area: 'admin',
        everywhere: true,
      },
    ],
  },
];

export const pages = sections.flatMap((section) => section.pages);

/** Loads the page at an address while the server is asked for the session. */
export function preparePage(pathname: string): void {
  const [, , , path = pages[0].path] = pathname.split('/');
  pages.find((page) => page.path === path)?.prepare();
}
