/**
 * Stores standing interests: followers of the outbox that find new items, and the announcements of
 * these items, which are changes themselves.
 *
 * One node works for an interest while it holds the lease, so frequency caps hold. Each statement
 * that announces needs the lease.
 */

import { type RawBuilder, sql } from 'kysely';
import { type Actor, insertAuditEntry } from '../audit/audit-entries.ts';
import { type Database, queryRaw } from '../database.ts';
import { appendedChange, bucketOfChanges, type ChangePosition } from './changes.ts';

export type InterestName = { environment: string; interestId: string };

export type Interest = InterestName & { document: unknown; position: ChangePosition; createdAt: Date };

/** Items count as new for so long after their publication; they are announced once. */
const newFor = sql`interval '7 days'`;

/** An item that has waited longer is not announced any more. */
const longestWait = sql`interval '1 day'`;

/** Exceeds the time of finding the users of one item. */
const lease = sql<Date>`clock_timestamp() + interval '60 seconds'`;

const isFree = sql<boolean>`enabled and coalesce(leased_until < clock_timestamp(), true)`;

const isDue = sql`not done
  and due_at between clock_timestamp() - ${longestWait} and clock_timestamp()`;

const columns = [
  ...(['environment', 'interest_id as interestId'] as const),
  ...(['document', 'position', 'created_at as createdAt'] as const),
] as const;

const selectInterests = ({ kysely }: Database) =>
  kysely.selectFrom('interests').select(columns).$narrowType<{ position: ChangePosition }>();

/** Stores an interest; returns false when it is new and the environment has `most` already. */
export async function putInterest(
  db: Database,
  {
    environment,
    interestId,
    document,
    enabled,
    position,
  }: Omit<Interest, 'createdAt'> & { enabled: boolean },
  most: number,
  actor: Actor,
): Promise<boolean> {
  const known = await listInterests(db, environment);
  if (known.length >= most && !known.some((one) => one.interestId === interestId)) return false;
  await queryRaw(
    db,
    sql`
    insert into interests as known (environment, interest_id, document, enabled, position)
    values (${environment}, ${interestId}, ${JSON.stringify(document)}, ${enabled}, ${JSON.stringify(position)})
    on conflict (environment, interest_id) do update set document = excluded.document, enabled = excluded.enabled,
      position = case when known.enabled then known.position else excluded.position end`,
  );
  const resource = `interests/${interestId}`;
  const after = document as object;
  await insertAuditEntry(db, { ...actor, action: 'interests.put', resource, environment, after });
  return true;
}

/** Lists the interests of an environment in the order of their IDs. */
export function listInterests(db: Database, environment: string): Promise<Interest[]> {
  return selectInterests(db).where('environment', '=', environment).orderBy('interest_id').execute();
}

/** Returns whether it existed. */
export async function deleteInterest(
  db: Database,
  { environment, interestId }: InterestName,
  actor: Actor,
): Promise<boolean> {
  const { numDeletedRows } = await db.kysely
    .deleteFrom('interests')
    .where('environment', '=', environment)
    .where('interest_id', '=', interestId)
    .executeTakeFirst();
  const resource = `interests/${interestId}`;
  if (numDeletedRows > 0n)
    await insertAuditEntry(db, { ...actor, action: 'interests.delete', resource, environment });
  return numDeletedRows > 0n;
}

/** Lists interests that no node works for, and whether an item waits for each. */
export function listFreeInterests(
  db: Database,
  environments: readonly string[],
): Promise<(Interest & { hasDue: boolean })[]> {
  return selectInterests(db)
    .select(
      sql<boolean>`exists (select from interest_items as items where items.environment = interests.environment
        and items.interest_id = interests.interest_id and ${isDue})`.as('hasDue'),
    )
    .where('environment', 'in', environments)
    .where(isFree)
    .execute();
}

/** Takes the lease; undefined when another node was faster. */
export function claimInterest(
  db: Database,
  { environment, interestId }: InterestName,
  node: string,
): Promise<Interest | undefined> {
  return db.kysely
    .updateTable('interests')
    .set({ node, leased_until: lease })
    .where('environment', '=', environment)
    .where('interest_id', '=', interestId)
    .where(isFree)
    .returning(columns)
    .$narrowType<{ position: ChangePosition }>()
    .executeTakeFirst();
}

/** Gives the lease back, and forgets items that cannot be new any more. */
export async function releaseInterest(db: Database, name: InterestName, node: string): Promise<void> {
  await queryRaw(
    db,
    sql`
    with ${held(name, node, sql`leased_until = null`)}
    delete from interest_items as items using held
    where items.environment = held.environment and items.interest_id = held.interest_id
      and due_at < clock_timestamp() - ${newFor} - ${longestWait}`,
  );
}

/** The part of a statement that needs the lease: one row while the node holds it. */
function held({ environment, interestId }: InterestName, node: string, change: RawBuilder<unknown>) {
  return sql`held as (
    update interests set ${change}
    where environment = ${environment} and interest_id = ${interestId} and node = ${node}
      and leased_until > clock_timestamp()
    returning environment, interest_id)`;
}

export type ItemName = { itemType: string; itemId: string };

/** An item and its publication, or absent that its creation. */
export type PublishedItem = ItemName & { publishedAt: Date };

/** Returns the creation times of items of one bucket. */
export function listCreations(
  db: Database,
  { environment, bucket }: { environment: string; bucket: number },
  items: readonly ItemName[],
): Promise<PublishedItem[]> {
  return queryRaw<PublishedItem>(
    db,
    sql`
    select item_type as "itemType", item_id as "itemId", created_at as "publishedAt" from items
    where bucket = ${bucket} and environment = ${environment} and (item_type, item_id) in (
      select * from unnest(${items.map(({ itemType }) => itemType)}::text[], ${items.map(({ itemId }) => itemId)}::text[]))`,
  );
}

/**
 * Stores the position and the items that were found before it, to be announced at their publication.
 * Leaves out items that were published before the interest was created, or too long ago. Returns
 * false when the lease is lost.
 */
export async function noteItems(
  db: Database,
  { position, createdAt, ...name }: Interest,
  node: string,
  items: readonly PublishedItem[],
): Promise<boolean> {
  const change = sql`leased_until = ${lease}, position = ${JSON.stringify(position)}`;
  const rows = await queryRaw(
    db,
    sql`
    with ${held(name, node, change)}, noted as (
      insert into interest_items as known (environment, interest_id, item_type, item_id, due_at)
      select environment, interest_id, item_type, item_id, greatest(published_at, clock_timestamp())
      from held cross join unnest(${items.map(({ itemType }) => itemType)}::text[],
        ${items.map(({ itemId }) => itemId)}::text[], ${items.map(({ publishedAt }) => publishedAt)}::timestamptz[])
        as found(item_type, item_id, published_at)
      where published_at > greatest(${createdAt}::timestamptz, clock_timestamp() - ${newFor})
      on conflict (environment, interest_id, item_type, item_id) do update set due_at = excluded.due_at
        where not known.done)
    select from held`,
  );
  return rows.length > 0;
}

/** Returns the waiting item that was published last. */
export async function findDueItem(db: Database, name: InterestName): Promise<ItemName | undefined> {
  const rows = await queryRaw<ItemName>(
    db,
    sql`
    select item_type as "itemType", item_id as "itemId" from interest_items
    where environment = ${name.environment} and interest_id = ${name.interestId} and ${isDue}
    order by due_at desc limit 1`,
  );
  return rows[0];
}

/** Appends the changes that announce an item, once. Returns false when the lease is lost. */
export async function announceItem(
  db: Database,
  name: InterestName,
  node: string,
  item: ItemName,
  changes: readonly object[],
): Promise<boolean> {
  const bucket = await bucketOfChanges(db, name.environment);
  const change = appendedChange({
    ...{ bucket, environment: sql`environment`, kind: 'interest.matched', data: sql`data::json` },
  });
  const rows = await queryRaw(
    db,
    sql`
    with ${held(name, node, sql`leased_until = ${lease}`)}, announced as (
      update interest_items as items set done = true from held
      where items.environment = held.environment and items.interest_id = held.interest_id
        and item_type = ${item.itemType} and item_id = ${item.itemId} and not done
      returning items.environment)
    select ${change} from announced
      cross join unnest(${changes.map((data) => JSON.stringify(data))}::text[]) as parts(data)
    union all select 0 from held`,
  );
  return rows.length > 0;
}

export type FrequencyCap = InterestName & { itemsPerUser: number; periodHours: number };

/** Lists the users that have got as many items of an interest in the period as they may. */
export async function listCappedUsers(
  db: Database,
  { environment, interestId, itemsPerUser, periodHours }: FrequencyCap,
): Promise<string[]> {
  const bucket = await bucketOfChanges(db, environment);
  const rows = await queryRaw<{ userId: string }>(
    db,
    sql`
    select user_id as "userId" from changes, json_array_elements_text(data -> 'user_ids') as user_id
    where bucket = ${bucket} and environment = ${environment} and kind = 'interest.matched'
      and changed_at > clock_timestamp() - ${periodHours} * interval '1 hour'
      and data ->> 'interest_id' = ${interestId}
    group by user_id having count(*) >= ${itemsPerUser}`,
  );
  return rows.map(({ userId }) => userId);
}
