/** Settings of the whole installation, such as "the demo's data is loaded". */
import type { Database } from './database.ts';

/** Returns undefined when the setting does not exist. */
export async function findSetting(db: Database, key: string): Promise<unknown> {
  const found = db.kysely.selectFrom('settings').select('value').where('key', '=', key);
  return (await found.executeTakeFirst())?.value;
}

/** @param value Any JSON value. */
export async function upsertSetting(db: Database, key: string, value: unknown): Promise<void> {
  const text = JSON.stringify(value);
  await db.kysely
    .insertInto('settings')
    .values({ key, value: text })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: text }))
    .execute();
}
