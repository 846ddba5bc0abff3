/**
 * `npm run chaos -- --minutes 10 --seed 7`: three nodes and their database under load, with one fault after the other. It checks
 * that acknowledged events are stored and counted once, that no caller gets another caller's data, that all errors are documented,
 * and that every node answers within five seconds after each repair.
 *
 * `npm run chaos -- --attack 60 --connections 200`: one attacker and the visitors of a site; see attack/attack.ts.
 *
 * `npm run chaos -- --stops 100 --cuts 20 --held 30 --beside 4`: nodes that stop, or are cut off, for so many seconds; see stops.ts.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createChance } from '../fuzz/chance.ts';
import { runAttack } from './attack/attack.ts';
import { call } from './call.ts';
import { createFaults } from './faults.ts';
import { judge } from './ledger.ts';
import { startLoad } from './load.ts';
import { findLate, type Recovery, recover, reportRecoveries } from './recovery.ts';
import { runInNamespace } from './small-disk.ts';
import { runStops } from './stops.ts';
import { createWorld, type World } from './world.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    callers: { type: 'string' },
    /** Only faults with this text in their name. */
    only: { type: 'string', default: '' },
    stops: { type: 'string', default: '0' },
    cuts: { type: 'string', default: '0' },
    /** Seconds. */
    held: { type: 'string', default: '30' },
    /** Groups of three nodes at a time. */
    beside: { type: 'string', default: '1' },
    /** Seconds. */
    attack: { type: 'string', default: '0' },
    connections: { type: 'string', default: '200' },
    /** Connections of the attacker. */
    address: { type: 'string', default: '127.0.0.2' },
    items: { type: 'string', default: '5000' },
  },
});

const quietMs = 1_000;
const callers = Number(values.callers ?? 6);

async function main(): Promise<number> {
  const { what, complaints } = await runTrial();
  for (const complaint of complaints) console.log(`✘ ${complaint}`);
  console.log(`Seed ${values.seed}, ${what}: ${complaints.length === 0 ? 'all is well' : 'faults'}.`);
  return complaints.length === 0 ? 0 : 1;
}

async function runTrial(): Promise<{ what: string; complaints: string[] }> {
  const [attack, stops, cuts] = [Number(values.attack), Number(values.stops), Number(values.cuts)];
  if (attack > 0) return { what: `${attack} seconds of attack`, complaints: await attackSite(attack) };
  if (stops + cuts > 0)
    return { what: `${stops} stops and ${cuts} cuts`, complaints: await stopNodes(stops, cuts) };
  return { what: `${values.minutes} minutes`, complaints: await makeFaults() };
}

function attackSite(seconds: number): Promise<string[]> {
  const { connections, seed, address, only, items } = values;
  return runAttack({
    seconds,
    connections: Number(connections),
    seed: Number(seed),
    address,
    only,
    itemCount: Number(items),
  });
}

/** Fewer callers, because the test is about pauses, not about load. */
function stopNodes(stops: number, cuts: number): Promise<string[]> {
  return runStops({
    stops,
    cuts,
    heldMs: 1_000 * Number(values.held),
    beside: Number(values.beside),
    seed: Number(values.seed),
    callers: Number(values.callers ?? 3),
  });
}

async function makeFaults(): Promise<string[]> {
  const chance = createChance(Number(values.seed));
  const world = await createWorld(chance);
  try {
    await call(world.nodes[0], 'PUT', '/configurations/all', { configuration_id: 'all', constraints: [] });
    await Promise.all(world.nodes.map(recover));
    const load = startLoad(world.nodes, chance, callers);
    const recoveries = await goWrong(world, chance);
    await load.stop();
    const complaints = [
      ...load.faults.slice(0, 20),
      ...(await judge(world, load.ledger)),
      ...findLate(recoveries),
    ];
    reportRecoveries(recoveries);
    console.log(`Answers by status (0: none came): ${JSON.stringify(Object.fromEntries(load.answers))}`);
    return complaints;
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
    const ms = Math.max(...(await Promise.all(world.nodes.map(recover))));
    recoveries.push({ fault: fault.name, ms });
    console.log(`${fault.name}: answers after ${(ms / 1_000).toFixed(1)} s`);
    await delay(chance.below(quietMs));
  }
  return recoveries;
}

process.exitCode = runInNamespace() ?? (await main());
