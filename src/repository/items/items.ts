/** Items as they were sent, with their status. Every write takes the row's next revision. */
import { sql } from 'kysely';
import pg from 'pg';
import { type Changes, horizonExpression, type Xid } from '../change-feed.ts';
import { streamBytes } from '../copy/byte-copy.ts';
import { type Database, query } from '../database.ts';

export type ItemKey = { environment: string; itemType: string; itemId: string };

export type ItemWrite = ItemKey & {
  /** A JSON object in the shape of the public interface. */
  document: unknown;
  /** Absent: a known item keeps its status, a new one is enabled. */
  enabled?: boolean;
};

export type ItemRow = ItemKey & {
  document: unknown;
  enabled: boolean;
  /** Counts the writes of this item, from 1. */
  revision: number;
  createdAt: Date;
  updatedAt: Date;
};

/** Rows of one page of a listing at most. */
const maxPageSize = 5_000;

const columns = `items.environment, items.item_type as "itemType", items.item_id as "itemId", items.document,
  items.enabled, items.revision, items.created_at as "createdAt", items.updated_at as "updatedAt"`;

const nextRevision = 'revision = items.revision + 1, updated_at = now(), changed_xid = pg_current_xact_id()';

const findStatement = `
select ${columns} from items where environment = $1 and item_type = $2 and item_id = $3`;

export async function findItem(db: Database, key: ItemKey): Promise<ItemRow | undefined> {
  const rows = await query<ItemRow>(db, { name: 'find-item', text: findStatement, values: keyValues(key) });
  return rows[0];
}

export async function upsertItem(db: Database, item: ItemWrite): Promise<ItemRow> {
  const [row] = await upsertItems(db, [item]);
  return row;
}

/**
 * One insert for rows that keep a known item's status and one for rows that bring their own; no item is in both.
 * Locked in the order of keys, so that two bulk loads of the same items cannot wait for each other.
 */
const upsertStatement = `
with input as materialized (
  select * from unnest($1::text[], $2::text[], $3::text[], $4::json[], $5::boolean[])
    as input(environment, item_type, item_id, document, enabled)
  order by environment collate "C", item_type collate "C", item_id collate "C"
),
keeping as (
  insert into items (environment, item_type, item_id, document)
  select environment, item_type, item_id, document from input where enabled is null
  on conflict (environment, item_type, item_id) do update set document = excluded.document, ${nextRevision}
  returning ${columns}
),
bringing as (
  insert into items (environment, item_type, item_id, document, enabled)
  select environment, item_type, item_id, document, enabled from input where enabled is not null
  on conflict (environment, item_type, item_id) do update
    set document = excluded.document, enabled = excluded.enabled, ${nextRevision}
  returning ${columns}
)
select * from keeping union all select * from bringing`;

/** Replaces whole documents in one transaction. Answers in the order given; of equal keys the last is stored. */
export async function upsertItems(db: Database, items: ItemWrite[]): Promise<ItemRow[]> {
  const distinct = [...new Map(items.map((item) => [keyText(item), item])).values()];
  if (distinct.length === 0) return [];
  const values = [
    distinct.map((item) => item.environment),
    distinct.map((item) => item.itemType),
    distinct.map((item) => item.itemId),
    distinct.map((item) => JSON.stringify(item.document)),
    distinct.map((item) => item.enabled ?? null),
  ];
  const rows = await query<ItemRow>(db, { name: 'upsert-items', text: upsertStatement, values });
  const rowsByKey = new Map(rows.map((row) => [keyText(row), row]));
  return items.map((item) => rowsByKey.get(keyText(item))!);
}

const touchStatement = `
update items set ${nextRevision} where environment = $1 and item_type = $2 and item_id = $3 returning ${columns}`;

/** Marks a known item as written, unchanged; undefined when it is unknown. */
export async function touchItem(db: Database, key: ItemKey): Promise<ItemRow | undefined> {
  const rows = await query<ItemRow>(db, { name: 'touch-item', text: touchStatement, values: keyValues(key) });
  return rows[0];
}

const setEnabledStatement = `
update items set enabled = $4, ${nextRevision}
where environment = $1 and item_type = $2 and item_id = $3 returning ${columns}`;

/** Undefined when the item is unknown. */
export async function setItemEnabled(
  db: Database,
  key: ItemKey,
  enabled: boolean,
): Promise<ItemRow | undefined> {
  const values = [...keyValues(key), enabled];
  const rows = await query<ItemRow>(db, { name: 'set-item-enabled', text: setEnabledStatement, values });
  return rows[0];
}

export type ItemPage = {
  environment: string;
  itemType?: string;
  /** The last item of the page before. */
  after?: Pick<ItemKey, 'itemType' | 'itemId'>;
  /** At most 5000. */
  limit: number;
};

/** An environment's items in the order of type and id, one page. */
export async function listItems(db: Database, page: ItemPage): Promise<ItemRow[]> {
  const { environment, itemType, after, limit } = page;
  const { rows } = await sql<ItemRow>`
    select ${sql.raw(columns)} from items
    where environment = ${environment}
      and (item_type, item_id) > (${after?.itemType ?? ''}, ${after?.itemId ?? ''})
      ${itemType === undefined ? sql`` : sql`and item_type = ${itemType}`}
    order by item_type, item_id limit ${Math.min(limit, maxPageSize)}`.execute(db.kysely);
  return rows;
}

/** An environment's items in batches of bounded size, read one ahead. */
export async function* streamItems(
  db: Database,
  environment: string,
): AsyncGenerator<ItemRow[], void, undefined> {
  let reading = listItems(db, { environment, limit: maxPageSize });
  while (true) {
    const rows = await reading;
    const isLast = rows.length < maxPageSize;
    if (!isLast) {
      reading = listItems(db, { environment, after: rows[rows.length - 1], limit: maxPageSize });
      // Whoever stops early does not hear of its failure.
      reading.catch(() => undefined);
    }
    if (rows.length > 0) yield rows;
    if (isLast) return;
  }
}

/** What a replica holds of an item. */
export type ItemState = Omit<ItemRow, 'createdAt' | 'updatedAt'>;

type StateTuple = [itemType: string, itemId: string, enabled: boolean, revision: number, document: unknown];

/**
 * An environment's items for a replica, by COPY of one JSON text each: half the work of rows with columns, of which reading the
 * moments alone is a tenth.
 */
export async function* streamItemStates(
  db: Database,
  environment: string,
): AsyncGenerator<ItemState, void, undefined> {
  const select = `
    select convert_to(json_build_array(item_type, item_id, enabled, revision, document)::text, 'UTF8') from items
    where environment = ${pg.escapeLiteral(environment)} order by item_type, item_id`;
  for await (const bytes of streamBytes(db, select)) {
    const [itemType, itemId, enabled, revision, document]: StateTuple = JSON.parse(bytes.toString());
    yield { environment, itemType, itemId, enabled, revision, document };
  }
}

/**
 * Every item of any environment changed since the horizon of the read before; see change-feed.ts.
 * An item may come again: apply it when its revision is higher than the one known.
 */
export async function listChangedItems(db: Database, sinceXid: Xid): Promise<Changes<ItemRow>> {
  const { rows } = await sql<ItemRow & { horizonXid: Xid }>`
    select horizon.xid as "horizonXid", ${sql.raw(columns)}
    from (select ${horizonExpression} as xid) as horizon
    left join items on items.changed_xid >= ${sinceXid}::xid8`.execute(db.kysely);
  return { rows: rows.filter((row) => row.itemId !== null), horizonXid: rows[0].horizonXid };
}

function keyValues(key: ItemKey): string[] {
  return [key.environment, key.itemType, key.itemId];
}

function keyText(key: ItemKey): string {
  return JSON.stringify(keyValues(key));
}
