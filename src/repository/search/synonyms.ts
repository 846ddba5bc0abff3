/** Synonyms that were saved by calls, by environment and ID. */

import { sql } from 'kysely';
import { DomainError } from '../../errors.ts';
import { type Actor, auditPart } from '../audit/audit-entries.ts';
import { type Database, queryRaw } from '../database.ts';
import { writeConflict } from '../failures.ts';
import { nextLocalNumbers } from '../feeds.ts';

/** Most synonyms of an environment, without those of the deployment file. */
const mostSynonyms = 2_000;

export type SynonymRow = {
  synonymId: string;
  /** Unique; grows with every write. */
  revision: number;
  document: unknown;
  updatedAt: Date;
};

const selectSynonyms = ({ kysely }: Database, environment: string) =>
  kysely
    .selectFrom('search_synonyms')
    .select(['synonym_id as synonymId', 'number as revision', 'document', 'updated_at as updatedAt'])
    .where('environment', '=', environment);

type SynonymWrite = Actor & {
  environment: string;
  synonymId: string;
  /** Revision that must be current [any]; 0: the synonym must not exist, -1: it must exist. */
  expectedRevision?: number;
};

/** Lists synonyms in the order of their IDs. */
export function listSynonyms(
  db: Database,
  environment: string,
  { after = '', limit }: { after?: string; limit: number },
): Promise<SynonymRow[]> {
  const following = selectSynonyms(db, environment).where('synonym_id', '>', after);
  return following.orderBy('synonym_id').limit(limit).execute();
}

export function findSynonym(
  db: Database,
  environment: string,
  synonymId: string,
): Promise<SynonymRow | undefined> {
  return selectSynonyms(db, environment).where('synonym_id', '=', synonymId).executeTakeFirst();
}

/** Returns the new revision. Throws VERSION_CONFLICT when another is current, BODY_INVALID beyond the most synonyms. */
export async function saveSynonym(db: Database, write: SynonymWrite & { document: object }): Promise<number> {
  const { environment, synonymId, expectedRevision = null, document } = write;
  const known = sql`select from search_synonyms where environment = ${environment} and synonym_id = ${synonymId}`;
  const statement = sql`
    with ${nextLocalNumbers('synonyms', 1)},
    saved as (
      insert into search_synonyms as current (environment, synonym_id, document, number)
      select ${environment}, ${synonymId}, ${JSON.stringify(document)}::json, taken.last from taken
      where exists (${known}) or (coalesce(${expectedRevision}::int, 0) = 0
        and (select count(*) from search_synonyms where environment = ${environment}) < ${mostSynonyms})
      on conflict (environment, synonym_id) do update
        set document = excluded.document, number = excluded.number, updated_at = now()
        where ${isExpected(expectedRevision)}
      returning environment, synonym_id, number, document
    ),
    ${auditOf(write, 'synonyms.put')}
    select number as revision from saved`;
  const [saved] = await queryRaw<{ revision: number }>(db, statement);
  if (saved) return saved.revision;
  const isThere = (await findSynonym(db, environment, synonymId)) !== undefined;
  if (isThere || expectedRevision) throw await revisionConflict(db, write);
  const detail = `An environment has at most ${mostSynonyms} synonyms; delete one first.`;
  throw new DomainError('BODY_INVALID', detail, { violations: [{ pointer: '', detail }] });
}

/** Returns false when there is nothing to delete. Throws VERSION_CONFLICT when another revision is current. */
export async function deleteSynonym(db: Database, write: SynonymWrite): Promise<boolean> {
  const { environment, synonymId, expectedRevision = null } = write;
  const statement = sql`
    with ${nextLocalNumbers('synonyms', 1)},
    saved as (
      delete from search_synonyms as current using taken
      where environment = ${environment} and synonym_id = ${synonymId} and ${isExpected(expectedRevision)}
      returning environment, synonym_id, number, null::json as document
    ),
    ${auditOf(write, 'synonyms.delete')}
    select number as revision from saved`;
  if ((await queryRaw<{ revision: number }>(db, statement)).length > 0) return true;
  const isThere = (await findSynonym(db, environment, synonymId)) !== undefined;
  if (isThere) throw await revisionConflict(db, write);
  return false;
}

function isExpected(revision: number | null) {
  return sql`(coalesce(${revision}::int, -1) = -1 or current.number = ${revision}::int)`;
}

/** Within the statement the table still has the former document. */
function auditOf({ environment, synonymId, clientId, requestId }: SynonymWrite, action: string) {
  return auditPart({
    clientId,
    requestId,
    action,
    resource: sql`'synonyms/' || synonym_id`,
    environment: sql`environment`,
    before: sql`(select document from search_synonyms as former
      where former.environment = ${environment} and former.synonym_id = ${synonymId})`,
    after: sql`document`,
    from: sql`saved`,
  });
}

async function revisionConflict(db: Database, write: SynonymWrite): Promise<DomainError> {
  const { environment, synonymId, expectedRevision: expected } = write;
  const current = (await findSynonym(db, environment, synonymId))?.revision ?? 0;
  return writeConflict(
    `Synonym "${synonymId}" is`,
    'revision',
    { current, expected },
    { synonym_id: synonymId },
  );
}

/** A synonym as followers read it; the document is null where it has not changed. */
type FollowedSynonym = { environment: string; synonymId: string; document: unknown };

/** Lists all synonyms in no order: those written after a number with their document, the others without. */
export function listSynonymsSince({ kysely }: Database, number: number): Promise<FollowedSynonym[]> {
  return kysely
    .selectFrom('search_synonyms')
    .select(['environment', 'synonym_id as synonymId'])
    .select(({ eb }) => eb.case().when('number', '>', number).then(eb.ref('document')).end().as('document'))
    .execute();
}
