/**
 * Stores imports: the parts of the file, the progress and the outcome.
 *
 * A node commits each range of lines after it has stored the items; that is its heartbeat, too.
 * Without it the node loses the import, and the next claim continues after the last committed line.
 */

import { sql } from 'kysely';
import { bucketOfChanges } from '../changes/changes.ts';
import { type Database, execute, query } from '../database.ts';
import { type PageKey, pageOf } from '../moments.ts';
import { announceFault, endColumns } from './announce.ts';

export type ImportState = 'uploading' | 'queued' | 'running' | 'done' | 'cancelled' | 'failed';

export type ImportCounts = Record<
  'accepted' | 'fresh' | 'rejected' | 'skipped' | 'kept' | 'keptBytes',
  number
>;

export type StoredImport = {
  importId: string;
  environment: string;
  fileName: string;
  format: string;
  columns: string[];
  state: ImportState;
  partCount: number;
  mapping: string;
  itemType: string | null;
  validateOnly: boolean;
  lastLine: number;
  progress: number;
  /** Empty before the first range. */
  counts: Partial<ImportCounts>;
  /** JSON of the causes of rejections. */
  causes: unknown;
  /** Header and separator of a table; null before the first range and for other formats. */
  heading: unknown;
  failure: string | null;
  attempts: number;
  /** Claim of the node that reads the file. */
  node: string | null;
  createdAt: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  /** Null without a file. */
  expiresAt: Date | null;
};

const fileLifetime = sql`interval '1 day'`;
const lifetime = sql`interval '90 days'`;
/** A file that is being uploaded, or was used, so recently is not erased for another one. */
const idle = sql`interval '10 minutes'`;
/** A node without a commit for this long loses its import. */
const silence = sql`interval '1 minute'`;
const pauseAfterFailure = sql`interval '2 seconds'`;
const mostAttempts = 3;
const mostFiles = 5;
const mostImports = 200;
const longestFailure = 2_000;

const now = sql<Date>`clock_timestamp()`;

const columns = [
  ...(['environment', 'format', 'columns', 'state', 'mapping', 'progress', 'counts', 'causes'] as const),
  ...(['heading', 'failure', 'attempts', 'node', 'import_id as importId', 'file_name as fileName'] as const),
  ...(['part_count as partCount', 'item_type as itemType', 'validate_only as validateOnly'] as const),
  ...(['last_line as lastLine', 'created_at as createdAt', 'started_at as startedAt'] as const),
  'ended_at as endedAt',
  sql<Date | null>`case when slot is not null then updated_at + ${fileLifetime} end`.as('expiresAt'),
] as const;

type NewImport = Pick<StoredImport, 'environment' | 'fileName' | 'format' | 'columns'>;

const insertStatement = `
insert into imports (environment, file_name, format, columns, slot)
select $1, $2, $3, $4, slot from generate_series(1, ${mostFiles}) as slot
where not exists (select from imports where environment = $1 and imports.slot = slot.slot)
order by slot limit 1 on conflict do nothing returning import_id as "importId"`;

/** Inserts an import, if need be in place of the file idle for longest; undefined if none is. */
export async function insertImport(db: Database, made: NewImport): Promise<string | undefined> {
  const values = [made.environment, made.fileName, made.format, made.columns.toSorted()];
  for (let attempt = 0; attempt < mostFiles; attempt += 1) {
    const [row] = await query<{ importId: string }>(db, 'insert-import', insertStatement, values);
    if (row) return row.importId;
    await eraseIdle(db, made.environment);
  }
  return undefined;
}

/** Returns false for an unknown import, or one that was started. */
export async function storePart(
  db: Database,
  { environment, importId, part, content }: ImportName & { part: number; content: string },
): Promise<boolean> {
  const text = `
    with open as (update imports set updated_at = clock_timestamp()
      where environment = $1 and import_id::text = $2 and state = 'uploading' and slot is not null
      returning import_id)
    insert into import_parts (import_id, part, content) select import_id, $3, $4 from open
    on conflict (import_id, part) do update set content = excluded.content`;
  return (await execute(db, 'store-import-part', text, [environment, importId, part, content])) > 0;
}

export type ImportName = { environment: string; importId: string };

const selectImports = ({ kysely }: Database, environment: string) =>
  kysely
    .selectFrom('imports')
    .select(columns)
    .where('environment', '=', environment)
    .$narrowType<{ state: ImportState; counts: Partial<ImportCounts> }>();

/** IDs come from callers and may be any text. */
const isImport = (importId: string) => sql<boolean>`import_id::text = ${importId}`;

export function findImport(db: Database, { environment, importId }: ImportName) {
  return selectImports(db, environment).where(isImport(importId)).executeTakeFirst();
}

export type ListedImport = StoredImport & { createdAtUs: number };

/** Lists imports after a key, newest first. `ofColumns` is empty for imports of any columns. */
export function listImports(
  db: Database,
  { environment, ofColumns }: { environment: string; ofColumns: readonly string[] },
  limit: number,
  after?: PageKey,
): Promise<ListedImport[]> {
  return selectImports(db, environment)
    .$if(ofColumns.length > 0, (imports) =>
      imports
        .where(sql<boolean>`columns = ${ofColumns.toSorted()}::text[]`)
        .where('started_at', 'is not', null),
    )
    .$call(pageOf({ time: 'created_at', id: 'import_id', as: 'createdAtUs', after, limit }))
    .execute();
}

/** Returns the numbers of the stored parts, in order. */
export async function listParts(db: Database, importId: string): Promise<number[]> {
  const parts = db.kysely.selectFrom('import_parts').select('part').where('import_id', '=', importId);
  return (await parts.orderBy('part').execute()).map(({ part }) => part);
}

/** Returns the text of a part; undefined if the file was erased. */
export async function readPart(db: Database, importId: string, part: number): Promise<string | undefined> {
  const parts = db.kysely.selectFrom('import_parts').select('content').where('import_id', '=', importId);
  return (await parts.where('part', '=', part).executeTakeFirst())?.content;
}

export type ImportStart = Pick<StoredImport, 'partCount' | 'mapping' | 'itemType' | 'validateOnly'>;

/** Queues an import unless it waits, runs or has no file. */
export async function startImport(db: Database, importId: string, start: ImportStart): Promise<void> {
  await db.kysely.transaction().execute(async (kysely) => {
    const started = await kysely
      .updateTable('imports')
      .set({ state: 'queued', part_count: start.partCount, mapping: start.mapping })
      .set({ item_type: start.itemType, validate_only: start.validateOnly, last_line: 0, progress: 0 })
      .set({ counts: '{}', causes: '[]', heading: null, failure: null, attempts: 0, heartbeat_at: null })
      .set({ node: null, started_at: now, ended_at: null, updated_at: now })
      .where('import_id', '=', importId)
      .where('state', 'not in', ['queued', 'running'])
      .where('slot', 'is not', null)
      .executeTakeFirst();
    if (started.numUpdatedRows > 0n)
      await kysely.deleteFrom('rejected_records').where('import_id', '=', importId).execute();
  });
}

/** Claims the import with the least progress. @param claim Unique text for this claim. */
export function claimImport({ kysely }: Database, environments: readonly string[], claim: string) {
  const due = kysely
    .selectFrom('imports')
    .select('import_id')
    .where(
      sql<boolean>`environment = any(${environments}) and attempts < ${mostAttempts} and (
        state = 'queued' and coalesce(heartbeat_at <= clock_timestamp() - ${pauseAfterFailure}, true)
        or state = 'running' and heartbeat_at < clock_timestamp() - ${silence})`,
    )
    .orderBy('last_line')
    .orderBy('started_at')
    .limit(1)
    .forUpdate()
    .skipLocked();
  return kysely
    .updateTable('imports')
    .set({ state: 'running', node: claim, attempts: sql<number>`attempts + 1`, heartbeat_at: now })
    .where('import_id', '=', due)
    .returning(columns)
    .$narrowType<{ state: ImportState; counts: Partial<ImportCounts> }>()
    .executeTakeFirst();
}

type Claim = Pick<StoredImport, 'importId' | 'node'>;

const updateRunning = ({ kysely }: Pick<Database, 'kysely'>, { importId, node }: Claim) =>
  kysely
    .updateTable('imports')
    .where('import_id', '=', importId)
    .where('node', '=', node)
    .where('state', '=', 'running');

export type ImportRange = Pick<StoredImport, 'lastLine' | 'progress' | 'counts' | 'causes' | 'heading'> & {
  /** Rejected records to keep, as JSON; `through` counts all up to the end of the range. */
  rejected?: { through: number; records: string };
};

/** Stores the outcome of a range of lines; false when the import was cancelled or claimed again. */
export async function commitRange(db: Database, claim: Claim, range: ImportRange): Promise<boolean> {
  return db.kysely.transaction().execute(async (kysely) => {
    const { numUpdatedRows } = await updateRunning({ kysely }, claim)
      .set({ last_line: range.lastLine, progress: range.progress, counts: JSON.stringify(range.counts) })
      .set({ causes: JSON.stringify(range.causes), heading: JSON.stringify(range.heading ?? null) })
      .set({ attempts: 1, heartbeat_at: now, updated_at: now })
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return false;
    const { rejected } = range;
    if (rejected)
      await kysely
        .insertInto('rejected_records')
        .values({ import_id: claim.importId, ...rejected })
        .execute();
    return true;
  });
}

/** Queues an import that its node leaves, because it stops or the database was away. */
export async function returnImport(db: Database, claim: Claim): Promise<void> {
  await updateRunning(db, claim).set({ state: 'queued', attempts: 0, heartbeat_at: now }).execute();
}

/** @param failure Undefined when the whole file is read. */
export async function endImport(
  db: Database,
  claim: Claim & Pick<StoredImport, 'environment'>,
  failure?: string,
): Promise<void> {
  const end = failure === undefined ? { state: 'done', progress: 1 } : { state: 'failed' };
  const bucket = await bucketOfChanges(db, claim.environment);
  await db.kysely.transaction().execute(async (kysely) => {
    const ended = await updateRunning({ kysely }, claim)
      .set({ ...end, failure: failure?.slice(0, longestFailure) ?? null, ended_at: now, updated_at: now })
      .returning(endColumns)
      .executeTakeFirst();
    if (!ended) return;
    await announceFault({ kysely }, bucket, ended);
    const { rejected = 0 } = ended.counts as Partial<ImportCounts>;
    if (failure === undefined && !ended.validateOnly && rejected === 0)
      await eraseFiles({ kysely }, sql<boolean>`import_id = ${claim.importId}`);
  });
}

/** Cancels an import unless it has ended. */
export async function cancelImport(db: Database, { environment, importId }: ImportName): Promise<void> {
  await db.kysely
    .updateTable('imports')
    .set({ state: 'cancelled', ended_at: now, updated_at: now })
    .where('environment', '=', environment)
    .where(isImport(importId))
    .where('state', 'in', ['uploading', 'queued', 'running'])
    .execute();
}

type Condition = ReturnType<typeof sql<boolean>>;

/** Erases files of imports that do not wait or run. */
async function eraseFiles({ kysely }: Pick<Database, 'kysely'>, condition: Condition): Promise<void> {
  const erased = kysely
    .updateTable('imports')
    .set({ slot: null })
    .where('slot', 'is not', null)
    .where('state', 'not in', ['queued', 'running'])
    .where(condition)
    .returning('import_id');
  await kysely
    .with('erased', () => erased)
    .deleteFrom('import_parts')
    .where('import_id', 'in', (parts) => parts.selectFrom('erased').select('import_id'))
    .execute();
}

async function eraseIdle(db: Database, environment: string): Promise<void> {
  await eraseFiles(
    db,
    sql<boolean>`import_id = (select import_id from imports where environment = ${environment}
      and slot is not null and state not in ('queued', 'running')
      and (state = 'done' or updated_at < clock_timestamp() - ${idle}) order by updated_at limit 1)`,
  );
}

/** Ends imports that lost their node on the last attempt; erases old files, then old imports. */
export async function forgetImports(db: Database, environment: string): Promise<void> {
  const failure = 'Nodes stopped three times during these lines.';
  const bucket = await bucketOfChanges(db, environment);
  await db.kysely.transaction().execute(async (kysely) => {
    const failed = await kysely
      .updateTable('imports')
      .set({ state: 'failed', failure, ended_at: now })
      .where('environment', '=', environment)
      .where('attempts', '>=', mostAttempts)
      .where(sql<boolean>`state = 'running' and heartbeat_at < clock_timestamp() - ${silence}`)
      .returning(endColumns)
      .execute();
    for (const ended of failed) await announceFault({ kysely }, bucket, ended);
  });
  const isOld = sql<boolean>`environment = ${environment} and updated_at < clock_timestamp() - ${fileLifetime}`;
  await eraseFiles(db, isOld);
  await db.kysely
    .deleteFrom('imports')
    .where('environment', '=', environment)
    .where('slot', 'is', null)
    .where(
      sql<boolean>`(created_at < clock_timestamp() - ${lifetime} or import_id not in (
        select import_id from imports where environment = ${environment}
        order by created_at desc limit ${mostImports}))`,
    )
    .execute();
}

/** Returns the kept records of the range after the one with this `through`, as JSON. */
export function readRejected({ kysely }: Database, importId: string, after: number) {
  return kysely
    .selectFrom('rejected_records')
    .select(['through', 'records'])
    .where('import_id', '=', importId)
    .where('through', '>', after)
    .orderBy('through')
    .limit(1)
    .executeTakeFirst();
}
