import { Center, Loader, MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { useCallback, useEffect, useState } from 'react';
import { Router } from 'wouter';
import { exactAddress } from '../service/address.ts';
import { isSession, type NoSession, restoreSession, type Session, signOut } from '../service/session.ts';
import { styleNonce } from '../service/settings.ts';
import { forgetAll, keepFor } from './left-behind.ts';
import { preparePage } from './navigation.ts';
import { SignInPage } from './sign-in.tsx';
import { theme } from './theme.ts';
import { Workspace } from './workspace.tsx';

/** Who is signed in decides what is shown: the sign-in page, or the console. */
export function App() {
  const { state, reason, begin, end } = useSession();
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
          <Workspace key={state.accessToken} session={state} onEnd={end} />
        </Router>
      )}
    </MantineProvider>
  );
}

function useSession() {
  const [state, setState] = useState<Session | NoSession>();
  const [reason, setReason] = useState<string>();
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
  const end = async (why?: string) => {
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
  return { state, reason, begin, end };
}
