/** The pages: where they are, what they need, and how they are loaded when they are first opened. */

import {
  Activity,
  BrainCircuit,
  ChartLine,
  FileSliders,
  FlaskConical,
  KeyRound,
  Library,
  type LucideIcon,
  Mails,
  Play,
  Radio,
  Search,
  UserRound,
  Users,
} from 'lucide-react';
import { type ComponentType, lazy } from 'react';

export type Page = {
  /** First segment behind the environment. */
  path: string;
  title: string;
  /** One line for the command palette. */
  purpose: string;
  icon: LucideIcon;
  /** Heading of the navigation it stands under. */
  section: 'Observe' | 'Shape' | 'Data' | 'Manage';
  /** Area of a scope without which the page is not offered. */
  area: string;
  /** Whether the area is needed for the whole deployment. */
  everywhere?: boolean;
  /** Whether nothing of it works without explained answers, which have a scope of their own. */
  explains?: boolean;
  component: ComponentType;
  /** Fetches its script; what fails is told when the page is opened. */
  prepare(): void;
};

const load = (path: string, importPage: () => Promise<{ Page: ComponentType }>) => ({
  path,
  prepare: () => void importPage().catch(() => undefined),
  component: lazy(async () => ({ default: (await importPage()).Page })),
});

export const sections = ['Observe', 'Shape', 'Data', 'Manage'] as const;

export const pages: Page[] = [
  {
    ...load('overview', () => import('../overview/page.tsx')),
    title: 'Overview',
    purpose: 'Health, what it brought this week, and what to mend',
    icon: Activity,
    section: 'Observe',
    area: 'metrics',
  },
  {
    ...load('metrics', () => import('../metrics/page.tsx')),
    title: 'Metrics',
    purpose: 'Any measure by any dimension over time',
    icon: ChartLine,
    section: 'Observe',
    area: 'metrics',
  },
  {
    ...load('experiments', () => import('../experiments/page.tsx')),
    title: 'Experiments',
    purpose: 'What versions and groups brought, and what to conclude',
    icon: FlaskConical,
    section: 'Observe',
    area: 'metrics',
  },
  {
    ...load('playground', () => import('../playground/page.tsx')),
    title: 'Playground',
    purpose: 'Lists as a visitor gets them, and why',
    icon: Play,
    section: 'Shape',
    area: 'configurations',
    everywhere: true,
    explains: true,
  },
  {
    ...load('configurations', () => import('../configurations/page.tsx')),
    title: 'Configurations',
    purpose: 'What lists must, may and should hold',
    icon: FileSliders,
    section: 'Shape',
    area: 'configurations',
    everywhere: true,
  },
  {
    ...load('search', () => import('../search/page.tsx')),
    title: 'Search',
    purpose: 'What is found, why, and what people search for',
    icon: Search,
    section: 'Shape',
    area: 'configurations',
  },
  {
    ...load('audiences', () => import('../audiences/page.tsx')),
    title: 'Audiences',
    purpose: 'Whom to reach with a promotion',
    icon: Users,
    section: 'Shape',
    area: 'audiences',
  },
  {
    ...load('batches', () => import('../batches/page.tsx')),
    title: 'Batches',
    purpose: 'Lists for many people at once',
    icon: Mails,
    section: 'Shape',
    area: 'recommendations',
  },
  {
    ...load('catalogue', () => import('../catalogue/page.tsx')),
    title: 'Catalogue',
    purpose: 'Items: find, mend, enable and disable',
    icon: Library,
    section: 'Data',
    area: 'items',
  },
  {
    ...load('events', () => import('../events/page.tsx')),
    title: 'Events',
    purpose: 'What arrives, and what was refused and why',
    icon: Radio,
    section: 'Data',
    area: 'admin',
  },
  {
    ...load('models', () => import('../models/page.tsx')),
    title: 'Models',
    purpose: 'Trainings, their quality, and the way back',
    icon: BrainCircuit,
    section: 'Data',
    area: 'admin',
  },
  {
    ...load('people', () => import('../people/page.tsx')),
    title: 'People',
    purpose: 'What is stored about somebody, and its end',
    icon: UserRound,
    section: 'Manage',
    area: 'users',
  },
  {
    ...load('access', () => import('../access/page.tsx')),
    title: 'Access',
    purpose: 'Clients, write keys, and who changed what',
    icon: KeyRound,
    section: 'Manage',
    area: 'admin',
    everywhere: true,
  },
];

/** The page at an address: its script can come while the server is asked who is signed in. */
export function preparePage(pathname: string): void {
  const [, , , path = pages[0].path] = pathname.split('/');
  pages.find((page) => page.path === path)?.prepare();
}
