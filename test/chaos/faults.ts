/** Faults and their repairs. */

import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Chance } from '../fuzz/chance.ts';
import type { World } from './world.ts';

/** Causes the fault and repairs it; resolves after the repair. */
export type Fault = { name: string; run(): Promise<void> };

/** More connections than the server allows. */
const mostConnections = 220;

export function createFaults(world: World, chance: Chance): Fault[] {
  const { nodes, database, disk } = world;
  const holdMs = () => 500 + chance.below(4_500);
  const faults: Fault[] = [
    {
      name: 'a node is killed and started',
      async run() {
        const node = chance.pick(nodes);
        node.isUp = false;
        await node.served.kill();
        await delay(holdMs());
        await node.restart();
      },
    },
    {
      name: 'a node is stopped as its operator would, and started',
      async run() {
        const node = chance.pick(nodes);
        node.isUp = false;
        await node.served.stop();
        await node.restart();
      },
    },
    {
      name: 'a node is paused',
      async run() {
        const node = chance.pick(nodes);
        node.served.pause();
        await delay(holdMs());
        node.served.goOn();
      },
    },
    {
      name: 'the database is killed',
      async run() {
        database.kill();
        await reachable(database.connection);
      },
    },
    {
      name: 'the database is paused',
      async run() {
        database.pause();
        await delay(holdMs());
        database.goOn();
      },
    },
    {
      name: 'the database has no connection left',
      async run() {
        const held = await takeConnections(database.connection);
        await delay(holdMs());
        await Promise.all(held.map((client) => client.end().catch(() => undefined)));
      },
    },
    {
      name: 'answers of the database are cut in the middle',
      async run() {
        world.cutAnswers(0.05);
        await delay(holdMs());
        world.cutAnswers(0);
      },
    },
    {
      name: 'a node is cut off from the database',
      async run() {
        const { relay } = chance.pick(nodes);
        relay.hold();
        await delay(holdMs());
        relay.goOn();
      },
    },
  ];
  if (disk)
    faults.push({
      name: 'the disk of the database is full',
      async run() {
        disk.fill();
        await delay(holdMs());
        disk.free();
        await reachable(database.connection);
      },
    });
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
