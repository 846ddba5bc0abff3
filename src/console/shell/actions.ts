/** Actions of every page, for the palette and for single keys. */

import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core';
import { useLocation } from 'wouter';
import {
  CircleAlert,
  Columns2,
  FileUp,
  type Icon,
  Languages,
  LogOut,
  Moon,
  Plus,
  Replace,
  Sun,
} from '../kit/icons.ts';
import { useDense } from '../kit/preferences.ts';
import { useConsole } from '../service/console-context.ts';
import { chooseLanguage, type Language, otherLanguages } from '../texts/language.ts';
import { t } from '../texts/texts.ts';

export type Action = {
  label: string;
  detail: string;
  icon: Icon;
  /** Language of the label [that of the console]. */
  lang?: string;
  run(): void;
};

export function useThemeToggle(): { isDark: boolean; toggle(): void } {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light') === 'dark';
  return { isDark, toggle: () => setColorScheme(isDark ? 'light' : 'dark') };
}

/** Shows every text in another language. */
function switchLanguage(to: Language): void {
  chooseLanguage(to);
  location.reload();
}

/** Pages that create something, with the scopes that they need. */
const creations: [path: string, label: string, ...areas: string[]][] = [
  ['configurations?new=1', t('New rule set'), 'configurations'],
  ['pages?new=1', t('New page'), 'configurations'],
  ['experiments/new', t('New experiment'), 'metrics', 'configurations'],
  ['audiences/new', t('New audience'), 'audiences'],
  ['batches/new', t('New batch'), 'recommendations'],
  ['catalogue/import', t('Import items'), 'items'],
];

/** Actions of the account menu. @param onKeys Shows the keyboard shortcuts. */
export function usePersonalActions(onKeys: () => void): Action[] {
  const { endSession } = useConsole();
  const theme = useThemeToggle();
  const [isDense, setDense] = useDense();
  return [
    {
      label: theme.isDark ? t('Light theme') : t('Dark theme'),
      ...{ detail: t('Appearance'), icon: theme.isDark ? Sun : Moon, run: theme.toggle },
    },
    {
      label: isDense ? t('Comfortable spacing') : t('Dense spacing'),
      ...{ detail: t('Appearance'), icon: Columns2, run: () => setDense(!isDense) },
    },
    ...otherLanguages.map(([lang, label]) => ({
      ...{ label, lang, detail: t('Language'), icon: Languages, run: () => switchLanguage(lang) },
    })),
    { label: t('Keyboard shortcuts'), detail: t('Help'), icon: CircleAlert, run: onKeys },
    { label: t('Sign out'), detail: t('Account'), icon: LogOut, run: endSession },
  ];
}

export function useActions(onKeys: () => void): Action[] {
  const { can, environment, environments, pathTo } = useConsole();
  const [, navigate] = useLocation();
  const personal = usePersonalActions(onKeys);
  const others = environments.filter(({ name }) => name !== environment.name);
  return [
    ...creations
      .filter(([, , ...areas]) => areas.every((area) => can(area)))
      .map(([path, label]) => ({
        ...{ label, detail: t('Create'), icon: path === 'catalogue/import' ? FileUp : Plus },
        run: () => navigate(pathTo(path)),
      })),
    ...others.map(({ name }) => ({
      ...{ label: t('Switch to {name}', { name }), detail: t('Environment'), icon: Replace },
      run: () => navigate(`/${name}/`),
    })),
    ...personal,
  ];
}
