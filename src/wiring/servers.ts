/** The ports: HTTP and gRPC for callers, one more for metrics where it is asked for. */

import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { routes } from '../../gen/rest/routes.ts';
import type { Operations } from '../handlers/chain/operation.ts';
import type { Database } from '../repository/database.ts';
import { countTrainings } from '../repository/training/training-counts.ts';
import type { Security } from '../security/security.ts';
import type { SignInCode } from '../security/sign-in-code.ts';
import { createAdminServer } from '../servers/admin.ts';
import { createConnectHandler } from '../servers/connect.ts';
import { createDocuments } from '../servers/documents.ts';
import { createGateway } from '../servers/gateway.ts';
import { createGrpcServer } from '../servers/grpc.ts';
import { createHttpServer, type Readiness } from '../servers/http.ts';
import { watchService } from '../telemetry/service-metrics.ts';
import { createNodeConsole } from './console.ts';
import type { Engine } from './engine.ts';
import type { Memory } from './memory.ts';
import type { Node } from './node.ts';

const drainMs = 10_000;
const bodyTimeoutMs = 30_000;
const largestBodyBytes = 32 * 1024 * 1024;

/** 0 takes a free one. */
export type Ports = { http: number; grpc: number; admin: number | undefined };

export type Servers = {
  /** Opens the ports and returns them. */
  listen(ports: Ports): Promise<Ports>;
  /** What the gRPC health service answers. */
  setServing(serving: boolean): void;
  /** Calls under way end; after ten seconds they are cut off. */
  close(): Promise<void>;
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
  const { observer, metrics } = telemetry;
  const tls = server.tls && {
    certificate: readFileSync(server.tls.certificate),
    key: readFileSync(server.tls.key),
  };
  const answering = { operations, newRequestId: randomUUID, observer, logger };
  const http = createHttpServer({
    gateway: createGateway({
      ...answering,
      routes,
      basePath,
      corsOrigins: server.corsOrigins,
      limits: { bodyTimeoutMs, maxBodyBytes: largestBodyBytes },
    }),
    connect: createConnectHandler(answering),
    documents: createDocuments({ basePath, jwks: security.jwks }),
    console: createNodeConsole(node, parts),
    readiness,
    newRequestId: randomUUID,
    tls,
  });
  const grpc = createGrpcServer({ ...answering, tls });
  const admin =
    metrics && createAdminServer({ host: parts.adminHost ?? server.adminHost, expose: metrics.expose });
  return {
    async listen(ports) {
      return {
        http: await http.listen(ports.http),
        grpc: await grpc.listen(ports.grpc),
        admin: ports.admin === undefined ? undefined : await admin?.listen(ports.admin),
      };
    },
    setServing: grpc.setServing,
    close: async () => void (await Promise.all([http.close(drainMs), grpc.close(drainMs)])),
    closeAdmin: async () => admin?.close(),
  };
}

/** What the admin port tells besides calls. */
export function watchNode(node: Node, { items }: Memory, engine: Engine): void {
  const { db, deployment, clock, queues } = node;
  const names = [...deployment.environments.keys()];
  const { metrics } = node.telemetry;
  if (!metrics) return;
  watchService(metrics, {
    connections: () => connectionsOf(db),
    queues,
    itemCounts: () => names.map((name) => [name, items.catalogOf(name).itemCount]),
    modelsServedAtMs: engine.modelsServedAtMs,
    trainings: () => countTrainings(db),
    storedEventCount: () => engine.intake.storedCount,
    lists: engine.lists,
    clock,
  });
}

function connectionsOf({ pool }: Database) {
  const { idleCount: idle, totalCount, waitingCount: waiting } = pool;
  return { idle, busy: totalCount - idle, waiting };
}
