/** Items as they were sent, with their status. Every write increments the item's revision. */
import { sql } from 'kysely';
import pg from 'pg';
import { findBucket, forEachBucket, listBuckets } from '../buckets.ts';
import { streamBytes } from '../copy-rows.ts';
import { type Database, query, queryRaw } from '../database.ts';
import { columnsOf } from '../encode-values.ts';
import { type FeedEnd, listFeedEnds } from '../feeds.ts';

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
  bucket: number;
  /** Place of the last write in the feed of the bucket, in the order of commit. */
  number: number;
};

/** The columns that reads and writes return. */
export const itemColumns = `environment, item_type as "itemType", item_id as "itemId", document, enabled, revision,
  created_at as "createdAt", updated_at as "updatedAt", bucket, number`;

const maxPageSize = 5_000;

/** The parts of its key that an item's bucket depends on. */
export const keyValues = (key: ItemKey): [string, string, string] => [
  key.environment,
  key.itemType,
  key.itemId,
];

const findStatement = `
select ${itemColumns} from items
where bucket = $1 and environment = $2 and item_type = $3 and item_id = $4`;

export async function findItem(db: Database, key: ItemKey): Promise<ItemRow | undefined> {
  const values = [await findBucket(db, ...keyValues(key)), ...keyValues(key)];
  return (await query<ItemRow>(db, 'find-item', findStatement, values))[0];
}

const upsertStatement = `select ${itemColumns} from upsert_items($1, $2, $3, $4, $5, $6)`;

/**
 * Replaces whole documents, those of a bucket in one transaction. Returns rows in the order given;
 * of equal keys the last is stored. When one bucket fails, the others may still be stored.
 */
export async function upsertItems(db: Database, items: ItemWrite[]): Promise<ItemRow[]> {
  return forEachBucket(db, items, keyValues, async (bucket, ofBucket) => {
    const distinct = [...new Map(ofBucket.map((item) => [keyText(item), item])).values()];
    const values = [
      bucket,
      ...columnsOf(distinct, 'environment', 'itemType', 'itemId'),
      distinct.map(({ document }) => JSON.stringify(document)),
      ...columnsOf(distinct, 'enabled'),
    ];
    const rows = await query<ItemRow>(db, 'upsert-items', upsertStatement, values);
    return inOrder(ofBucket, rows) as ItemRow[];
  });
}

/** Returns the rows in the order of their keys; undefined for a key without a row. */
export function inOrder(keys: readonly ItemKey[], rows: readonly ItemRow[]): (ItemRow | undefined)[] {
  const rowsByKey = new Map(rows.map((row) => [keyText(row), row]));
  return keys.map((key) => rowsByKey.get(keyText(key)));
}

/** Increments the revision of an unchanged item; undefined when it is unknown. */
export function touchItem(db: Database, key: ItemKey): Promise<ItemRow | undefined> {
  return writeEnabled(db, key, null);
}

/** Returns undefined when the item is unknown. */
export const setItemEnabled: (db: Database, key: ItemKey, enabled: boolean) => Promise<ItemRow | undefined> =
  writeEnabled;

const setEnabledStatement = `select ${itemColumns} from set_item_enabled($1, $2, $3, $4, $5)`;

async function writeEnabled(
  db: Database,
  key: ItemKey,
  enabled: boolean | null,
): Promise<ItemRow | undefined> {
  const values = [await findBucket(db, ...keyValues(key)), ...keyValues(key), enabled];
  return (await query<ItemRow>(db, 'set-item-enabled', setEnabledStatement, values))[0];
}

type ItemPage = {
  environment: string;
  itemType?: string;
  /** The last item of the previous page. */
  after?: Pick<ItemKey, 'itemType' | 'itemId'>;
  limit: number;
};

/** Lists one page of an environment's items in the order of type and ID. */
export async function listItems(db: Database, page: ItemPage): Promise<ItemRow[]> {
  return queryRaw<ItemRow>(db, sql`select ${sql.raw(itemColumns)} from items ${await placeOf(db, page)}`);
}

async function placeOf(db: Database, { environment, itemType, after, limit }: ItemPage) {
  return sql`
    where bucket = any(${await listBuckets(db)}) and environment = ${environment}
      and (item_type, item_id) > (${after?.itemType ?? ''}, ${after?.itemId ?? ''})
      ${itemType === undefined ? sql`` : sql`and item_type = ${itemType}`}
    order by item_type, item_id limit ${Math.min(limit, maxPageSize)}`;
}

/** A batch of a stream ends with the document that reaches this size; two batches are in memory. */
const bytesPerBatch = 16_000_000;
/** Items of unknown size. */
const firstBatch = 500;

/** Streams an environment's items in the order of type and ID, in batches of bounded size, reading one ahead. */
export function streamItems(db: Database, environment: string): AsyncGenerator<ItemRow[], void, undefined> {
  return readAhead(itemBatches(db, environment));
}

async function* itemBatches(db: Database, environment: string): AsyncGenerator<ItemRow[], void, undefined> {
  let rows = await readBatch(db, { environment, limit: firstBatch });
  while (rows.length > 0) {
    yield rows;
    /** The database measures all that the limit allows, so it is little more than a batch. */
    const limit = Math.min(2 * rows.length, maxPageSize);
    rows = await readBatch(db, { environment, after: rows.at(-1), limit });
  }
}

async function readBatch(db: Database, page: ItemPage): Promise<ItemRow[]> {
  const statement = sql`
    select ${sql.raw(itemColumns)} from (
      select *, sum(octet_length(document::text)) over (
        order by item_type, item_id rows between unbounded preceding and 1 preceding) as bytes_before
      from (select * from items ${await placeOf(db, page)}) as found
    ) as measured
    where coalesce(bytes_before, 0) < ${bytesPerBatch} order by item_type, item_id`;
  return queryRaw<ItemRow>(db, statement);
}

/** The part of an item that replicas hold. */
export type ItemState = Omit<ItemRow, 'createdAt' | 'updatedAt'>;

type StateTuple = [
  itemType: string,
  itemId: string,
  enabled: boolean,
  revision: number,
  number: number,
  document: unknown,
];

/** Items in one row of COPY: a row for each would cost a fifth of reading an item. */
const itemsPerText = 50;

/** Size of a statement's result. Two are in memory: the database works on one while the other is used. */
const bytesPerPage = 4_000_000;
/** Items of unknown size. */
const firstPage = 500;
/** A page ends here when its items are larger than those of the page before. */
const mostBytesPerPage = 2 * bytesPerPage;

type StatePage = { bucket: number; texts: Buffer[] };

/**
 * Streams an environment's items to a replica, bucket by bucket. COPY of JSON texts takes half the
 * time of rows with columns. No statement waits for the reader.
 */
export async function* streamItemStates(
  db: Database,
  environment: string,
): AsyncGenerator<ItemState[], void, undefined> {
  for await (const { bucket, texts } of readAhead(statePages(db, environment)))
    for (const text of texts) yield tuplesOf(text).map((state) => stateOf(state, environment, bucket));
}

/** Reads by index: destructuring by an iterator allocates an object for each part. */
function stateOf(state: StateTuple, environment: string, bucket: number): ItemState {
  return {
    environment,
    itemType: state[0],
    itemId: state[1],
    enabled: state[2],
    revision: state[3],
    bucket,
    number: state[4],
    document: state[5],
  };
}

const tuplesOf = (text: Buffer): StateTuple[] => JSON.parse(text.toString());

async function* statePages(db: Database, environment: string): AsyncGenerator<StatePage, void, undefined> {
  let limit = firstPage;
  for (const bucket of await listBuckets(db)) {
    let after: [string, string] = ['', ''];
    for (let isLast = false; !isLast; ) {
      const { texts, bytes } = await readStates(db, { environment, bucket, after, limit });
      if (texts.length === 0) break;
      yield { bucket, texts };
      const last = tuplesOf(texts.at(-1)!);
      const count = (texts.length - 1) * itemsPerText + last.length;
      isLast = count < limit && bytes < mostBytesPerPage;
      after = [last.at(-1)![0], last.at(-1)![1]];
      limit = Math.ceil(Math.min((bytesPerPage * count) / bytes, maxPageSize));
    }
  }
}

async function readStates(db: Database, place: PlaceOfStates): Promise<{ texts: Buffer[]; bytes: number }> {
  const texts: Buffer[] = [];
  let bytes = 0;
  for await (const text of streamBytes(db, selectStates(place))) {
    texts.push(text);
    bytes += text.length;
    if (bytes >= mostBytesPerPage) break;
  }
  return { texts, bytes };
}

type PlaceOfStates = { environment: string; bucket: number; after: [string, string]; limit: number };

const selectStates = ({ environment, bucket, after: [itemType, itemId], limit }: PlaceOfStates) => `
  select convert_to('[' || string_agg(state, ',' order by place) || ']', 'UTF8') from (
    select concat('[', to_json(item_type), ',', to_json(item_id), ',', to_json(enabled), ',', revision, ',',
        number, ',', document, ']') as state,
      row_number() over (order by item_type, item_id) - 1 as place
    from items
    where bucket = ${bucket} and environment = ${pg.escapeLiteral(environment)}
      and (item_type, item_id) > (${pg.escapeLiteral(itemType)}, ${pg.escapeLiteral(itemId)})
    order by item_type, item_id limit ${limit}
  ) as states group by place / ${itemsPerText} order by place / ${itemsPerText}`;

/** Requests the next value before the last one is used. */
async function* readAhead<Value>(source: AsyncGenerator<Value, void, undefined>): AsyncGenerator<Value> {
  let next = source.next();
  try {
    for (let one = await next; !one.done; one = await next) {
      next = source.next();
      /** The failure is thrown when this value is requested. */
      next.catch(() => undefined);
      yield one.value;
    }
  } finally {
    await source.return();
  }
}

export async function listItemFeedEnds(db: Database): Promise<FeedEnd[]> {
  return listFeedEnds(db, 'items', await listBuckets(db));
}

type ItemChangesPage = {
  bucket: number;
  environments: readonly string[];
  sinceNumber: number;
  /** Numbers that the follower has already. */
  known: readonly number[];
  limit: number;
};

const changesStatement = `
select ${itemColumns} from items
where bucket = $1 and number > $2 and number <> all($3::bigint[]) and environment = any($5)
order by number limit $4`;

/** Lists items in the order of their last writes; earlier writes of an item are skipped. */
export async function listChangedItems(db: Database, page: ItemChangesPage): Promise<ItemRow[]> {
  const values = [page.bucket, page.sinceNumber, page.known, page.limit, page.environments];
  return query<ItemRow>(db, 'list-changed-items', changesStatement, values);
}

export function listItemsWithoutImages(
  db: Database,
  environment: string,
): Promise<Pick<ItemKey, 'itemType' | 'itemId'>[]> {
  return db.kysely
    .selectFrom('items')
    .select(['item_type as itemType', 'item_id as itemId'])
    .where('environment', '=', environment)
    .where(sql<boolean>`coalesce(document ->> 'images', '[]') = '[]'`)
    .execute();
}

export function keyText({ environment, itemType, itemId }: ItemKey): string {
  return JSON.stringify([environment, itemType, itemId]);
}
