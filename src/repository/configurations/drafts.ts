/** Stores one shared draft per configuration, until it is deleted or expires. */

import { sql } from 'kysely';
import { type Actor, auditPart, nameOfClient } from '../audit/audit-entries.ts';
import { type Database, queryRaw } from '../database.ts';

/** After the last write. */
const expiryDays = 30;

export type DraftHead = {
  configurationId: string;
  revision: number;
  /** Version that it changes; 0 for a new configuration. */
  baseVersion: number;
  /** Those that its document names; empty for all. */
  environments: string[];
  clientId: string | null;
  /** Name of the client or person. */
  clientName: string | null;
  /** Note to the publisher; null if the draft is not proposed. */
  proposal: string | null;
  updatedAt: Date;
};

export type Draft = DraftHead & { document: unknown };

export const isStored = sql<boolean>`document is not null
  and updated_at > now() - make_interval(days => ${sql.lit(expiryDays)})`;

const selectHeads = ({ kysely }: Database) =>
  kysely
    .selectFrom('configuration_drafts')
    .select(['configuration_id as configurationId', 'revision', 'base_version as baseVersion'])
    .select(['environments', 'client_id as clientId', 'updated_at as updatedAt', 'proposal'])
    .select(nameOfClient('configuration_drafts').as('clientName'))
    .where(isStored);

export function findDraft(db: Database, configurationId: string): Promise<Draft | undefined> {
  return selectHeads(db)
    .select('document')
    .where('configuration_id', '=', configurationId)
    .executeTakeFirst();
}

/** Lists drafts in the order of the ids, after `afterId` if given. */
export function listDraftHeads(db: Database, limit: number, afterId = ''): Promise<DraftHead[]> {
  const heads = selectHeads(db).where('configuration_id', '>', afterId);
  return heads.orderBy('configuration_id').limit(limit).execute();
}

type DraftWrite = Actor &
  Pick<Draft, 'configurationId' | 'baseVersion' | 'environments' | 'document' | 'proposal'>;

/**
 * Saves a draft in place of a revision; 0 for none. Audits proposals, and the first write of each
 * client in turn.
 * Returns undefined if another one is stored, or `most` drafts share its environments.
 */
export async function saveDraft(
  db: Database,
  {
    configurationId,
    baseVersion,
    environments,
    document,
    proposal,
    clientId = undefined,
    requestId,
  }: DraftWrite,
  { revision, most }: { revision: number; most: number },
): Promise<Pick<DraftHead, 'revision' | 'updatedAt' | 'clientName'> | undefined> {
  const client = sql`${clientId ?? null}::text`;
  const names = sql`${environments}::text[]`;
  const statement = sql`
    with others as (
      select count(*) from configuration_drafts
      where ${isStored} and configuration_id <> ${configurationId}
        and (environments && ${names} or cardinality(environments) + cardinality(${names}) = 0)
    ),
    former as (
      select client_id from configuration_drafts where configuration_id = ${configurationId} and ${isStored}
    ),
    saved as (
      insert into configuration_drafts as current
        (configuration_id, revision, base_version, document, environments, client_id, proposal)
      select ${configurationId}, 1, ${baseVersion}, ${JSON.stringify(document)}::json, ${names}, ${client}, ${proposal}
      where (select count from others) < ${most}
      on conflict (configuration_id) do update
        set revision = current.revision + 1, base_version = excluded.base_version,
          document = excluded.document, environments = excluded.environments,
          client_id = excluded.client_id, proposal = excluded.proposal, updated_at = now(),
          comments = case when exists (select from former) then current.comments else '[]' end
        where case when exists (select from former) then current.revision else 0 end = ${revision}
      returning configuration_id, revision, document, updated_at, client_id
    ),
    begun as (
      select * from saved where ${proposal}::text is not null
        or not exists (select from former where client_id is not distinct from ${client})
    ),
    ${auditPart({
      ...{
        clientId,
        requestId,
        action: proposal === null ? 'configurations.draft' : 'configurations.propose',
      },
      resource: sql`'configurations/' || configuration_id`,
      after: sql`document`,
      from: sql`begun`,
    })}
    select revision, updated_at as "updatedAt", ${nameOfClient('saved')} as "clientName" from saved`;
  const [saved] = await queryRaw<Pick<DraftHead, 'revision' | 'updatedAt' | 'clientName'>>(db, statement);
  return saved;
}

/** Deletes a revision of a draft; false if another one is stored. */
export async function deleteDraft(
  db: Database,
  { configurationId, revision, document }: Pick<Draft, 'configurationId' | 'revision' | 'document'>,
  actor: Actor,
): Promise<boolean> {
  const statement = sql`
    with deleted as (${erasure(sql`configuration_id = ${configurationId} and revision = ${revision}`)}),
    ${auditPart({
      ...{ ...actor, action: 'configurations.discard_draft' },
      resource: sql`'configurations/' || configuration_id`,
      before: sql`${JSON.stringify(document)}::json`,
      from: sql`deleted`,
    })}
    select from deleted`;
  return (await queryRaw(db, statement)).length > 0;
}

/** Part of a `with` that erases the draft of the configurations in another part. */
export const draftErasedWith = (part: string) =>
  sql`erased as (${erasure(sql`configuration_id in (select configuration_id from ${sql.raw(part)})`)})`;

/** Later writes count on, so that a revision is never used twice. */
const erasure = (condition: ReturnType<typeof sql>) => sql`
  update configuration_drafts set document = null, environments = '{}', client_id = null, proposal = null,
    comments = '[]', revision = revision + 1, updated_at = now()
  where document is not null and ${condition} returning configuration_id`;

/** Deletes drafts past their time. */
export async function deleteExpiredDrafts({ kysely }: Database): Promise<void> {
  await kysely
    .deleteFrom('configuration_drafts')
    .where(sql<boolean>`updated_at < now() - make_interval(days => ${sql.lit(expiryDays)})`)
    .execute();
}
