import { Center, Loader, MantineProvider } from '@mantine/core';
import { Notifications, notifications } from '@mantine/notifications';
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
  const { state, reason, begin, end, expire } = useSession();
  return (
    <MantineProvider theme={theme} defaultColorScheme="auto" getStyleNonce={() => styleNonce}>
      <Notifications position="bottom-right" />
      {state === undefined && (
        <Center h="100vh" component="main">
          <Loader role="status" aria-label="Loading" />
        </Center>
      )}
      {state && !isSession(state) && <SignInPage issuer={state.issuer} reason={reason} onSignedIn={begin} />}
      {state && isSession(state) && (
        <Router base="/console" {...exactAddress}>
          <Workspace
            key={state.accessToken}
            session={state}
            onEnd={() => end(state)}
            onExpired={() => expire(state)}
          />
        </Router>
      )}
    </MantineProvider>
  );
}

function useSession() {
  const [state, setState] = useState<Session | NoSession>();
  const [reason, setReason] = useState<string>();
  /** That they are over is told by late answers, too, which say nothing of who has signed in since. */
  const [over] = useState(() => new WeakSet<Session>());
  const begin = useCallback((next: Session | NoSession) => {
    if (isSession(next)) keepFor(next.clientId);
    setState(next);
  }, []);
  useEffect(() => {
    preparePage(location.pathname);
    restoreSession().then(begin, (error: Error) => {
      setReason(error.message);
      begin({});
    });
  }, [begin]);
  /**
   * The page forgets who was signed in, whether the service can be told or not; it tells who may sign in. Who leaves by
   * themselves leaves nothing.
   */
  const end = async (session: Session, why?: string) => {
    over.add(session);
    if (why === undefined) forgetAll();
    try {
      await signOut();
      setReason(why);
      begin(await restoreSession());
    } catch (error) {
      setReason(why ?? `A reload may sign you in again. ${(error as Error).message}`);
      begin({});
    }
  };
  /** The cookie may be of a session that was begun in another tab since: it stays, and this tab goes on with it. */
  const expire = async (session: Session) => {
    if (over.has(session)) return;
    over.add(session);
    const held = await restoreSession().catch(() => undefined);
    if (!held || !isSession(held) || held.accessToken === session.accessToken)
      return end(session, text.expired);
    notifications.show({ message: text.elsewhere });
    begin(held);
  };
  return { state, reason, begin, end, expire };
}
