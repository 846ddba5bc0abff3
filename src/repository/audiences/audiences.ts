/** Stores computed audiences until they expire; any node can read them by page. */

import { sql } from 'kysely';
import { appendedChange, bucketOfChanges } from '../changes/changes.ts';
import type { Database } from '../database.ts';
import { type PageKey, pageOf } from '../moments.ts';

/** Members per row: a page of 1,000 reads one or two rows. */
export const membersPerChunk = 1_000;

/** Rows per statement: about 3 MB of parameters. */
const chunksPerStatement = 100;

const mostAudiences = 1_000;

/** Subject (`u:USER` or `d:DEVICE`) and score. */
export type MemberRow = [subject: string, score: number];

export type AudienceRow = {
  environment: string;
  audienceId: string;
  audienceName: string;
  integrationType: string;
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

/** Stores an audience in one transaction, and deletes the environment's oldest past the maximum. */
export async function insertAudience(db: Database, audience: AudienceWrite): Promise<void> {
  const { environment, audienceId, audienceName, integrationType, request, members, heldOut } = audience;
  const bucket = await bucketOfChanges(db, environment);
  const change = appendedChange({
    ...{ bucket, environment: sql`environment`, kind: 'audience.ready' },
    data: sql`json_build_object('audience_id', audience_id, 'audience_name', audience_name,
      'member_count', member_count, 'held_out_count', held_out_count)`,
  });
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
    /** Last, since the counter of changes is locked until the commit. */
    await transaction
      .selectFrom('audiences')
      .select(change.as('change'))
      .where('environment', '=', environment)
      .where('audience_id', '=', audienceId)
      .execute();
  });
}

/** Splits members into statements, with lazy texts so that memory holds one statement's. */
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

/** Lists unexpired audiences, newest first. */
export async function listAudiences(
  db: Database,
  environment: string,
  limit: number,
  after?: PageKey,
): Promise<(AudienceRow & { createdAtUs: number })[]> {
  return selectAudiences(db)
    .where('environment', '=', environment)
    .where('expires_at', '>', sql<Date>`now()`)
    .$call(pageOf({ time: 'created_at', id: 'audience_id', as: 'createdAtUs', after, limit }))
    .execute();
}

/** Lists environments with unexpired audiences or enabled interests. */
export async function listAudienceEnvironments({ kysely }: Database): Promise<string[]> {
  const rows = await kysely
    .selectFrom('audiences')
    .select('environment')
    .where('expires_at', '>', sql<Date>`now()`)
    .union(kysely.selectFrom('interests').select('environment').where('enabled', '=', true))
    .execute();
  return rows.map(({ environment }) => environment);
}

/** Lists members, best first. Pages can be short: deleted subjects are dropped, not replaced. */
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

/** Deletes at most `limit` expired audiences and returns the count. Safe to run concurrently. */
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
