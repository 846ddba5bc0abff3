import { Center, Loader, MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { focusManager } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { Router } from 'wouter';
import { exactAddress } from '../service/address.ts';
import { isSession, type NoSession, restoreSession, type Session, signOut } from '../service/session.ts';
import { settings, styleNonce } from '../service/settings.ts';
import { t } from '../texts/texts.ts';
import { preparePage } from './navigation.ts';
import { SignInPage } from './sign-in.tsx';
import { theme } from './theme.ts';
import { Workspace } from './workspace.tsx';

/** Shows the sign-in page or the console. */
export function App() {
  const { state, asleep, reason, begin, end, expire } = useSession();
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <Notifications position="bottom-right" />
      {state === undefined && (
        <Center h="100vh" component="main">
          <Loader role="status" aria-label={t('Loading')} />
        </Center>
      )}
      {asleep && <SignInPage {...asleep} reason={reason} onSignedIn={begin} />}
      {state && !isSession(state) && <SignInPage {...state} reason={reason} onSignedIn={begin} />}
      {state && isSession(state) && (
        <div style={{ display: asleep ? 'none' : 'contents' }}>
          <Router base={`${settings.prefix}/console`} {...exactAddress}>
            <Workspace
              key={identityOf(state)}
              session={state}
              onEnd={end}
              onRenewed={begin}
              onExpired={expire}
            />
          </Router>
        </div>
      )}
    </MantineProvider>
  );
}

/** Identifies the signed-in client and its scopes; the same client continues where it left off. */
const identityOf = ({ clientId, scopes, accessToken }: Session): string =>
  clientId ? JSON.stringify([clientId, ...scopes]) : accessToken;

function useSession() {
  const [state, setState] = useState<Session | NoSession>();
  /** Set after the session ended, until its client signs in again: hides the session and keeps its state. */
  const [asleep, setAsleep] = useState<NoSession>();
  const [reason, setReason] = useState<string>();
  /** Expired tokens: late answers reject them again, even after another sign-in. */
  const [expired] = useState(() => new Set<string>());
  const begin = useCallback((next: Session | NoSession) => {
    if (isSession(next)) keepFor(next.clientId);
    setState(next);
    setAsleep(undefined);
  }, []);
  useEffect(() => {
    if (asleep || (state && !isSession(state))) document.title = `${t('Sign in')} · ${t('Console')}`;
  }, [asleep, state]);
  useEffect(() => {
    preparePage(location.pathname.slice(settings.prefix.length));
    restoreSession().then(begin, (error: Error) => {
      setReason(error.message);
      begin({});
    });
  }, [begin]);
  useEffect(() => {
    document.body.toggleAttribute('data-asleep', asleep !== undefined);
    focusManager.setFocused(asleep ? false : undefined);
  }, [asleep]);
  /** Signs out and removes drafts, even if the service cannot be reached; its answer says how to sign in again. */
  const end = async () => {
    forgetAll();
    setReason(undefined);
    try {
      await signOut();
      begin(await restoreSession());
    } catch (error) {
      setReason(t('A reload may sign you in again. {message}', { message: (error as Error).message }));
      begin({});
    }
  };
  /** The cookie may belong to a newer session of another tab; this tab then continues with that session. */
  const expire = async (accessToken: string) => {
    if (expired.has(accessToken)) return;
    expired.add(accessToken);
    const restored = await restoreSession().catch(() => undefined);
    if (restored && isSession(restored) && restored.accessToken !== accessToken) {
      notifications.show({
        message: t('Your session ended. This tab continues with the session of another tab.'),
      });
      return begin(restored);
    }
    setReason(t('Your session has ended. Sign in again.'));
    const next = await signOut()
      .then(restoreSession)
      .catch(() => ({}));
    setAsleep(isSession(next) ? {} : next);
  };
  return { state, asleep, reason, begin, end, expire };
}

const key = 'client';

function forgetAll(): void {
  sessionStorage.clear();
}

/** Keeps drafts for a client that signs in again after its session ended. */
function keepFor(clientId: string): void {
  if (sessionStorage.getItem(key) !== clientId) forgetAll();
  sessionStorage.setItem(key, clientId);
}
