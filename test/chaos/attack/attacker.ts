/**
 * A process that attacks a service from one address over many connections for a given time, and
 * then prints the answers by status.
 *
 * `node attacker.ts '{"baseUrl": …, "address": "127.0.0.2", "connections": 200, "seconds": 60, "seed": 1, "kinds": [...]}'`
 */

import { Agent, type ClientRequest, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createChance } from '../../fuzz/chance.ts';
import { type HostileRequest, makeHostileRequest } from './hostile-requests.ts';

export type AttackerSettings = {
  baseUrl: string;
  environment: string;
  /** Local address of the connections. */
  address: string;
  connections: number;
  seconds: number;
  seed: number;
  kinds: readonly string[];
};

/** Requests sent, by kind and status; status 0 for those without an answer. */
export type AttackerReport = Record<string, Record<string, number>>;

const longestWaitMs = 30_000;

async function attack(settings: AttackerSettings): Promise<AttackerReport> {
  const { baseUrl, environment, address, connections, seconds, seed, kinds } = settings;
  const report: AttackerReport = {};
  const endMs = performance.now() + seconds * 1_000;
  const drive = async (_: unknown, connection: number) => {
    const chance = createChance(seed * 10_007 + connection);
    const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: address });
    while (performance.now() < endMs) {
      const hostile = makeHostileRequest(chance, chance.pick(kinds), environment);
      const status = await send(hostile, baseUrl, agent);
      const counts = report[hostile.kind] ?? {};
      report[hostile.kind] = counts;
      counts[status] = (counts[status] ?? 0) + 1;
      if (status === 429) await delay(50);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: connections }, drive));
  return report;
}

/** Resolves with the status, or 0 when the connection ended before. */
function send(hostile: HostileRequest, baseUrl: string, agent: Agent): Promise<number> {
  const { method, path, body, cancelAfterMs, unreadForMs } = hostile;
  return new Promise((resolve) => {
    const sent: ClientRequest = request(baseUrl + path, {
      agent,
      method,
      headers:
        body === undefined
          ? {}
          : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    const timer = setTimeout(() => sent.destroy(), cancelAfterMs ?? longestWaitMs);
    const settle = (status: number) => {
      clearTimeout(timer);
      resolve(status);
    };
    sent.on('error', () => settle(0));
    sent.on('close', () => settle(0));
    sent.on('response', (response) => {
      const finish = () => {
        response.resume();
        response.on('end', () => settle(response.statusCode!)).on('error', () => settle(0));
      };
      if (unreadForMs === undefined) finish();
      else setTimeout(finish, unreadForMs);
    });
    sent.end(body);
  });
}

process.stdout.write(JSON.stringify(await attack(JSON.parse(process.argv[2]) as AttackerSettings)));
