import { TransportProvider, useQuery } from '@connectrpc/connect-query';
import { Anchor, Center, Loader } from '@mantine/core';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import type { EnvironmentSettings } from '../../../gen/es/personalisation/v1/environment_pb.js';
import { EnvironmentService } from '../../../gen/es/personalisation/v1/environment_service_pb.js';
import { ErrorNotice } from '../kit/error-notice.tsx';
import { PageFrame } from '../kit/page.tsx';
import { Context } from '../service/console-context.ts';
import { permits, type Session } from '../service/session.ts';
import { type Connection, createConnection } from '../service/transport.ts';
import { Shell } from './shell.tsx';
import { text } from './text.ts';

type WorkspaceProps = {
  session: Session;
  onEnd(): void;
  /** The service does not take a token any more; told by each answer that says so. */
  onExpired(accessToken: string): void;
};

/** The console of somebody who is signed in; when they sign in again, all is as they left it. */
export function Workspace({ session, onEnd, onExpired }: WorkspaceProps) {
  const [queryClient] = useState(() => new QueryClient({ defaultOptions }));
  const latest = useRef({ session, onExpired });
  latest.current = { session, onExpired };
  const [connection] = useState(() =>
    createConnection(
      () => latest.current.session.accessToken,
      (token) => latest.current.onExpired(token),
    ),
  );
  const [first] = useState(session);
  useEffect(() => {
    if (session !== first) void queryClient.invalidateQueries();
  }, [session, first, queryClient]);
  return (
    <TransportProvider transport={connection.transport}>
      <QueryClientProvider client={queryClient}>
        <Environments session={session} connection={connection} onEnd={onEnd} />
      </QueryClientProvider>
    </TransportProvider>
  );
}

/** A browser without a network may well have the service beside it, and whoever asks one that is away wants to be told. */
const networkMode = 'always' as const;

const defaultOptions = {
  mutations: { networkMode },
  queries: {
    networkMode,
    staleTime: 15_000,
    refetchOnWindowFocus: false,
    /** Refusals stay refusals when they are asked again; only what may pass is. */
    retry: (count: number, error: Error) => count < 2 && /unavailable|network|fetch/i.test(error.message),
  },
};

type EnvironmentsProps = Omit<WorkspaceProps, 'onExpired'> & { connection: Connection };

function Environments(props: EnvironmentsProps) {
  const { data, error, refetch } = useQuery(EnvironmentService.method.listEnvironments);
  const lastUsed = localStorage.getItem('environment');
  /** Whoever types something goes on with the environments that were read before. */
  if (!data) {
    if (error) return <ErrorNotice error={error} onRetry={refetch} />;
    return (
      <Center h="100vh" component="main">
        <Loader role="status" aria-label="Loading" />
      </Center>
    );
  }
  const { environments } = data;
  const first = environments.find(({ name }) => name === lastUsed) ?? environments[0];
  if (!first) return <ErrorNotice error={new Error('This client may do nothing in any environment.')} />;
  return (
    <Switch>
      <Route path="/:environment/*?">
        {({ environment: name }) => {
          const environment = environments.find((one) => one.name === name);
          return environment ? (
            <InEnvironment {...props} environments={environments} environment={environment} />
          ) : (
            <NoEnvironment name={name} first={first.name} />
          );
        }}
      </Route>
      <Route>
        <Redirect to={`/${first.name}/`} replace />
      </Route>
    </Switch>
  );
}

/** An address may come from somebody who may do more: figures of another environment are not shown in its place. */
function NoEnvironment({ name, first }: { name: string; first: string }) {
  return (
    <main>
      <PageFrame title={text.noEnvironment(name)}>
        <Anchor component={Link} href={`/${first}/`} size="sm" underline="always">
          {text.goTo(first)}
        </Anchor>
      </PageFrame>
    </main>
  );
}

type InEnvironmentProps = EnvironmentsProps & {
  environments: EnvironmentSettings[];
  environment: EnvironmentSettings;
};

function InEnvironment({ session, connection, onEnd, environments, environment }: InEnvironmentProps) {
  const [, navigate] = useLocation();
  const context = useMemo(
    () => ({
      session,
      connection,
      environments,
      environment,
      can: (area: string, place: 'here' | 'everywhere' = 'here') =>
        permits(session.scopes, area, place === 'here' ? environment.name : undefined),
      pathTo: (page: string) => `/${environment.name}/${page}`,
      endSession() {
        navigate('/');
        onEnd();
      },
    }),
    [session, connection, environments, environment, navigate, onEnd],
  );
  localStorage.setItem('environment', environment.name);
  return (
    <Context.Provider value={context}>
      <Shell key={environment.name} />
    </Context.Provider>
  );
}
