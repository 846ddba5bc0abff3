import { Center, Loader, MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
import { focusManager } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { Router } from 'wouter';
import { exactAddress } from '../service/address.ts';
import { isSession, type NoSession, restoreSession, type Session, signOut } from '../service/session.ts';
import { styleNonce } from '../service/settings.ts';
import { forgetAll, keepFor } from './left-behind.ts';
import { preparePage } from './navigation.ts';
import { SignInPage } from './sign-in.tsx';
import { text } from './text.ts';
import { theme } from './theme.ts';
import { Workspace } from './workspace.tsx';

/** Who is signed in decides what is shown: the sign-in page, or the console. */
export function App() {
  const { state, asleep, reason, begin, end, expire } = useSession();
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <Notifications position="bottom-right" />
      {state === undefined && (
        <Center h="100vh" component="main">
          <Loader role="status" aria-label="Loading" />
        </Center>
      )}
      {asleep && <SignInPage issuer={asleep.issuer} reason={reason} onSignedIn={begin} />}
      {state && !isSession(state) && <SignInPage issuer={state.issuer} reason={reason} onSignedIn={begin} />}
      {state && isSession(state) && (
        <div style={{ display: asleep ? 'none' : 'contents' }}>
          <Router base="/console" {...exactAddress}>
            <Workspace key={personOf(state)} session={state} onEnd={end} onExpired={expire} />
          </Router>
        </div>
      )}
    </MantineProvider>
  );
}

/** Whoever signs in as the same client, with the same rights, goes on where they were. */
const personOf = ({ clientId, scopes, accessToken }: Session): string =>
  clientId ? JSON.stringify([clientId, ...scopes]) : accessToken;

function useSession() {
  const [state, setState] = useState<Session | NoSession>();
  /** While a session that has ended waits for its client to sign in again: nothing of it is to be seen, and nothing is lost. */
  const [asleep, setAsleep] = useState<NoSession>();
  const [reason, setReason] = useState<string>();
  /** Tokens. That they are over is told by late answers, too, which say nothing of who has signed in since. */
  const [over] = useState(() => new Set<string>());
  const begin = useCallback((next: Session | NoSession) => {
    if (isSession(next)) keepFor(next.clientId);
    setState(next);
    setAsleep(undefined);
  }, []);
  useEffect(() => {
    preparePage(location.pathname);
    restoreSession().then(begin, (error: Error) => {
      setReason(error.message);
      begin({});
    });
  }, [begin]);
  useEffect(() => {
    document.body.toggleAttribute('data-asleep', asleep !== undefined);
    focusManager.setFocused(asleep ? false : undefined);
  }, [asleep]);
  /**
   * The page forgets who was signed in, whether the service can be told or not; it tells who may sign in. Who leaves by
   * themselves leaves nothing.
   */
  const end = async () => {
    forgetAll();
    setReason(undefined);
    try {
      await signOut();
      begin(await restoreSession());
    } catch (error) {
      setReason(`A reload may sign you in again. ${(error as Error).message}`);
      begin({});
    }
  };
  /** The cookie may be of a session that was begun in another tab since: it stays, and this tab goes on with it. */
  const expire = async (accessToken: string) => {
    if (over.has(accessToken)) return;
    over.add(accessToken);
    const held = await restoreSession().catch(() => undefined);
    if (held && isSession(held) && held.accessToken !== accessToken) {
      notifications.show({ message: text.elsewhere });
      return begin(held);
    }
    setReason(text.expired);
    const next = await signOut()
      .then(restoreSession)
      .catch(() => ({}));
    setAsleep(isSession(next) ? {} : next);
  };
  return { state, asleep, reason, begin, end, expire };
}
