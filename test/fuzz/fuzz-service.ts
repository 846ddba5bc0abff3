/** Sends generated requests to a running service, and collects faults in the answers. */

import { readFileSync } from 'node:fs';
import { createChance } from './chance.ts';
import { createRequestMaker, type FuzzRequest } from './requests.ts';
import { createSender, type Reply, type Wire } from './send.ts';
import { isTurnedAway, verdictOf } from './verdict.ts';

export type FuzzFault = { fault: string; request: FuzzRequest; reply: Reply };

export type FuzzReport = {
  requests: number;
  /** By transport and the answer's class: `http 4xx`. */
  answers: Map<string, number>;
  /** Requests refused by rate limits: with many of them, the others prove nothing. */
  turnedAway: number;
  faults: FuzzFault[];
  /** The slowest answers first, a few. */
  slowest: { ms: number; request: FuzzRequest }[];
};

export type FuzzOptions = {
  service: { baseUrl: string; grpcAddress: string; authorization: string };
  requests: number;
  seed: number;
  /** Called after each answer. */
  onAnswer?: (done: number) => void;
};

const atOnce = 16;
const mostFaults = 20;
const slowestKept = 10;

const document = JSON.parse(readFileSync(new URL('../../gen/rest/openapi.json', import.meta.url), 'utf8'));

export async function fuzzService({ service, requests, seed, onAnswer }: FuzzOptions): Promise<FuzzReport> {
  const { authorization } = service;
  const make = createRequestMaker(createChance(seed), { document, authorization });
  const sender = createSender(new URL(service.baseUrl).origin, service.grpcAddress);
  const report: FuzzReport = { requests: 0, answers: new Map(), turnedAway: 0, faults: [], slowest: [] };
  let sent = 0;
  const drive = async () => {
    while (sent < requests && report.faults.length < mostFaults) {
      sent += 1;
      const request = make();
      add(report, request, await sender.send(request.wire));
      onAnswer?.(report.requests);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, drive));
  sender.close();
  return report;
}

function add(report: FuzzReport, request: FuzzRequest, reply: Reply): void {
  report.requests += 1;
  const kind = `${request.transport} ${Math.floor(reply.status / 100)}xx`;
  report.answers.set(kind, (report.answers.get(kind) ?? 0) + 1);
  if (isTurnedAway(reply)) report.turnedAway += 1;
  const fault = verdictOf(request, reply);
  if (fault !== undefined) report.faults.push({ fault, request, reply });
  report.slowest.push({ ms: reply.ms, request });
  if (report.slowest.length < 2 * slowestKept) return;
  report.slowest.sort((a, b) => b.ms - a.ms);
  report.slowest.length = slowestKept;
}

/** In a form that can be sent again by hand. */
export function describeFault({ fault, request, reply }: FuzzFault): string {
  return [
    `${request.transport} ${request.operation}: ${fault}`,
    ...describeWire(request.wire),
    `  answered ${reply.status} after ${reply.ms.toFixed(0)} ms ${reply.failure ?? ''}`,
    `  ${JSON.stringify(reply.headers).slice(0, 300)} ${reply.body.toString().slice(0, 500)}`,
    ...(reply.before ? ['  the same connection before:', ...describeWire(reply.before)] : []),
  ].join('\n');
}

function describeWire({ method, path, body, headers }: Wire): string[] {
  const { authorization: _, ...shown } = headers;
  const bytes = Buffer.from(body);
  return [
    `  ${method} ${path.slice(0, 300)} ${JSON.stringify(shown)}`,
    `  body of ${body.length}: ${bytes.toString(isText(body) ? 'utf8' : 'base64').slice(0, 1_500)}`,
  ];
}

const isText = (body: Uint8Array) => body.every((byte) => byte >= 9 && byte < 127);
