/** Documents that calls save for an environment, such as synonyms, pages and views, by environment and ID. */

import { sql } from 'kysely';
import { type DomainError, invalid } from '../../errors.ts';
import { type Actor, auditPart, nameOfClient } from '../audit/audit-entries.ts';
import { type Database, queryRaw } from '../database.ts';
import { writeConflict } from '../failures.ts';
import { nextLocalNumbers } from '../feeds.ts';

export type DocumentKind = {
  /** Name of its feed, its resources in the audit log and their actions. */
  name: 'pages' | 'synonyms' | 'views';
  noun: string;
  table: string;
  key: string;
  /** Most documents of an environment. */
  most: number;
};

/** Without those of the deployment file. */
export const synonyms: DocumentKind = {
  name: 'synonyms',
  noun: 'synonym',
  table: 'search_synonyms',
  key: 'synonym_id',
  most: 2_000,
};

export const pages: DocumentKind = { name: 'pages', noun: 'page', table: 'pages', key: 'page_id', most: 200 };

/** View of metrics; one that is not shared belongs to the client that wrote it last. */
export const views: DocumentKind = {
  name: 'views',
  noun: 'view',
  table: 'saved_views',
  key: 'view_id',
  most: 500,
};

export type DocumentRow = {
  id: string;
  /** Unique; grows with every write. */
  revision: number;
  document: unknown;
  updatedAt: Date;
  /** Client or person that wrote it last. */
  clientId: string | null;
  clientName: string | null;
};

const selectDocuments = ({ table, key }: DocumentKind, environment: string) => sql`
  select ${sql.ref(key)} as id, number as revision, document, updated_at as "updatedAt",
    client_id as "clientId", ${nameOfClient(table)} as "clientName"
  from ${sql.table(table)} where environment = ${environment}`;

type DocumentWrite = Actor & {
  environment: string;
  id: string;
  /** Revision that must be current [any]; 0: the document must not exist, -1: it must exist. */
  expectedRevision?: number;
};

/** Lists documents in the order of their IDs. */
export function listDocuments(
  db: Database,
  kind: DocumentKind,
  environment: string,
  { after = '', limit }: { after?: string; limit: number },
): Promise<DocumentRow[]> {
  const key = sql.ref(kind.key);
  const following = sql`${selectDocuments(kind, environment)} and ${key} > ${after} order by ${key} limit ${limit}`;
  return queryRaw<DocumentRow>(db, following);
}

export async function findDocument(
  db: Database,
  kind: DocumentKind,
  environment: string,
  id: string,
): Promise<DocumentRow | undefined> {
  const statement = sql`${selectDocuments(kind, environment)} and ${sql.ref(kind.key)} = ${id}`;
  return (await queryRaw<DocumentRow>(db, statement))[0];
}

/** Returns the new revision. Throws VERSION_CONFLICT when another is current, BODY_INVALID beyond the most documents. */
export async function saveDocument(
  db: Database,
  kind: DocumentKind,
  write: DocumentWrite & { document: object },
): Promise<number> {
  const { environment, id, expectedRevision = null, document, clientId = null } = write;
  const [table, key] = [sql.table(kind.table), sql.ref(kind.key)];
  const known = sql`select from ${table} where environment = ${environment} and ${key} = ${id}`;
  const statement = sql`
    with ${nextLocalNumbers(kind.name, 1)},
    saved as (
      insert into ${table} as current (environment, ${key}, document, number, client_id)
      select ${environment}, ${id}, ${JSON.stringify(document)}::json, taken.last, ${clientId} from taken
      where exists (${known}) or (coalesce(${expectedRevision}::int, 0) = 0
        and (select count(*) from ${table} where environment = ${environment}) < ${kind.most})
      on conflict (environment, ${key}) do update
        set document = excluded.document, number = excluded.number, client_id = excluded.client_id,
          updated_at = now()
        where ${isExpected(expectedRevision)}
      returning environment, ${key} as id, number, document
    ),
    ${auditOf(kind, write, 'put')}
    select number as revision from saved`;
  const [saved] = await queryRaw<{ revision: number }>(db, statement);
  if (saved) return saved.revision;
  const found = await findDocument(db, kind, environment, id);
  if (found || expectedRevision) throw revisionConflict(kind, write, found);
  throw invalid('', `An environment has at most ${kind.most} ${kind.name}; delete one first.`);
}

/** Returns false when there is nothing to delete. Throws VERSION_CONFLICT when another revision is current. */
export async function deleteDocument(
  db: Database,
  kind: DocumentKind,
  write: DocumentWrite,
): Promise<boolean> {
  const { environment, id, expectedRevision = null } = write;
  const key = sql.ref(kind.key);
  const statement = sql`
    with ${nextLocalNumbers(kind.name, 1)},
    saved as (
      delete from ${sql.table(kind.table)} as current using taken
      where environment = ${environment} and ${key} = ${id} and ${isExpected(expectedRevision)}
      returning environment, ${key} as id, number, null::json as document
    ),
    ${auditOf(kind, write, 'delete')}
    select number as revision from saved`;
  if ((await queryRaw<{ revision: number }>(db, statement)).length > 0) return true;
  const found = await findDocument(db, kind, environment, id);
  if (found) throw revisionConflict(kind, write, found);
  return false;
}

function isExpected(revision: number | null) {
  return sql`(coalesce(${revision}::int, -1) = -1 or current.number = ${revision}::int)`;
}

/** Within the statement the table still has the former document. */
function auditOf(
  { name, table, key }: DocumentKind,
  { environment, id, clientId, requestId }: DocumentWrite,
  action: 'put' | 'delete',
) {
  return auditPart({
    clientId,
    requestId,
    action: `${name}.${action}`,
    resource: sql`${`${name}/`} || id`,
    environment: sql`environment`,
    before: sql`(select document from ${sql.table(table)} as former
      where former.environment = ${environment} and former.${sql.ref(key)} = ${id})`,
    after: sql`document`,
    from: sql`saved`,
  });
}

function revisionConflict(
  { noun, key }: DocumentKind,
  { id, expectedRevision: expected }: DocumentWrite,
  found: DocumentRow | undefined,
): DomainError {
  const subject = `${noun[0].toUpperCase()}${noun.slice(1)} "${id}" is`;
  return writeConflict(subject, 'revision', { current: found?.revision ?? 0, expected }, { [key]: id });
}

/** A document as followers read it; null where it has not changed. */
type FollowedDocument = { environment: string; id: string; document: unknown };

/** Lists all documents in no order: those written after a number whole, the others without their content. */
export function listDocumentsSince(
  db: Database,
  { table, key }: DocumentKind,
  number: number,
): Promise<FollowedDocument[]> {
  return queryRaw<FollowedDocument>(
    db,
    sql`select environment, ${sql.ref(key)} as id, case when number > ${number} then document end as document
      from ${sql.table(table)}`,
  );
}
