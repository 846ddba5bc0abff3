import { Button, Text } from '@mantine/core';
import { Component, type ReactNode, useEffect, useState } from 'react';
import { ErrorNotice, PageFrame } from '../kit/page.tsx';
import { ping } from '../service/reachability.ts';
import { t } from '../texts/texts.ts';

/** Shows a page's failure in place of the page; the rest of the console keeps working. */
export class ErrorBoundary extends Component<{ children: ReactNode }, { error?: Error }> {
  override state: { error?: Error } = {};

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override render() {
    const { error } = this.state;
    if (!error) return this.props.children;
    if (missingCode.test(error.message)) return <CodeReload />;
    return <ErrorNotice error={error} onRetry={() => this.setState({ error: undefined })} />;
  }
}

/** Wordings of browsers for a part of the program that cannot be loaded. */
const missingCode = /dynamically imported module|importing a module script|unable to preload/i;

/** Time of the reload in this tab, milliseconds since the epoch. */
const reloadKey = 'reloaded at';
const pauseMs = 60_000;
const pingIntervalMs = 2_000;

/**
 * Reloads the page once the service answers: a new version has other files, unless the connection
 * was lost. Drafts survive it. A second failure within a minute asks instead.
 */
function CodeReload() {
  const [wasReloaded] = useState(() => Date.now() - Number(sessionStorage.getItem(reloadKey)) < pauseMs);
  const [isUnreachable, setUnreachable] = useState(false);
  useEffect(() => {
    if (wasReloaded) return;
    const reload = async () => {
      if (!(await ping())) return setUnreachable(true);
      clearInterval(timer);
      sessionStorage.setItem(reloadKey, String(Date.now()));
      location.reload();
    };
    const timer = setInterval(reload, pingIntervalMs);
    void reload();
    return () => clearInterval(timer);
  }, [wasReloaded]);
  return (
    <PageFrame title={isUnreachable ? t('Connection lost') : t('A new version is available')}>
      <Text role="alert" mb="md">
        {wasReloaded
          ? t('The page still cannot be loaded.')
          : t('The page reloads when the service answers.')}{' '}
        {t('Your drafts are kept.')}
      </Text>
      {wasReloaded && (
        <Button variant="filled" onClick={() => location.reload()}>
          {t('Reload')}
        </Button>
      )}
    </PageFrame>
  );
}
