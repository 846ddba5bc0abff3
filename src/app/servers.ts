/** The ports of a node: HTTP and gRPC for clients, and an optional admin port for metrics. */

import { randomUUID } from 'node:crypto';
import { routes } from '../../gen/rest/routes.ts';
import type { Operations } from '../handlers/chain/operation.ts';
import { createTurns } from '../ranking/runtime/slices.ts';
import type { Database } from '../repository/database.ts';
import { countTrainings } from '../repository/training/training-history.ts';
import { peerKey } from '../security/limits/peers.ts';
import { createTokenBuckets } from '../security/limits/token-buckets.ts';
import type { Security } from '../security/security.ts';
import type { SignInCode } from '../security/sign-in-code.ts';
import { createAdminServer } from '../servers/admin.ts';
import { followCertificate } from '../servers/certificate.ts';
import { createConnectHandler } from '../servers/connect/connect.ts';
import { createDocuments } from '../servers/documents/documents.ts';
import { createStaticDocuments } from '../servers/documents/static-documents.ts';
import { createFailureLog } from '../servers/failure-log.ts';
import { createGateway } from '../servers/gateway/gateway.ts';
import { refuseUnparsed } from '../servers/gateway/http-refusal.ts';
import { createGrpcServer } from '../servers/grpc/grpc.ts';
import type { ResetBudget } from '../servers/grpc/grpc-resets.ts';
import { createHttpServer, type Readiness } from '../servers/http.ts';
import { createPeers } from '../servers/peer-address.ts';
import { watchService } from '../servers/telemetry/service-metrics.ts';
import { createUnreadAnswers } from '../servers/unread-answers.ts';
import { version } from '../version.ts';
import { createNodeAgents, documentsOfAgents } from './agents.ts';
import { createNodeConsole } from './console.ts';
import type { Node } from './node.ts';
import type { Replicas } from './replicas.ts';
import type { Serving } from './serving.ts';

/** Root of the repository, or `dist` in a package. */
const root = new URL('../../', import.meta.url);

const bodyTimeoutMs = 30_000;
/**
 * Calls that a peer may cancel, in a burst and per second. Clients with a token and trusted proxies cancel many when the
 * service is slow. The budget of other peers is thirty times what a page in a browser cancels.
 */
const cancelled = { anonymous: { burst: 3_000, perSecond: 100 }, known: { burst: 50_000, perSecond: 5_000 } };
/** Replicas for the budgets of all peers. */
const resetBudgetBytes = 4 * 1024 * 1024;

const largestBodyBytes = 32 * 1024 * 1024;

/** Port numbers; 0 picks a free port. */
export type Ports = { http: number; grpc: number; admin: number | undefined };

export type Servers = {
  /** Opens the ports and returns their numbers. @param host Overrides the deployment file. */
  listen(ports: Ports, host?: string): Promise<Ports>;
  /** Reports SERVING through the gRPC health service. */
  serve(): void;
  /** Still answers calls, but asks clients to send further calls to other nodes. */
  turnAway(): void;
  /** Resolves when the calls in progress have ended; after `graceMs` they are cut off. */
  close(graceMs: number): Promise<void>;
  /** Closes the admin port, which exposes metrics until all else has stopped. */
  closeAdmin(): Promise<void>;
};

export type ServerParts = {
  operations: Operations;
  security: Security;
  readiness: () => Promise<Readiness>;
  /** Overrides the deployment file. */
  adminHost: string | undefined;
  signInCode: SignInCode | undefined;
};

export function createServers(node: Node, parts: ServerParts): Servers {
  const { deployment, logger, telemetry } = node;
  const { operations, security, readiness } = parts;
  const { basePath, server } = deployment;
  const { metrics } = telemetry;
  const tls = server.tls && followCertificate(server.tls, logger);
  const alive = JSON.stringify({ status: 'alive', version });
  let grpcPort = 0;
  const { corsOrigins } = server;
  const answering = createAnswering(node, operations);
  const { peers } = answering;
  const connections = { perPeer: server.connectionsPerPeer, peers, keyOf: peerKey };
  const http = createHttpServer({
    gateway: createGateway({
      ...answering,
      routes,
      basePath,
      corsOrigins,
      limits: { bodyTimeoutMs, maxBodyBytes: largestBodyBytes, answerBytes: deployment.limits.answerBytes },
    }),
    connect: createConnectHandler({ ...answering, corsOrigins }),
    documents: createNodeDocuments(node, parts, () => grpcPort),
    agents: createNodeAgents(node, { ...answering, security }),
    console: createNodeConsole(node, { ...parts, peers }),
    readiness,
    alive,
    refuse: (error, socket) => refuseUnparsed(error, socket, { basePath, requestId: randomUUID() }),
    connections,
    keepAliveMs: server.idleTimeoutMs,
    tls,
  });
  const grpc = createGrpcServer({
    ...answering,
    connections,
    messageTimeoutMs: bodyTimeoutMs,
    resets: createResetBudget(),
    tls,
  });
  const admin =
    metrics &&
    createAdminServer({ host: parts.adminHost ?? server.adminHost, alive, expose: metrics.expose });
  return {
    async listen(ports, host = server.host) {
      tls?.start();
      grpcPort = await grpc.listen(ports.grpc, host);
      return {
        http: await http.listen(ports.http, host),
        grpc: grpcPort,
        admin: ports.admin === undefined ? undefined : await admin?.listen(ports.admin),
      };
    },
    serve: () => grpc.setServing(true),
    turnAway() {
      grpc.setServing(false);
      http.turnAway();
    },
    async close(graceMs) {
      await Promise.all([http.close(graceMs), grpc.close(graceMs), tls?.stop()]);
    },
    closeAdmin: async () => admin?.close(),
  };
}

/** Parts that the transports share. */
function createAnswering({ deployment, logger, telemetry }: Node, operations: Operations) {
  const { unreadBytesPerPeer, unreadBytes, answerBytes } = deployment.limits;
  return {
    operations,
    newRequestId: randomUUID,
    observer: telemetry.observer,
    logFailure: createFailureLog(logger),
    peers: createPeers(deployment.server.trustedProxies),
    turns: createTurns(),
    unread: createUnreadAnswers({ perPeer: unreadBytesPerPeer, total: unreadBytes, keyOf: peerKey }),
    answerBytes,
  };
}

function createNodeDocuments({ deployment }: Node, parts: ServerParts, grpcPort: () => number) {
  const { basePath, authentication } = deployment;
  const { operations, security } = parts;
  const documents = createDocuments({
    ...{ operations, basePath, version, root, grpcPort, jwks: security.jwks },
    publicOperations: authentication.publicOperations,
  });
  return createStaticDocuments(new Map([...documents, ...documentsOfAgents(deployment)]));
}

function createResetBudget(): ResetBudget {
  const bucketsOf = (rate: { burst: number; perSecond: number }) =>
    createTokenBuckets({ ...rate, maxBytes: resetBudgetBytes, elapsedMs: () => performance.now() });
  const [anonymous, known] = [bucketsOf(cancelled.anonymous), bucketsOf(cancelled.known)];
  return { take: (address, isKnown) => (isKnown ? known : anonymous).take(peerKey(address)) === 0 };
}

/** Adds the metrics of the node besides its calls. */
export function watchNode(node: Node, { items }: Replicas, serving: Serving): void {
  const { db, served, clock, queues } = node;
  const names = [...served.keys()];
  const { metrics } = node.telemetry;
  if (!metrics) return;
  watchService(metrics, {
    version,
    connections: () => connectionsOf(db),
    queues,
    itemCounts: () => names.map((name) => [name, items.catalogOf(name).itemCount]),
    modelsServedAtMs: serving.modelsServedAtMs,
    trainings: () => countTrainings(db),
    storedEventCount: () => serving.intake.storedCount,
    aggregationLag: () => serving.aggregation.lag,
    lists: serving.lists,
    excessNames: () => Array.from(serving.nameLimits.excess, ([name, { count }]) => [name, count] as const),
    dropped: () => [['served calls', serving.servedCalls.droppedCount]],
    clock,
  });
}

function connectionsOf({ pool }: Database) {
  const { idleCount: idle, totalCount, waitingCount: waiting } = pool;
  return { idle, busy: totalCount - idle, waiting };
}
