/** Actions of every page, for the palette and for single keys. */

import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useLocation } from 'wouter';
import { CircleAlert, Columns2, FileUp, type Icon, LogOut, Moon, Plus, Replace, Sun } from '../kit/icons.ts';
import { useDense } from '../kit/preferences.ts';
import { useConsole } from '../service/console-context.ts';

export type Action = { label: string; detail: string; icon: Icon; run(): void };

export function useThemeToggle(): { isDark: boolean; toggle(): void } {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return { isDark, toggle: () => setColorScheme(isDark ? 'light' : 'dark') };
}

/** Pages that create something, with the scopes that they need. */
const creations: [path: string, label: string, ...areas: string[]][] = [
  ['configurations?new=1', 'New rule set', 'configurations'],
  ['experiments/new', 'New experiment', 'metrics', 'configurations'],
  ['audiences/new', 'New audience', 'audiences'],
  ['batches/new', 'New batch', 'recommendations'],
  ['catalogue/import', 'Import items', 'items'],
];

/** @param onKeys Shows the keyboard shortcuts. */
export function useActions(onKeys: () => void): Action[] {
  const { can, environment, environments, pathTo, endSession } = useConsole();
  const [, navigate] = useLocation();
  const theme = useThemeToggle();
  const [isDense, setDense] = useDense();
  const others = environments.filter(({ name }) => name !== environment.name);
  return [
    ...creations
      .filter(([, , ...areas]) => areas.every((area) => can(area)))
      .map(([path, label]) => ({
        ...{ label, detail: 'Create', icon: path === 'catalogue/import' ? FileUp : Plus },
        run: () => navigate(pathTo(path)),
      })),
    ...others.map(({ name }) => ({
      ...{ label: `Switch to ${name}`, detail: 'Environment', icon: Replace },
      run: () => navigate(`/${name}/`),
    })),
    {
      label: theme.isDark ? 'Light theme' : 'Dark theme',
      ...{ detail: 'Appearance', icon: theme.isDark ? Sun : Moon, run: theme.toggle },
    },
    {
      label: isDense ? 'Comfortable spacing' : 'Dense spacing',
      ...{ detail: 'Appearance', icon: Columns2, run: () => setDense(!isDense) },
    },
    { label: 'Keyboard shortcuts', detail: 'Help', icon: CircleAlert, run: onKeys },
    { label: 'Sign out', detail: 'Account', icon: LogOut, run: endSession },
  ];
}
