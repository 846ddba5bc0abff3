/** The ports: HTTP and gRPC for callers, one more for metrics where it is asked for. */

import { randomUUID } from 'node:crypto';
import { routes } from '../../gen/rest/routes.ts';
import type { Operations } from '../handlers/chain/operation.ts';
import { createTurns } from '../ranking/runtime/slices.ts';
import type { Database } from '../repository/database.ts';
import { countTrainings } from '../repository/training/training-counts.ts';
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
import { createNodeConsole } from './console.ts';
import type { Engine } from './engine.ts';
import type { Memory } from './memory.ts';
import type { Node } from './node.ts';

const bodyTimeoutMs = 30_000;
/**
 * Calls that a peer may give up, in a burst and a second. One whose connection has shown a token, or a trusted proxy, does so
 * whenever the service is slow; a stranger may by thirty times what a page in its browser does.
 */
const givenUp = { stranger: { burst: 3_000, perSecond: 100 }, known: { burst: 50_000, perSecond: 5_000 } };
/** Of the budgets of all peers together. */
const resetBudgetBytes = 4 * 1024 * 1024;

const largestBodyBytes = 32 * 1024 * 1024;

/** 0 takes a free one. */
export type Ports = { http: number; grpc: number; admin: number | undefined };

export type Servers = {
  /** Opens the ports and returns them. @param host Instead of the deployment file's. */
  listen(ports: Ports, host?: string): Promise<Ports>;
  /** From now on the gRPC health service says that calls are taken. */
  serve(): void;
  /** Calls are still taken, but callers are told to take the next ones elsewhere. */
  turnAway(): void;
  /** Calls under way end; after `graceMs` they are cut off. */
  close(graceMs: number): Promise<void>;
  /** Metrics are exposed until the rest has stopped. */
  closeAdmin(): Promise<void>;
};

export type ServerParts = {
  operations: Operations;
  security: Security;
  readiness: () => Promise<Readiness>;
  /** Instead of the deployment file's. */
  adminHost: string | undefined;
  signInCode: SignInCode | undefined;
};

export function createServers(node: Node, parts: ServerParts): Servers {
  const { deployment, logger, telemetry } = node;
  const { operations, security, readiness } = parts;
  const { basePath, server } = deployment;
  const { publicOperations } = deployment.authentication;
  const { observer, metrics } = telemetry;
  const tls = server.tls && followCertificate(server.tls, logger);
  const alive = JSON.stringify({ status: 'alive', version });
  let grpcPort = 0;
  const { corsOrigins, trustedProxies } = server;
  const peers = createPeers(trustedProxies);
  const connections = { perPeer: server.connectionsPerPeer, peers, keyOf: peerKey };
  const answering = {
    operations,
    newRequestId: randomUUID,
    observer,
    logFailure: createFailureLog(logger),
    peers,
    turns: createTurns(),
    unread: createUnreadAnswers({
      perPeer: deployment.limits.unreadBytesPerPeer,
      total: deployment.limits.unreadBytes,
      keyOf: peerKey,
    }),
    answerBytes: deployment.limits.answerBytes,
  };
  const http = createHttpServer({
    gateway: createGateway({
      ...answering,
      routes,
      basePath,
      corsOrigins,
      limits: { bodyTimeoutMs, maxBodyBytes: largestBodyBytes, answerBytes: deployment.limits.answerBytes },
    }),
    connect: createConnectHandler({ ...answering, corsOrigins }),
    documents: createStaticDocuments(
      createDocuments({
        operations,
        basePath,
        version,
        publicOperations,
        jwks: security.jwks,
        grpcPort: () => grpcPort,
      }),
    ),
    console: createNodeConsole(node, { ...parts, peers }),
    readiness,
    alive,
    refuse: (error, socket) => refuseUnparsed(error, socket, { basePath, requestId: randomUUID() }),
    connections,
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

function createResetBudget(): ResetBudget {
  const bucketsOf = (rate: { burst: number; perSecond: number }) =>
    createTokenBuckets({ ...rate, maxBytes: resetBudgetBytes, elapsedMs: () => performance.now() });
  const [strangers, known] = [bucketsOf(givenUp.stranger), bucketsOf(givenUp.known)];
  return { take: (address, isKnown) => (isKnown ? known : strangers).take(peerKey(address)) === 0 };
}

/** What the admin port tells besides calls. */
export function watchNode(node: Node, { items }: Memory, engine: Engine): void {
  const { db, served, clock, queues } = node;
  const names = [...served.keys()];
  const { metrics } = node.telemetry;
  if (!metrics) return;
  watchService(metrics, {
    version,
    connections: () => connectionsOf(db),
    queues,
    itemCounts: () => names.map((name) => [name, items.catalogOf(name).itemCount]),
    modelsServedAtMs: engine.modelsServedAtMs,
    trainings: () => countTrainings(db),
    storedEventCount: () => engine.intake.storedCount,
    foldingLag: () => engine.folding.lag,
    lists: engine.lists,
    excessNames: () => Array.from(engine.nameLimits.excess, ([name, { count }]) => [name, count] as const),
    dropped: () => [['served calls', engine.servedCalls.droppedCount]],
    clock,
  });
}

function connectionsOf({ pool }: Database) {
  const { idleCount: idle, totalCount, waitingCount: waiting } = pool;
  return { idle, busy: totalCount - idle, waiting };
}
