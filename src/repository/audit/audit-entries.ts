/**
 * Who changed what, and when: entries are added, in the statement that makes the change where both lie in one place, and never
 * touched again.
 */

import { type RawBuilder, sql } from 'kysely';
import { type Database, queryRaw } from '../database.ts';
import type { Shape } from '../row-shape.ts';

/** Who acts, and by which request. */
export type Actor = { clientId?: string; requestId?: string };

export type AuditChange = Actor & {
  /** `configurations.put` and the like. */
  action: string;
  /** `configurations/home` and the like. */
  resource: string;
  environment?: string;
  /** JSON objects; no secrets. */
  before?: object;
  after?: object;
};

export type AuditEntry = Omit<AuditChange, 'before' | 'after'> & {
  entryId: string;
  changedAt: Date;
  /** Its place in the order: microseconds since the epoch. */
  changedAtUs: number;
  before: object | null;
  after: object | null;
};

const entryShape: Shape<AuditEntry> = {
  entryId: 'uuid',
  changedAt: 'timestamptz',
  changedAtUs: 'int8',
  clientId: 'text?',
  requestId: 'text?',
  action: 'text',
  resource: 'text',
  environment: 'text?',
  before: 'json?',
  after: 'json?',
};

/** A document that is longer is told by its length. */
const mostCharacters = 65_536;

/** An expression of type json, made short; null stays null. */
function boundedJson(json: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when length((${json})::text) > ${sql.lit(mostCharacters)}
    then json_build_object('truncated', true, 'bytes', octet_length((${json})::text)) else ${json} end`;
}

type AuditPart = Actor & {
  action: string | RawBuilder<unknown>;
  /** Expressions over `from`. */
  resource: RawBuilder<unknown>;
  environment?: RawBuilder<unknown>;
  before?: RawBuilder<unknown>;
  after?: RawBuilder<unknown>;
  /** A part of the same `with`, a row for each change. */
  from: RawBuilder<unknown>;
};

/** A part of a `with` that records what another part changed. */
export function auditPart({ clientId, requestId, action, from, ...what }: AuditPart) {
  const nothing = sql`null::json`;
  return sql`audited as (
    insert into audit_entries (client_id, request_id, action, resource, environment, before, after)
    select ${clientId ?? null}::text, ${requestId ?? null}::text, ${action}, ${what.resource}, ${what.environment ?? sql`null`},
      ${boundedJson(what.before ?? nothing)}, ${boundedJson(what.after ?? nothing)}
    from ${from}
  )`;
}

/** For changes that lie in another place than the record, such as a bucket: the entry follows the change. */
export async function insertAuditEntry(db: Database, change: AuditChange): Promise<void> {
  const { clientId, requestId, action, resource, environment, before, after } = change;
  const jsonOf = (value: object | undefined) =>
    sql`${value === undefined ? null : JSON.stringify(value)}::json`;
  await sql`
    insert into audit_entries (client_id, request_id, action, resource, environment, before, after)
    values (${clientId ?? null}, ${requestId ?? null}, ${action}, ${resource}, ${environment ?? null},
      ${boundedJson(jsonOf(before))}, ${boundedJson(jsonOf(after))})`.execute(db.kysely);
}

export type AuditQuery = {
  environment?: string;
  /** With a slash at its end: all below it. */
  resource?: string;
  clientId?: string;
  /** Inclusive, and exclusive. */
  from?: Date;
  to?: Date;
};

/** Place of an entry: moment and id. */
export type AuditKey = readonly [changedAtUs: number, entryId: string];

/** Newest first, those after a key. */
export async function listAuditEntries(
  db: Database,
  { environment, resource, clientId, from, to }: AuditQuery,
  limit: number,
  after?: AuditKey,
): Promise<AuditEntry[]> {
  const conditions = [
    environment !== undefined && sql`environment = ${environment}`,
    resource !== undefined &&
      (resource.endsWith('/') ? sql`starts_with(resource, ${resource})` : sql`resource = ${resource}`),
    clientId !== undefined && sql`client_id = ${clientId}`,
    from && sql`changed_at >= ${from}`,
    to && sql`changed_at < ${to}`,
    after &&
      sql`(changed_at, entry_id) < ('epoch'::timestamptz + ${after[0]}::float8 * interval '1 microsecond', ${after[1]}::uuid)`,
  ].filter((condition) => condition !== false && condition !== undefined);
  const statement = sql`
    select entry_id as "entryId", changed_at as "changedAt", client_id as "clientId", request_id as "requestId",
      action, resource, environment, before, after, (extract(epoch from changed_at) * 1000000)::int8 as "changedAtUs"
    from audit_entries where ${sql.join([sql`true`, ...conditions], sql` and `)}
    order by changed_at desc, entry_id desc limit ${limit}`;
  return queryRaw(db, statement, entryShape);
}
