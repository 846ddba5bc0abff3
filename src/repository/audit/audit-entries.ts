/** The audit log of changes. A change is recorded in the statement that makes it where both are on one server. */

import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../database.ts';
import { type PageKey, pageOf } from '../moments.ts';

type Sql = RawBuilder<unknown>;

/** The client that makes a change, and its request. */
export type Actor = { clientId?: string; requestId?: string };

/** First segments of the resources whose changes colleagues see as activity. */
export const sharedKinds = [
  ...(['configurations', 'experiments', 'items', 'models', 'synonyms', 'blocked_queries'] as const),
  ...(['interests', 'pages', 'views'] as const),
] as const;

/** Those whose changes only administrators see. */
export const restrictedKinds = ['clients', 'people', 'webhooks', 'users', 'devices'] as const;

export type AuditAction = `${(typeof sharedKinds)[number] | (typeof restrictedKinds)[number]}.${string}`;

type AuditChange = Actor & {
  /** Such as `configurations.put`; its kind is the first segment of the resource. */
  action: AuditAction;
  /** Such as `configurations/home`. */
  resource: string;
  environment?: string;
  /** JSON objects; no secrets. */
  before?: object;
  after?: object;
};

export type AuditEntry = {
  [Name in keyof Required<Omit<AuditChange, 'action' | 'resource'>>]: Required<AuditChange>[Name] | null;
} & Record<'action' | 'resource', string> & {
    entryId: string;
    changedAt: Date;
    /** Name of the client or person. */
    clientName: string | null;
    /** Microseconds since 1970. */
    changedAtUs: number;
  };

/** Only the length of a longer document is stored. */
const mostCharacters = 65_536;

/** Replaces the value of a JSON expression when it is too long; null stays null. */
function boundedJson(json: Sql): Sql {
  return sql`case when length((${json})::text) > ${sql.lit(mostCharacters)}
    then json_build_object('truncated', true, 'bytes', octet_length((${json})::text)) else ${json} end`;
}

type AuditedChanges = Actor & {
  action: AuditAction | Sql;
  /** Expressions over `from`. */
  resource: Sql;
  environment?: Sql;
  before?: Sql;
  after?: Sql;
  /** A part of the same `with`, a row for each change. */
  from: Sql;
};

/** Returns a part of a Kysely `with` that records the changes of another part. */
export function auditInsert({ clientId, requestId, action, from, ...changes }: AuditedChanges) {
  const absent = sql`null::json`;
  const insert = sql`(
    insert into audit_entries (client_id, request_id, action, resource, environment, before, after)
    select ${clientId ?? null}::text, ${requestId ?? null}::text, ${action}, ${changes.resource},
      ${changes.environment ?? sql`null`}, ${boundedJson(changes.before ?? absent)},
      ${boundedJson(changes.after ?? absent)}
    from ${from})`;
  return insert as RawBuilder<Record<string, unknown>>;
}

/** Returns the same for a statement that is written as text. */
export const auditPart = (changes: AuditedChanges): Sql => sql`audited as ${auditInsert(changes)}`;

/** Records a change that is stored in another place than the audit log, such as a bucket. */
export async function insertAuditEntry(db: Pick<Database, 'kysely'>, change: AuditChange): Promise<void> {
  const { clientId, requestId, action, resource, environment, before, after } = change;
  const jsonOf = (value?: object) =>
    boundedJson(sql`${value === undefined ? null : JSON.stringify(value)}::json`) as RawBuilder<string>;
  await db.kysely
    .insertInto('audit_entries')
    .values({
      ...{ client_id: clientId, request_id: requestId, action, resource, environment },
      ...{ before: jsonOf(before), after: jsonOf(after) },
    })
    .execute();
}

/** Name of the client or person that a column `client_id` of a table names; null if unknown. */
export const nameOfClient = (table: string) =>
  sql<string | null>`(select name from clients where clients.client_id = ${sql.ref(`${table}.client_id`)})`;

type AuditQuery = {
  environment?: string;
  /** With a slash at its end it includes all resources below it. */
  resource?: string;
  clientId?: string;
  /** Inclusive. */
  from?: Date;
  /** Exclusive. */
  to?: Date;
  /** First segments of resources; without personal views. */
  kinds?: readonly string[];
  /** Changes of or for one of these. */
  concerns?: readonly string[];
};

/** The environments of a configuration are in its document. A document that was too long is not stored. */
function concernsOneOf(environments: readonly string[]) {
  const named = sql`coalesce(after, before) -> 'environments'`;
  return sql<boolean>`(environment = any(${environments}) or (environment is null
    and starts_with(resource, 'configurations/') and case
      when coalesce(after, before) is null or coalesce(after, before) -> 'truncated' is not null then false
      when ${named} is null then true
      when json_typeof(${named}) <> 'array' or strpos((${named})::text, ${'\\u0000'}) > 0 then false
      else json_array_length(${named}) = 0 or (${named})::jsonb ?| ${environments} end))`;
}

/** Views that are not shared concern their owner alone. */
const isPersonalView = sql<boolean>`(starts_with(resource, 'views/')
  and strpos(concat(before, after), '"shared":true') = 0)`;

/** Lists entries after a key, the newest first. */
export function listAuditEntries(
  { kysely }: Database,
  query: AuditQuery,
  limit: number,
  after?: PageKey,
): Promise<AuditEntry[]> {
  return kysely
    .selectFrom('audit_entries')
    .select(['entry_id as entryId', 'changed_at as changedAt', 'client_id as clientId'])
    .select(['request_id as requestId', 'action', 'resource', 'environment', 'before', 'after'])
    .select(nameOfClient('audit_entries').as('clientName'))
    .where(({ and }) => and(conditionsOf(query)))
    .$call(pageOf({ time: 'changed_at', id: 'entry_id', as: 'changedAtUs', after, limit }))
    .$narrowType<{ before: object | null; after: object | null }>()
    .execute();
}

/** Lists the clients and people of the latest `changes` entries, at most `limit`, by name. */
export function listActors(
  { kysely }: Database,
  query: AuditQuery,
  { changes, limit }: { changes: number; limit: number },
): Promise<{ clientId: string | null; clientName: string | null }[]> {
  const latest = kysely
    .selectFrom('audit_entries')
    .select('client_id')
    .where(({ and }) => and(conditionsOf(query)))
    .orderBy('changed_at', 'desc')
    .limit(changes);
  return kysely
    .selectFrom(latest.as('latest'))
    .select(['client_id as clientId', nameOfClient('latest').as('clientName')])
    .distinct()
    .where('client_id', 'is not', null)
    .orderBy('clientName')
    .orderBy('clientId')
    .limit(limit)
    .execute();
}

function conditionsOf({ environment, resource, clientId, from, to, kinds, concerns }: AuditQuery) {
  return [
    environment !== undefined && sql<boolean>`environment = ${environment}`,
    resource?.endsWith('/') && sql<boolean>`starts_with(resource, ${resource})`,
    resource !== undefined && !resource.endsWith('/') && sql<boolean>`resource = ${resource}`,
    clientId !== undefined && sql<boolean>`client_id = ${clientId}`,
    from && sql<boolean>`changed_at >= ${from}`,
    to && sql<boolean>`changed_at < ${to}`,
    kinds && sql<boolean>`split_part(resource, '/', 1) = any(${kinds}) and not ${isPersonalView}`,
    concerns && concernsOneOf(concerns),
  ].filter((condition) => typeof condition === 'object');
}
