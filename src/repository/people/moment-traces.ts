/**
 * Clicks and purchases, which attribution keeps in the bucket of their item: a person's lie in all buckets, whether or not
 * their events are still there.
 */

import { listBuckets } from '../buckets.ts';
import { type Database, query } from '../database.ts';
import type { Shape } from '../row-shape.ts';
import { isTheirs, type Person, valuesOf } from './person.ts';

const where = `where bucket = $1 and environment = $2 and ${isTheirs('$3', '$4', '$5')}`;

const deleteText = (table: string) =>
  `with gone as (delete from ${table} ${where} returning 1) select count(*) from gone`;

async function queryAll<Row>(db: Database, person: Person, text: string, shape: Shape<Row>): Promise<Row[]> {
  const found: Row[] = [];
  for (const bucket of await listBuckets(db)) {
    const values = [bucket, person.environment, ...valuesOf(person)];
    found.push(...(await query(db, { name: '', text, values }, shape)));
  }
  return found;
}

async function deleteAll(db: Database, person: Person, table: string): Promise<number> {
  const counts = await queryAll<{ count: number }>(db, person, deleteText(table), { count: 'int8' });
  return counts.reduce((sum, { count }) => sum + count, 0);
}

export const deleteClicks = (db: Database, person: Person) => deleteAll(db, person, 'metric_clicks');
export const deletePurchases = (db: Database, person: Person) => deleteAll(db, person, 'metric_purchases');

const common = `'item_id', item_id, 'item_type', item_type, 'user_id', user_id, 'device_id', device_id`;

export async function listClicks(db: Database, person: Person): Promise<object[]> {
  const record = `json_build_object(${common}, 'time', to_timestamp(clicked_at / 1000.0))`;
  const rows = await queryAll<{ record: object }>(
    db,
    person,
    `select ${record} as record from metric_clicks ${where}`,
    { record: 'json' },
  );
  return rows.map(({ record: one }) => one);
}

export async function listPurchases(db: Database, person: Person): Promise<object[]> {
  const record = `json_build_object(${common}, 'time', to_timestamp(purchased_at / 1000.0),
    'items', items / 1e6, 'revenue', revenue / 1e6, 'is_attributed', dimension_id is not null)`;
  const rows = await queryAll<{ record: object }>(
    db,
    person,
    `select ${record} as record from metric_purchases ${where}`,
    { record: 'json' },
  );
  return rows.map(({ record: one }) => one);
}
