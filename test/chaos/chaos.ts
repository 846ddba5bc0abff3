/**
 * `npm run chaos -- --minutes 10 --seed 7`: three nodes and their database under load, while one thing after the other goes wrong.
 * At the end what was acknowledged is stored and counted, once; nobody was answered with what is another's; only documented errors
 * were answered; and every node answered again within five seconds of each repair.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { createChance } from '../fuzz/chance.ts';
import { createFaults } from './faults.ts';
import { call, type Load, startLoad } from './load.ts';
import { runInNamespace } from './small-disk.ts';
import { type ChaosNode, createWorld, environments, type World } from './world.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    callers: { type: 'string', default: '6' },
    /** Only faults whose name has it. */
    only: { type: 'string', default: '' },
  },
});

const recoveryMs = 5_000;
/** Given up then: a node that stays away is a fault already. */
const longestRecoveryMs = 60_000;
const quietMs = 1_000;
const pollMs = 50;

type Recovery = { fault: string; ms: number };

async function main(): Promise<number> {
  const chance = createChance(Number(values.seed));
  const world = await createWorld(chance);
  try {
    await call(world.nodes[0], 'PUT', '/configurations/all', { configuration_id: 'all', constraints: [] });
    const load = startLoad(world.nodes, chance, Number(values.callers));
    const recoveries = await goWrong(world, chance);
    await load.stop();
    const complaints = [...load.faults.slice(0, 20), ...(await judge(world, load)), ...late(recoveries)];
    report(load, recoveries);
    for (const complaint of complaints) console.log(`✘ ${complaint}`);
    console.log(
      `Seed ${values.seed}, ${values.minutes} minutes: ${complaints.length === 0 ? 'all is well' : 'faults'}.`,
    );
    return complaints.length === 0 ? 0 : 1;
  } finally {
    await world.remove();
  }
}

async function goWrong(world: World, chance: ReturnType<typeof createChance>): Promise<Recovery[]> {
  const faults = createFaults(world, chance).filter(({ name }) => name.includes(values.only));
  const recoveries: Recovery[] = [];
  const endMs = performance.now() + 60_000 * Number(values.minutes);
  while (performance.now() < endMs) {
    const fault = chance.pick(faults);
    await fault.run();
    const startMs = performance.now();
    await Promise.all(world.nodes.map((node) => answering(node, startMs)));
    const ms = performance.now() - startMs;
    recoveries.push({ fault: fault.name, ms });
    console.log(`${fault.name}: answers after ${(ms / 1_000).toFixed(1)} s`);
    await delay(chance.below(quietMs));
  }
  return recoveries;
}

/** Resolves when a node is ready, stores an event and makes a list. */
async function answering(node: ChaosNode, startMs: number): Promise<void> {
  const [environment] = environments;
  const lists = [{ configuration_id: 'all', list_name: 'all', list_size: 3 }];
  const asked = { device_id: `${environment}-d1`, page_type: 'home', lists };
  const item = { title: 'Article probe' };
  const questions = [
    () => fetch(new URL('/readyz', node.served.baseUrl)).catch(() => ({ status: 0 })),
    () => call(node, 'PUT', `/${environment}/items/article/${environment}-a0`, item),
    () => call(node, 'POST', `/${environment}/recommendations/requests`, asked),
  ];
  for (const question of questions) {
    while ((await question()).status !== 200 && performance.now() - startMs < longestRecoveryMs)
      await delay(pollMs);
  }
}

function late(recoveries: Recovery[]): string[] {
  return recoveries
    .filter(({ ms }) => ms > recoveryMs)
    .map(({ fault, ms }) => `${fault}: answered again after ${(ms / 1_000).toFixed(1)} s only`);
}

/** Acknowledged = stored = counted. */
async function judge({ nodes, database }: World, { acknowledged }: Load): Promise<string[]> {
  const client = new pg.Client(database.connection);
  await client.connect();
  const { rows } = await client.query('select event_id from events');
  await client.end();
  const stored = new Set(rows.map((row) => row.event_id));
  const lost = [...acknowledged].filter((id) => !stored.has(id));
  const counts = await Promise.all(nodes.map(countEvents));
  console.log(`Acknowledged ${acknowledged.size}, stored ${rows.length}, counted ${counts.join(', ')}.`);
  const complaints = counts
    .filter((count) => count !== rows.length)
    .map((count) => `${count} events are counted.`);
  if (lost.length > 0) complaints.push(`${lost.length} acknowledged events are lost, e.g. ${lost[0]}.`);
  if (stored.size !== rows.length) complaints.push(`${rows.length - stored.size} events are stored twice.`);
  if (rows.length !== acknowledged.size) complaints.push(`${rows.length} events are stored.`);
  return complaints;
}

async function countEvents(node: ChaosNode): Promise<number> {
  const { body } = await call(node, 'GET', '/metrics/events?limit=10000');
  return ((body?.results ?? []) as { value: number }[]).reduce((sum, { value }) => sum + value, 0);
}

function report({ answers }: Load, recoveries: Recovery[]): void {
  for (const [name, ones] of Map.groupBy(recoveries, ({ fault }) => fault)) {
    const slowest = Math.max(...ones.map(({ ms }) => ms)) / 1_000;
    console.log(`${ones.length} × ${name}, slowest recovery ${slowest.toFixed(1)} s`);
  }
  console.log(`Answers by status (0: none came): ${JSON.stringify(Object.fromEntries(answers))}`);
}

process.exitCode = runInNamespace() ?? (await main());
