/** Faults and their repairs. */

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Chance } from '../fuzz/chance.ts';
import type { World } from './world.ts';

/** Causes the fault and repairs it; resolves after the repair. */
export type Fault = { name: string; run(): Promise<void> };

type Repair = () => unknown;

/** More connections than the server allows. */
const mostConnections = 220;

export function createFaults(world: World, chance: Chance): Fault[] {
  const { nodes, database, disk } = world;
  const holdMs = () => 500 + chance.below(4_500);
  /** @param cause Returns the repair. */
  const held = (name: string, cause: () => Repair | Promise<Repair>): Fault => ({
    name,
    async run() {
      const repair = await cause();
      await delay(holdMs());
      await repair();
    },
  });
  const faults: Fault[] = [
    held('a node is killed and started', async () => {
      const node = chance.pick(nodes);
      node.isUp = false;
      await node.served.kill();
      return () => node.restart();
    }),
    {
      name: 'a node is stopped as its operator would, and started',
      async run() {
        const node = chance.pick(nodes);
        node.isUp = false;
        await node.served.stop();
        await node.restart();
      },
    },
    held('a node is paused', () => {
      const { served } = chance.pick(nodes);
      served.pause();
      return () => served.goOn();
    }),
    {
      name: 'the database is killed',
      async run() {
        database.kill();
        await reachable(database.connection);
      },
    },
    held('the database is paused', () => {
      database.pause();
      return () => database.goOn();
    }),
    held('the database has no connection left', async () => {
      const taken = await takeConnections(database.connection);
      return () => Promise.all(taken.map((client) => client.end().catch(() => undefined)));
    }),
    held('answers of the database are cut in the middle', () => {
      world.cutAnswers(0.05);
      return () => world.cutAnswers(0);
    }),
    held('a node is cut off from the database', () => {
      const { relay } = chance.pick(nodes);
      relay.hold();
      return () => relay.goOn();
    }),
  ];
  if (disk)
    faults.push(
      held('the disk of the database is full', () => {
        disk.fill();
        return () => {
          disk.free();
          return reachable(database.connection);
        };
      }),
    );
  return faults;
}

async function takeConnections(connection: pg.ClientConfig): Promise<pg.Client[]> {
  const clients: pg.Client[] = [];
  while (clients.length < mostConnections) {
    const client = new pg.Client(connection);
    client.on('error', () => undefined);
    try {
      await client.connect();
    } catch {
      return clients;
    }
    clients.push(client);
  }
  return clients;
}

/** The server is repaired once it accepts connections; the nodes recover by themselves. */
async function reachable(connection: pg.ClientConfig): Promise<void> {
  for (;;) {
    const client = new pg.Client({ ...connection, connectionTimeoutMillis: 2_000 });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('select');
      return;
    } catch {
      await delay(50);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
