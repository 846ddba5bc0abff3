/** Records sent and acknowledged events, and compares them with what is stored and counted. */

import pg from 'pg';
import { call } from './call.ts';
import type { ChaosNode, World } from './world.ts';

/** Events without IDs, all of one separate device, sent once. */
export type Post = { size: number; isAcknowledged: boolean };

export type Ledger = {
  /** Ids of acknowledged events. */
  acknowledged: Set<string>;
  /** By device. */
  posts: Map<string, Post>;
  /** Events by environment. */
  sums: Map<string, { sent: number; acknowledged: number }>;
};

export function createLedger(environments: readonly string[]): Ledger {
  const sums = new Map(environments.map((name) => [name, { sent: 0, acknowledged: 0 }]));
  return { acknowledged: new Set(), posts: new Map(), sums };
}

/** Counts of an environment, or of all; undefined when the node has none to give. */
export async function countEvents(node: ChaosNode, environment?: string): Promise<number | undefined> {
  const filter = environment === undefined ? '' : `&environment=${environment}`;
  const { status, body } = await call(node, 'GET', `/metrics/events?limit=10000${filter}`);
  if (status !== 200) return undefined;
  return (body!.results as { value: number }[]).reduce((sum, { value }) => sum + value, 0);
}

type Row = { event_id: string | null; device_id: string };

/** Acknowledged = stored = counted; unacknowledged events without an id are stored at most once. */
export async function judge({ nodes, database }: World, ledger: Ledger): Promise<string[]> {
  const client = new pg.Client(database.connection);
  await client.connect();
  const { rows } = await client.query<Row>('select event_id, device_id from events');
  await client.end();
  const counts = await Promise.all(nodes.map((node) => countEvents(node)));
  const named = rows.filter(({ event_id: id }) => id !== null);
  console.log(
    `Acknowledged ${ledger.acknowledged.size} with ids, in ${ledger.posts.size} posts without; ` +
      `stored ${named.length} and ${rows.length - named.length}; counted ${counts.join(', ')}.`,
  );
  return [
    ...counts
      .filter((count) => count !== rows.length)
      .map((count) => `${count} of ${rows.length} are counted.`),
    ...judgeNamed(ledger, named),
    ...judgePosts(
      ledger,
      rows.filter(({ event_id: id }) => id === null),
    ),
  ];
}

function judgeNamed({ acknowledged }: Ledger, rows: readonly Row[]): string[] {
  const stored = new Set(rows.map((row) => row.event_id));
  const lost = [...acknowledged].filter((id) => !stored.has(id));
  const complaints: string[] = [];
  if (lost.length > 0) complaints.push(`${lost.length} acknowledged events are lost, e.g. ${lost[0]}.`);
  if (stored.size !== rows.length) complaints.push(`${rows.length - stored.size} events are stored twice.`);
  if (rows.length !== acknowledged.size) complaints.push(`${rows.length} events with ids are stored.`);
  return complaints;
}

function judgePosts({ posts }: Ledger, rows: readonly Row[]): string[] {
  const stored = Map.groupBy(rows, (row) => row.device_id);
  return [...posts].flatMap(([device, { size, isAcknowledged }]) => {
    const count = stored.get(device)?.length ?? 0;
    const isRight = count === size || (count === 0 && !isAcknowledged);
    const word = isAcknowledged ? 'acknowledged' : 'sent';
    return isRight ? [] : [`Of ${size} events that were ${word} without ids ${count} are stored.`];
  });
}
