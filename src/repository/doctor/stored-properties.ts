import { sql } from 'kysely';
import type { Database } from '../database.ts';
import { runTimedQuery } from './timed-query.ts';

/** Items of a type that have values of a property, by the kind of the values. */
export type StoredProperty = {
  environment: string;
  itemType: string;
  /** Empty for all items of the type. */
  name: string;
  /** A type of JSON, or `datetime` for a string that begins like one. */
  kind: string;
  count: number;
};

/** Counts the items of all environments by type, and by the properties of their documents besides `fields`. */
export function listStoredProperties(
  db: Database,
  fields: readonly string[],
  timeoutMs: number,
): Promise<StoredProperty[] | undefined> {
  const statement = sql`
    select environment, item_type as "itemType", '' as name, '' as kind, count(*)::int8 as count
    from items group by environment, item_type
    union all
    select environment, item_type, name, kind, count(*)::int8 from (
      select environment, item_type, key as name, case
        when json_typeof(value) = 'string' and value #>> '{}' ~ '^\\d{4}-\\d\\d-\\d\\dT' then 'datetime'
        else json_typeof(value) end as kind
      from items cross join json_each(document) where key <> all(${fields}::text[])
    ) as held
    where kind <> 'null'
    group by environment, item_type, name, kind
    order by environment, "itemType", name, kind`;
  return runTimedQuery<StoredProperty>(db, timeoutMs, statement);
}
