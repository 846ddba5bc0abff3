/**
 * Nodes that stop: one of three is paused like its machine, or loses its database without notice.
 * The others must answer within two seconds, and no event may be lost or counted twice. Several
 * groups of three run in parallel, each with its own database server.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { type Chance, createChance } from '../fuzz/chance.ts';
import { call } from './call.ts';
import { countEvents, judge, type Ledger } from './ledger.ts';
import { type Load, startLoad } from './load.ts';
import { findLate, type Recovery, recover, reportRecoveries } from './recovery.ts';
import { type ChaosNode, createWorld, environments, type World } from './world.ts';

export type StopsOptions = {
  /** Number of nodes paused, one after the other. */
  stops: number;
  /** Number of nodes cut off from the database, in between. */
  cuts: number;
  /** Duration of each fault. */
  heldMs: number;
  /** Groups of three nodes at a time. */
  beside: number;
  seed: number;
  /** Number in each group. */
  callers: number;
};

/** Longest response time of a node without fault. */
const longestMs = 2_000;
/**
 * Longest random pause between two faults, so that they occur at any time of the other nodes' work.
 */
const mostRestMs = 3_000;
const newcomerShare = 0.2;
const mostComplaints = 20;

type Trouble = { name: string; begin(node: ChaosNode): void; end(node: ChaosNode): void };

const stop: Trouble = {
  name: 'a node is stopped',
  begin(node) {
    node.isUp = false;
    node.served.pause();
  },
  end: (node) => node.served.goOn(),
};

/** It still gets calls, and must refuse those that need the database. */
const cut: Trouble = {
  name: 'a node is cut off',
  begin: (node) => node.relay.hold(),
  end: (node) => node.relay.goOn(),
};

export async function runStops(options: StopsOptions): Promise<string[]> {
  const chance = createChance(options.seed);
  const troubles = [...Array(options.stops).fill(stop), ...Array(options.cuts).fill(cut)] as Trouble[];
  const waiting = troubles
    .map((trouble) => ({ trouble, place: chance.next() }))
    .sort((a, b) => a.place - b.place)
    .map(({ trouble }) => trouble);
  const seeds = Array.from({ length: options.beside }, () => chance.below(2 ** 32));
  const complaints = await Promise.all(seeds.map((seed) => troubleOne(waiting, options, createChance(seed))));
  return complaints.flat();
}

/** Runs one group of three nodes until no events are pending. */
async function troubleOne(
  waiting: Trouble[],
  { heldMs, callers }: StopsOptions,
  chance: Chance,
): Promise<string[]> {
  const world = await createWorld(chance);
  try {
    await call(world.nodes[0], 'PUT', '/configurations/all', { configuration_id: 'all', constraints: [] });
    await Promise.all(world.nodes.map(recover));
    const load = startLoad(world.nodes, chance, callers);
    const recoveries: Recovery[] = [];
    const complaints: string[] = [];
    for (let trouble = waiting.pop(); trouble !== undefined; trouble = waiting.pop()) {
      await delay(chance.below(mostRestMs));
      const newcomer = chance.happens(newcomerShare) ? join(world, load.ledger) : undefined;
      recoveries.push({ fault: trouble.name, ms: await hold(chance.pick(world.nodes), trouble, heldMs) });
      complaints.push(...((await newcomer) ?? []));
      console.log(`${trouble.name}: ${waiting.length} to go`);
    }
    await load.stop();
    reportLoad(load, recoveries);
    return [...complaints, ...complain(load), ...findLate(recoveries), ...(await judge(world, load.ledger))];
  } finally {
    await world.remove();
  }
}

/** Milliseconds that the node took to recover. */
async function hold(node: ChaosNode, trouble: Trouble, heldMs: number): Promise<number> {
  node.isTroubled = true;
  trouble.begin(node);
  await delay(heldMs);
  trouble.end(node);
  const ms = await recover(node);
  node.isUp = true;
  node.isTroubled = false;
  return ms;
}

/** A node that starts while another is unavailable knows all events acknowledged before. */
async function join(world: World, { sums }: Ledger): Promise<string[]> {
  const node = await world.startNode();
  try {
    const [environment] = environments;
    const { acknowledged } = sums.get(environment)!;
    const counted = await countEvents(node, environment);
    const isRight =
      counted !== undefined && counted >= acknowledged && counted <= sums.get(environment)!.sent;
    return isRight ? [] : [`A new node counted ${counted} events, of ${acknowledged} or more.`];
  } finally {
    await node.remove();
  }
}

function complain({ faults, untroubled, unanswered }: Load): string[] {
  const slow = untroubled.filter(({ ms }) => ms > longestMs);
  return [
    ...faults,
    ...unanswered.map((what) => `${what} was never answered.`),
    ...slow.map(({ what, ms }) => `${what} took ${Math.round(ms)} ms.`),
  ].slice(0, mostComplaints);
}

function reportLoad({ answers, untroubled }: Load, recoveries: readonly Recovery[]): void {
  reportRecoveries(recoveries);
  const times = untroubled.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => Math.round(times[Math.floor(share * (times.length - 1))]);
  console.log(`Answers of others: ${times.length}, p50 ${at(0.5)}, p99 ${at(0.99)}, longest ${at(1)} ms.`);
  console.log(`Answers by status (0: none came): ${JSON.stringify(Object.fromEntries(answers))}`);
}
