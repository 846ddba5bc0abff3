/**
 * Stores webhooks: followers of the outbox that a node delivers to while it holds their lease.
 *
 * No lock is held while a receiver is waited for. A node that stops loses the lease, and the next
 * one goes on behind the last stored position.
 */

import { sql } from 'kysely';
import { type Actor, type AuditAction, insertAuditEntry } from '../audit/audit-entries.ts';
import type { Database } from '../database.ts';
import { locks } from '../locks.ts';
import { type PageKey, pageOf } from '../moments.ts';
import { type ChangePosition, findChangeEnds } from './changes.ts';

/** `failing` after too many attempts, `disabled` by an operator or by the receiver's 410. */
export type WebhookState = 'active' | 'failing' | 'disabled';

/** A signing secret as it is stored; undefined `expiresAtMs` for the newest. */
export type WebhookSecret = { key: unknown; expiresAtMs?: number };

export type WebhookDelivery = {
  changeId: string;
  kind: string;
  attemptedAtMs: number;
  durationMs: number;
  /** HTTP status; absent when there was no answer. */
  status?: number;
  /** Absent for a success. */
  error?: string;
};

export type Webhook = {
  webhookId: string;
  environment: string;
  url: string;
  /** Empty: all. */
  kinds: string[];
  description: string;
  state: WebhookState;
  secrets: WebhookSecret[];
  position: ChangePosition;
  /** Counts edits. */
  revision: number;
  /** Failed attempts since the last success. */
  attempts: number;
  nextAt: Date;
  createdAt: Date;
  updatedAt: Date;
};

const keptDeliveries = 50;

const columns = [
  ...(['environment', 'url', 'kinds', 'description', 'state', 'secrets', 'position', 'revision'] as const),
  ...(['attempts', 'webhook_id as webhookId', 'next_at as nextAt'] as const),
  ...(['created_at as createdAt', 'updated_at as updatedAt'] as const),
] as const;

type NarrowColumns = Pick<Webhook, 'state' | 'secrets' | 'position'>;

const now = sql<Date>`clock_timestamp()`;
/** Exceeds the time of one round of requests. */
const lease = sql<Date>`clock_timestamp() + interval '20 seconds'`;

export type WebhookWrite = Pick<Webhook, 'environment' | 'url' | 'kinds' | 'description'>;

/** Stores a webhook behind `position`; returns undefined when the environment has `most` already. */
export function insertWebhook(
  db: Database,
  write: WebhookWrite & Pick<Webhook, 'webhookId' | 'secrets' | 'position'>,
  most: number,
  actor: Actor,
): Promise<Webhook | undefined> {
  const { webhookId, environment, url, kinds, description, secrets, position } = write;
  return db.kysely.transaction().execute(async (kysely) => {
    await sql`select pg_advisory_xact_lock(${locks.webhooks}, hashtext(${environment}))`.execute(kysely);
    const { count } = await kysely
      .selectFrom('webhooks')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('environment', '=', environment)
      .executeTakeFirstOrThrow();
    if (count >= most) return undefined;
    const stored = await kysely
      .insertInto('webhooks')
      .values({
        ...{ webhook_id: webhookId, environment, url, kinds, description },
        ...{ secrets: JSON.stringify(secrets), position: JSON.stringify(position) },
      })
      .returning(columns)
      .$narrowType<NarrowColumns>()
      .executeTakeFirstOrThrow();
    await audit({ kysely }, { environment, webhookId }, 'webhooks.create', actor, { url, kinds });
    return stored;
  });
}

/** Creates or changes the webhook of each environment that sends mail; without an address, deletes them. */
export async function setMailWebhooks(
  db: Database,
  environments: readonly string[],
  mail: Pick<Webhook, 'url' | 'kinds'> | undefined,
): Promise<void> {
  const idOf = (environment: string) => sql<string>`md5(${`mail ${environment}`})::uuid`;
  if (!mail) {
    const ids = environments.map(idOf);
    await db.kysely.deleteFrom('webhooks').where('webhook_id', 'in', ids).execute();
    return;
  }
  const position = JSON.stringify(await findChangeEnds(db));
  const description = 'E-mail of the deployment file';
  await db.kysely
    .insertInto('webhooks')
    .values(
      environments.map((environment) => ({
        ...{ webhook_id: idOf(environment), environment, ...mail, description },
        ...{ secrets: '[]', position },
      })),
    )
    .onConflict((conflict) =>
      conflict
        .column('webhook_id')
        .doUpdateSet({ url: mail.url, revision: sql`webhooks.revision + 1` })
        .where('webhooks.url', '<>', mail.url),
    )
    .execute();
}

type WebhookName = Pick<Webhook, 'environment' | 'webhookId'>;

function audit(
  db: Pick<Database, 'kysely'>,
  { environment, webhookId }: WebhookName,
  action: AuditAction,
  actor: Actor,
  after = {},
) {
  return insertAuditEntry(db, { ...actor, action, resource: `webhooks/${webhookId}`, environment, after });
}

/** IDs come from callers and may be any text. */
const isWebhook = (webhookId: string) => sql<boolean>`webhook_id::text = ${webhookId}`;

const selectWebhooks = ({ kysely }: Database, environment: string) =>
  kysely
    .selectFrom('webhooks')
    .select(columns)
    .where('environment', '=', environment)
    .$narrowType<NarrowColumns>();

export function findWebhook(
  db: Database,
  environment: string,
  webhookId: string,
): Promise<Webhook | undefined> {
  return selectWebhooks(db, environment).where(isWebhook(webhookId)).executeTakeFirst();
}

/** Lists webhooks after a key, oldest first. */
export function listWebhooks(
  db: Database,
  environment: string,
  limit: number,
  after?: PageKey,
): Promise<(Webhook & { createdAtUs: number })[]> {
  return selectWebhooks(db, environment)
    .$call(
      pageOf({ time: 'created_at', id: 'webhook_id', as: 'createdAtUs', isOldestFirst: true, after, limit }),
    )
    .execute();
}

/** Lists the latest deliveries, newest first, at most 50. */
export async function listDeliveries(
  { kysely }: Database,
  environment: string,
  webhookId: string,
): Promise<WebhookDelivery[] | undefined> {
  const found = kysely.selectFrom('webhooks').select('deliveries').where('environment', '=', environment);
  const row = await found.where(isWebhook(webhookId)).executeTakeFirst();
  return row?.deliveries as WebhookDelivery[] | undefined;
}

/** With `revision`, only that revision is changed. */
export type WebhookEdit = Partial<
  Pick<Webhook, 'url' | 'kinds' | 'description' | 'state' | 'secrets' | 'position' | 'revision'>
>;

/**
 * Changes a webhook, ends its pause after failures, and lets no delivery under way store its
 * position. Undefined when it is unknown or has another revision.
 */
export async function updateWebhook(
  db: Database,
  name: WebhookName,
  { secrets, position, revision, ...edit }: WebhookEdit,
  action: AuditAction,
  actor: Actor,
): Promise<Webhook | undefined> {
  const updated = await db.kysely
    .updateTable('webhooks')
    .set({ ...edit, updated_at: now, revision: sql`revision + 1`, attempts: 0, next_at: now })
    .set({ ...(secrets && { secrets: JSON.stringify(secrets) }) })
    .set({ ...(position && { position: JSON.stringify(position) }), node: null, leased_until: null })
    .where('environment', '=', name.environment)
    .where(isWebhook(name.webhookId))
    .$if(revision !== undefined, (webhooks) => webhooks.where('revision', '=', revision!))
    .returning(columns)
    .$narrowType<NarrowColumns>()
    .executeTakeFirst();
  if (updated) await audit(db, name, action, actor, edit);
  return updated;
}

/** Returns whether it existed. */
export async function deleteWebhook(db: Database, name: WebhookName, actor: Actor): Promise<boolean> {
  const { numDeletedRows } = await db.kysely
    .deleteFrom('webhooks')
    .where('environment', '=', name.environment)
    .where(isWebhook(name.webhookId))
    .executeTakeFirst();
  if (numDeletedRows > 0n) await audit(db, name, 'webhooks.delete', actor);
  return numDeletedRows > 0n;
}

const isDue = sql<boolean>`state = 'active' and next_at <= clock_timestamp()
  and coalesce(leased_until < clock_timestamp(), true)`;

/** Lists active webhooks that no node delivers to, and whose pause is over. */
export function listDueWebhooks({ kysely }: Database, environments: readonly string[]) {
  return kysely
    .selectFrom('webhooks')
    .select(['webhook_id as webhookId', 'position'])
    .where('environment', 'in', environments)
    .where(isDue)
    .$narrowType<Pick<Webhook, 'position'>>()
    .execute();
}

/** Takes the lease of a due webhook; undefined when another node was faster. */
export function claimWebhook(
  { kysely }: Database,
  webhookId: string,
  node: string,
): Promise<Webhook | undefined> {
  return kysely
    .updateTable('webhooks')
    .set({ node, leased_until: lease })
    .where('webhook_id', '=', webhookId)
    .where(isDue)
    .returning(columns)
    .$narrowType<NarrowColumns>()
    .executeTakeFirst();
}

export type DeliveryProgress = {
  position: ChangePosition;
  attempts: number;
  state: WebhookState;
  deliveries: readonly WebhookDelivery[];
  /** Milliseconds until the next attempt, which gives the lease back; absent to keep it. */
  pauseMs?: number;
};

/** Stores progress; false when the webhook was edited, deleted or given to another node meanwhile. */
export async function reportDeliveries(
  { kysely }: Database,
  { webhookId, revision }: Pick<Webhook, 'webhookId' | 'revision'>,
  node: string,
  { position, attempts, state, deliveries, pauseMs }: DeliveryProgress,
): Promise<boolean> {
  const newest = JSON.stringify(deliveries.toReversed());
  const isReleased = pauseMs !== undefined;
  const { numUpdatedRows } = await kysely
    .updateTable('webhooks')
    .set({ position: JSON.stringify(position), attempts, state })
    .set({ node: isReleased ? null : node, leased_until: isReleased ? null : lease })
    .set({ next_at: sql<Date>`clock_timestamp() + ${pauseMs ?? 0}::float8 * interval '1 millisecond'` })
    .set({
      deliveries: sql<string>`jsonb_path_query_array(${newest}::jsonb || deliveries,
        ${`$[0 to ${keptDeliveries - 1}]`}::jsonpath)`,
    })
    .where('webhook_id', '=', webhookId)
    .where('revision', '=', revision)
    .where('node', '=', node)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
