import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Suspense, useEffect, useLayoutEffect, useRef } from 'react';
import { Redirect, Route, Switch, useLocation } from 'wouter';
import { LeaveDialog } from '../kit/leaving.tsx';
import { PageFrame, PageLink, PageSkeleton } from '../kit/page.tsx';
import { useDense } from '../kit/preferences.ts';
import { useConsole } from '../service/console-context.ts';
import { t, withinSentence } from '../texts/texts.ts';
import { CommandPalette, type PaletteHandle } from './command-palette.tsx';
import { ErrorBoundary } from './error-boundary.tsx';
import { ImportProgress } from './import-progress.tsx';
import { type Page, pages } from './navigation.ts';
import { NavigationBar } from './navigation-bar.tsx';
import { openRow, Shortcuts } from './shortcuts.tsx';

/** Returns the pages that the client's scopes allow in this environment. */
export function useOfferedPages(): Page[] {
  const { can } = useConsole();
  return pages.filter(
    ({ area, everywhere, explains }) =>
      can(area, everywhere ? 'everywhere' : 'here') && (!explains || can('explanations')),
  );
}

/** Shown for an unknown page, and for one outside the client's scopes; no page leads to the first one. */
function NotOffered({ offered }: { offered: Page[] }) {
  const { environment } = useConsole();
  const [location] = useLocation();
  const [, , name] = location.split('/');
  const wanted = pages.find(({ path }) => name === path);
  if (!wanted && offered.length > 0) {
    if (!name) return <Redirect to={`/${environment.name}/${offered[0].path}`} replace />;
    return (
      <PageFrame title={t('Page not found')}>
        <PageLink to={offered[0].path}>{offered[0].title}</PageLink>
      </PageFrame>
    );
  }
  return (
    <PageFrame
      title={t('This client has no access to {page} in {environment}', {
        page: wanted?.title ?? t('the console'),
        environment: environment.name,
      })}
    >
      {t('Its scopes do not allow it. Sign in with a client that has more scopes.')}
    </PageFrame>
  );
}

/** Sets the spacing, and the title of a page that is loading and has none of its own yet. */
function useDocument(title: string): void {
  const [isDense] = useDense();
  useLayoutEffect(() => {
    document.title = title;
  }, [title]);
  useEffect(() => {
    document.documentElement.toggleAttribute('data-dense', isDense);
  }, [isDense]);
}

/** Why a page has no buttons that change something. */
function ViewOnly({ page, area }: { page: Page; area: string }) {
  const { environment, mayChange } = useConsole();
  if (mayChange(area)) return null;
  return (
    <Text size="sm" role="note" className="quiet" px={{ base: 'md', sm: 'xl' }} pt="md">
      {t('View only. To change {page} in {environment}, you need the role editor.', {
        page: withinSentence(page.title),
        environment: environment.name,
      })}
    </Text>
  );
}

/** Frame of every page: navigation and command palette. */
export function Shell() {
  const { environment } = useConsole();
  const offered = useOfferedPages();
  const [location] = useLocation();
  const [isMenuOpen, menu] = useDisclosure(false);
  const palette = useRef<PaletteHandle>(null);
  const [areKeysShown, keys] = useDisclosure(false);
  const current = offered.find(({ path }) => location.split('/')[2] === path);
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigating closes the menu
  useEffect(menu.close, [location]);
  useDocument(`${current?.title ?? t('Console')} · ${environment.name}`);

  return (
    <AppShell
      navbar={{ width: 224, breakpoint: 'md', collapsed: { mobile: !isMenuOpen } }}
      header={{ height: { base: 48, md: 0 } }}
      padding={0}
      transitionDuration={0}
    >
      <a href="#main" className="skip-link">
        {t('Skip to content')}
      </a>
      <AppShell.Header hiddenFrom="md" px="sm" component="header">
        <Group h="100%" gap="sm">
          <Burger
            size="sm"
            opened={isMenuOpen}
            onClick={menu.toggle}
            aria-label={isMenuOpen ? t('Close the menu') : t('Open the menu')}
          />
          <Text fw={600}>{current?.title}</Text>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar component="nav" aria-label={t('Pages')}>
        <NavigationBar
          pages={offered}
          current={current}
          onPalette={() => palette.current?.open()}
          onKeys={keys.open}
        />
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1} onClick={openRow}>
        <ImportProgress location={location} />
        {current?.changes && <ViewOnly page={current} area={current.changes} />}
        <ErrorBoundary key={location}>
          <Suspense fallback={<PageSkeleton />}>
            <Switch>
              {offered.map(({ path, component: Component }) => (
                <Route key={path} path={`/:environment/${path}/*?`}>
                  <Component />
                </Route>
              ))}
              <Route>
                <NotOffered offered={offered} />
              </Route>
            </Switch>
          </Suspense>
        </ErrorBoundary>
      </AppShell.Main>
      <CommandPalette ref={palette} onKeys={keys.open} />
      <Shortcuts
        isOpen={areKeysShown}
        onOpen={keys.open}
        onClose={keys.close}
        onSearch={() => palette.current?.open()}
      />
      <LeaveDialog />
    </AppShell>
  );
}
