import {
  AppShell,
  Box,
  Group,
  Kbd,
  Menu,
  NavLink,
  ScrollArea,
  Select,
  Text,
  UnstyledButton,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { lazy, Suspense } from 'react';
import { Link, useLocation } from 'wouter';
import icon from '../icon.svg';
import { ChevronsUpDown, KeyRound, Search, UserRound } from '../kit/icons.ts';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { usePersonalActions } from './actions.ts';
import { type Page, sections } from './navigation.ts';
import classes from './navigation-bar.module.css';

/** Shortcut on the reader's keyboard. */
const paletteKeys = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘K' : t('Ctrl K');

type NavigationBarProps = { pages: Page[]; current?: Page; onPalette(): void; onKeys(): void };

export function NavigationBar({ pages, current, onPalette, onKeys }: NavigationBarProps) {
  const { pathTo } = useConsole();
  return (
    <>
      <AppShell.Section p="sm" pb="xs">
        <EnvironmentSwitch current={current} />
        <UnstyledButton className={classes.search} onClick={onPalette} aria-keyshortcuts="Control+K Meta+K">
          <Search size={14} />
          <span>{t('Search …')}</span>
          <Kbd size="xs">{paletteKeys}</Kbd>
        </UnstyledButton>
      </AppShell.Section>
      <AppShell.Section grow component={ScrollArea} px="sm">
        {sections.map((section) => {
          const offered = section.pages.filter((page) => pages.includes(page));
          if (offered.length === 0) return null;
          return (
            <Box key={section.name} mb="md" role="group" aria-label={section.name}>
              <Text size="xs" className={classes.section}>
                {section.name}
              </Text>
              {offered.map(({ path, title, icon: Icon, prepare }) => (
                <NavLink
                  key={path}
                  component={Link}
                  href={pathTo(path)}
                  onPointerEnter={prepare}
                  onFocus={prepare}
                  className={classes.link}
                  label={title}
                  active={current?.path === path}
                  aria-current={current?.path === path ? 'page' : undefined}
                  leftSection={<Icon size={16} />}
                />
              ))}
            </Box>
          );
        })}
      </AppShell.Section>
      <AppShell.Section className={classes.foot}>
        <Account onKeys={onKeys} />
      </AppShell.Section>
    </>
  );
}

/** A longer list of environments has a search. */
const mostUnsearched = 8;

function EnvironmentSwitch({ current }: { current?: Page }) {
  const { environments, environment } = useConsole();
  const [, navigate] = useLocation();
  return (
    <Select
      aria-label={t('Environment')}
      searchable={environments.length > mostUnsearched}
      data={environments.map(({ name }) => name)}
      value={environment.name}
      onChange={(name) => navigate(`/${name}/${current?.path ?? ''}`)}
      comboboxProps={{ withinPortal: true }}
      rightSection={<ChevronsUpDown size={14} />}
      leftSection={<img src={icon} alt="" width={18} height={18} />}
      variant="unstyled"
      classNames={{ input: classes.environment }}
    />
  );
}

const AccountDialog = lazy(async () => ({ default: (await import('./account.tsx')).AccountDialog }));

function Account({ onKeys }: { onKeys(): void }) {
  const { session } = useConsole();
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <>
      <Suspense>{isOpen && <AccountDialog onClose={dialog.close} />}</Suspense>
      <Menu position="top-start" width={220}>
        <Menu.Target>
          <UnstyledButton
            className={classes.account}
            aria-label={t('Account {name}', { name: session.name ?? session.clientId })}
          >
            <Group gap="xs" wrap="nowrap">
              <KeyRound size={15} />
              <Text size="xs" truncate>
                {session.name ?? session.clientId}
              </Text>
            </Group>
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{session.scopes.join(' ')}</Menu.Label>
          {session.name !== undefined && (
            <Menu.Item leftSection={<UserRound size={15} />} onClick={dialog.open}>
              {t('Your account')}
            </Menu.Item>
          )}
          {usePersonalActions(onKeys).map(({ label, lang, icon: Icon, run }) => (
            <Menu.Item key={label} lang={lang} leftSection={<Icon size={15} />} onClick={run}>
              {label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
