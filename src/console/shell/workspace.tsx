import { Code, ConnectError } from '@connectrpc/connect';
import { TransportProvider, useQuery } from '@connectrpc/connect-query';
import { Affix, Anchor, Center, Loader, Text } from '@mantine/core';
import { QueryClient, QueryClientProvider, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { Link, Redirect, Route, Switch, useLocation } from 'wouter';
import type { EnvironmentSettings } from '../../../gen/es/personalisation/v1/environment_pb.js';
import { EnvironmentService } from '../../../gen/es/personalisation/v1/environment_service_pb.js';
import { type Access, permits } from '../../formats/scopes.ts';
import { ErrorNotice, PageFrame } from '../kit/page.tsx';
import { Context } from '../service/console-context.ts';
import { leaveFreely } from '../service/leaving.ts';
import { isConnectionLost, useConnectionLost } from '../service/reachability.ts';
import { type NoSession, type Session, signIn } from '../service/session.ts';
import { type Connection, createConnection } from '../service/transport.ts';
import { t } from '../texts/texts.ts';
import { Shell } from './shell.tsx';

type WorkspaceProps = {
  session: Session;
  onEnd(): void;
  onRenewed(session: Session | NoSession): void;
  /** Called for each answer that rejects the token. */
  onExpired(accessToken: string): void;
};

/** Console of a signed-in client. It keeps its state when the same client signs in again. */
export function Workspace({ session, onEnd, onRenewed, onExpired }: WorkspaceProps) {
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
        <ConnectionBanner />
        <Environments session={session} connection={connection} onEnd={onEnd} onRenewed={onRenewed} />
      </QueryClientProvider>
    </TransportProvider>
  );
}

/** The service may be on this machine, reachable without a network; a failed request is reported at once. */
const networkMode = 'always' as const;

const defaultOptions = {
  mutations: { networkMode },
  queries: {
    networkMode,
    staleTime: 15_000,
    /** A page that is opened again shows what it last showed, and reads it again. */
    gcTime: 3_600_000,
    refetchOnWindowFocus: false,
    /** Retries only failures that may be temporary, and keeps the last data while the connection is lost. */
    retry: (count: number, error: Error) =>
      isConnectionLost() || (count < 2 && ConnectError.from(error).code === Code.Unavailable),
    retryDelay: (count: number) => Math.min(1_000 * 2 ** count, 5_000),
  },
};

/** Shown while the service cannot be reached; then reads again what the page shows. */
function ConnectionBanner() {
  const isLost = useConnectionLost();
  const queryClient = useQueryClient();
  const wasLost = useRef(false);
  useEffect(() => {
    if (wasLost.current && !isLost) void queryClient.invalidateQueries();
    wasLost.current = isLost;
  }, [isLost, queryClient]);
  if (!isLost) return null;
  return (
    <Affix position={{ top: 0, left: 0, right: 0 }} zIndex={1_000}>
      <Text component="div" role="alert" className="connection-banner">
        {t('Connection lost. Retrying…')}
      </Text>
    </Affix>
  );
}

type EnvironmentsProps = Omit<WorkspaceProps, 'onExpired'> & { connection: Connection };

function Environments(props: EnvironmentsProps) {
  const { data, error, refetch } = useQuery(EnvironmentService.method.listEnvironments);
  const lastUsed = localStorage.getItem('environment');
  /** A failed refresh keeps the environments that were read before, and with them what the user typed. */
  if (!data) {
    if (error) return <ErrorNotice error={error} onRetry={refetch} />;
    return (
      <Center h="100vh" component="main">
        <Loader role="status" aria-label={t('Loading')} />
      </Center>
    );
  }
  const { environments } = data;
  const first = environments.find(({ name }) => name === lastUsed) ?? environments[0];
  if (!first) return <ErrorNotice error={new Error(t('This client has no scopes in any environment.'))} />;
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

/** Shown for an environment outside the client's scopes; another environment's figures never take its place. */
function NoEnvironment({ name, first }: { name: string; first: string }) {
  return (
    <main>
      <PageFrame title={t('This client has no access to an environment {name}', { name })}>
        <Anchor component={Link} href={`/${first}/`} size="sm" underline="always">
          {t('Go to {environment}', { environment: first })}
        </Anchor>
      </PageFrame>
    </main>
  );
}

type InEnvironmentProps = EnvironmentsProps & {
  environments: EnvironmentSettings[];
  environment: EnvironmentSettings;
};

function InEnvironment(props: InEnvironmentProps) {
  const { session, connection, onEnd, onRenewed, environments, environment } = props;
  const [, navigate] = useLocation();
  const context = useMemo(
    () => ({
      session,
      connection,
      environments,
      environment,
      can: (area: string, reach: 'here' | 'everywhere' = 'here') =>
        permits(session.scopes, area, reach === 'here' ? environment.name : undefined, 'read'),
      mayChange: (
        area: string,
        access: Access = 'edit',
        places: readonly (string | undefined)[] = [environment.name],
      ) =>
        places.every((place) => {
          const here = environments.filter(({ name }) => place === undefined || name === place);
          const needsApproval = here.some(({ approvalRequired }) => approvalRequired);
          return permits(session.scopes, area, place, needsApproval ? access : 'edit');
        }),
      pathTo: (page: string) => `/${environment.name}/${page}`,
      endSession() {
        leaveFreely();
        navigate('/');
        onEnd();
      },
      renewSession: async (accessToken: string) => onRenewed(await signIn({ access_token: accessToken })),
    }),
    [session, connection, environments, environment, navigate, onEnd, onRenewed],
  );
  localStorage.setItem('environment', environment.name);
  return (
    <Context.Provider value={context}>
      <Shell key={environment.name} />
    </Context.Provider>
  );
}
