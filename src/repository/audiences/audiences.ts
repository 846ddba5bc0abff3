/** Audiences that were computed: kept for a while, read page by page on any node. */

import { sql } from 'kysely';
import type { Database } from '../database.ts';

/** People a row: a page of a thousand reads one or two. */
export const membersPerChunk = 1_000;

/** Rows a statement; about 3 MB of parameters. */
const chunksPerStatement = 100;

/** Kept per environment; the oldest go first. */
const mostAudiences = 1_000;

/** `u:` or `d:` and the id, and the score. */
export type MemberRow = [subject: string, score: number];

export type AudienceRow = {
  environment: string;
  audienceId: string;
  audienceName: string;
  integrationType: string;
  /** What the audience was asked for: a JSON value. */
  request: unknown;
  memberCount: number;
  heldOutCount: number;
  createdAt: Date;
  expiresAt: Date;
};

export type AudienceWrite = Omit<AudienceRow, 'memberCount' | 'heldOutCount' | 'createdAt'> & {
  members: readonly MemberRow[];
  heldOut: readonly MemberRow[];
};

export type MemberPage = {
  environment: string;
  audienceId: string;
  heldOut: boolean;
  /** From 0. */
  offset: number;
  limit: number;
};

/** Stores an audience as a whole or not at all, and forgets the environment's oldest beyond the number kept. */
export async function insertAudience(db: Database, audience: AudienceWrite): Promise<void> {
  const { environment, audienceId, audienceName, integrationType, request, members, heldOut } = audience;
  await db.kysely.transaction().execute(async (transaction) => {
    await transaction
      .insertInto('audiences')
      .values({
        environment,
        audience_id: audienceId,
        audience_name: audienceName,
        integration_type: integrationType,
        request: JSON.stringify(request),
        member_count: members.length,
        held_out_count: heldOut.length,
        expires_at: audience.expiresAt,
      })
      .execute();
    for (const { isHeldOut, first, texts } of [...batches(members, false), ...batches(heldOut, true)]) {
      await sql`
        insert into audience_members (environment, audience_id, held_out, chunk, members)
        select ${environment}, ${audienceId}, ${isHeldOut}, ${first} + ordinal - 1, members
        from unnest(${texts()}::text[]) with ordinality as chunks(members, ordinal)`.execute(transaction);
    }
    const newest = transaction.selectFrom('audiences').where('environment', '=', environment);
    const lastKept = newest
      .select('created_at')
      .orderBy('created_at', 'desc')
      .offset(mostAudiences - 1);
    await transaction
      .deleteFrom('audiences')
      .where('environment', '=', environment)
      .where('created_at', '<', lastKept.limit(1))
      .execute();
  });
}

/** Texts are made one statement at a time, so that memory holds one statement's. */
function batches(members: readonly MemberRow[], isHeldOut: boolean) {
  const chunkCount = Math.ceil(members.length / membersPerChunk);
  return Array.from({ length: Math.ceil(chunkCount / chunksPerStatement) }, (_, batch) => {
    const first = batch * chunksPerStatement;
    const count = Math.min(chunksPerStatement, chunkCount - first);
    const textOf = (chunk: number) =>
      JSON.stringify(members.slice(chunk * membersPerChunk, (chunk + 1) * membersPerChunk));
    return { isHeldOut, first, texts: () => Array.from({ length: count }, (_, i) => textOf(first + i)) };
  });
}

function selectAudiences({ kysely }: Database) {
  return kysely
    .selectFrom('audiences')
    .select(['environment', 'request'])
    .select([
      'audience_id as audienceId',
      'audience_name as audienceName',
      'integration_type as integrationType',
    ])
    .select(['member_count as memberCount', 'held_out_count as heldOutCount'])
    .select(['created_at as createdAt', 'expires_at as expiresAt']);
}

/** Undefined when it was never stored or has expired. */
export async function findAudience(
  db: Database,
  environment: string,
  audienceId: string,
): Promise<AudienceRow | undefined> {
  return selectAudiences(db)
    .where('environment', '=', environment)
    .where('audience_id', '=', audienceId)
    .where('expires_at', '>', sql<Date>`now()`)
    .executeTakeFirst();
}

/** Where an audience stands among all: when it was stored, in microseconds since 1970, and its id. */
export type AudienceKey = [createdAtUs: number, audienceId: string];

/** Those that have not expired, the latest first. */
export async function listAudiences(
  db: Database,
  environment: string,
  limit: number,
  after?: AudienceKey,
): Promise<(AudienceRow & { createdAtUs: number })[]> {
  const isAfter = after
    ? sql<boolean>`(created_at, audience_id) < ('epoch'::timestamptz + ${after[0]}::float8 * interval '1 microsecond', ${after[1]})`
    : sql<boolean>`true`;
  return selectAudiences(db)
    .select(({ cast }) =>
      cast<number>(sql`extract(epoch from created_at) * 1000000`, 'bigint').as('createdAtUs'),
    )
    .where('environment', '=', environment)
    .where('expires_at', '>', sql<Date>`now()`)
    .where(isAfter)
    .orderBy('created_at', 'desc')
    .orderBy('audience_id', 'desc')
    .limit(limit)
    .execute();
}

/** Environments that have an audience which has not expired. */
export async function listAudienceEnvironments({ kysely }: Database): Promise<string[]> {
  const rows = await kysely
    .selectFrom('audiences')
    .select('environment')
    .distinct()
    .where('expires_at', '>', sql<Date>`now()`)
    .execute();
  return rows.map(({ environment }) => environment);
}

/** Best first; fewer than `limit` at the end, and where somebody was deleted since: nobody else moves up. */
export async function listMembers(db: Database, page: MemberPage): Promise<MemberRow[]> {
  const { environment, audienceId, heldOut, offset, limit } = page;
  const first = Math.floor(offset / membersPerChunk);
  const last = Math.floor((offset + limit - 1) / membersPerChunk);
  const rows = await db.kysely
    .selectFrom('audience_members')
    .select('members')
    .where('environment', '=', environment)
    .where('audience_id', '=', audienceId)
    .where('held_out', '=', heldOut)
    .where('chunk', '>=', first)
    .where('chunk', '<=', last)
    .orderBy('chunk')
    .execute();
  const start = offset - first * membersPerChunk;
  const places = rows.flatMap(({ members }) => JSON.parse(members) as (MemberRow | null)[]);
  return places.slice(start, start + limit).filter((member) => member !== null);
}

/** Deletes at most `limit` expired audiences and returns how many; several nodes may do so at once. */
export async function deleteExpiredAudiences(db: Database, limit: number): Promise<number> {
  const expired = db.kysely
    .selectFrom('audiences')
    .select(['environment', 'audience_id'])
    .where('expires_at', '<=', sql<Date>`now()`)
    .orderBy('expires_at')
    .limit(limit)
    .forUpdate()
    .skipLocked();
  const { numDeletedRows } = await db.kysely
    .deleteFrom('audiences')
    .where(({ eb, refTuple }) =>
      eb(refTuple('environment', 'audience_id'), 'in', expired.$asTuple('environment', 'audience_id')),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
