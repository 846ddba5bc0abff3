/** Facts about the whole installation, such as "the demo's data is loaded". */
import type { Database } from './database.ts';

/** Undefined when the setting was never made. */
export async function findSetting(db: Database, key: string): Promise<unknown> {
  const found = db.kysely.selectFrom('settings').select('value').where('key', '=', key);
  return (await found.executeTakeFirst())?.value;
}

/** `value` is any JSON value but undefined. */
export async function upsertSetting(db: Database, key: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await db.kysely
    .insertInto('settings')
    .values({ key, value: text })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text }))
    .execute();
}

/** True for the one caller who makes the setting: of nodes that start together, one gets the task. */
export async function insertSetting(db: Database, key: string, value: unknown): Promise<boolean> {
  const insert = db.kysely.insertInto('settings').values({ key, value: JSON.stringify(value) });
  const result = await insert.onConflict((conflict) => conflict.doNothing()).executeTakeFirst();
  return result.numInsertedOrUpdatedRows === 1n;
}
