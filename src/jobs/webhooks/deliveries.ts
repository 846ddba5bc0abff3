/**
 * Delivers the outbox to webhooks: at least once, with the same id each time.
 *
 * Each webhook has its own run, so a slow receiver delays no other. A run sends a few changes at
 * once, then stores the position behind the first ones that succeeded.
 */

import type { Logger } from 'pino';
import { createPeriodic, type Periodic } from '../../ranking/runtime/periodic.ts';
import {
  deleteOldChanges,
  findChangeEnds,
  listChanges,
  type StoredChange,
} from '../../repository/changes/changes.ts';
import {
  claimWebhook,
  type DeliveryProgress,
  listDueWebhooks,
  reportDeliveries,
  type Webhook,
  type WebhookDelivery,
} from '../../repository/changes/webhooks.ts';
import type { Database } from '../../repository/database.ts';
import { cloudEventOf } from './cloud-event.ts';
import type { SendWebhook } from './send-webhook.ts';

const pauseMs = 500;
const cleanEveryMs = 600_000;
/** Requests to one receiver at a time. */
const atOnce = 8;

/** Pauses double from the first to the longest; after `mostAttempts` the webhook is failing. */
export type WebhookRetries = { firstMs: number; longestMs: number; mostAttempts: number };

/** About two days. */
const usualRetries: WebhookRetries = { firstMs: 2_000, longestMs: 3_600_000, mostAttempts: 60 };

export type DeliveryOptions = {
  db: Database;
  /** Identifies this process. */
  node: string;
  environments: readonly string[];
  retentionDays: number;
  send: SendWebhook;
  /** Returns the secrets that sign, newest first. */
  secretsOf(webhook: Pick<Webhook, 'secrets'>): Promise<string[]>;
  retries?: WebhookRetries;
  logger: Logger;
};

export type Deliveries = Pick<Periodic, 'start' | 'wake' | 'stop'>;

export function createDeliveries(options: DeliveryOptions): Deliveries {
  const { db, environments, retentionDays, logger } = options;
  const runs = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const begin = (webhookId: string) => {
    const run = deliver(options, webhookId, stopping.signal)
      .catch((err) =>
        logger.warn({ err, webhook_id: webhookId }, 'A webhook could not be delivered; trying again.'),
      )
      .finally(() => runs.delete(webhookId));
    runs.set(webhookId, run);
  };
  const finder = createPeriodic({
    async work() {
      const due = await listDueWebhooks(db, environments);
      const waiting = due.filter(({ webhookId }) => !runs.has(webhookId));
      if (waiting.length === 0) return;
      const ends = await findChangeEnds(db);
      for (const { webhookId, position } of waiting)
        if (ends.some((end, bucket) => end > (position[bucket] ?? 0))) begin(webhookId);
    },
    pauseMs,
    complaint: 'Webhooks could not be read; trying again.',
    logger,
  });
  const cleaner = createPeriodic({
    work: () => deleteOldChanges(db, retentionDays),
    pauseMs: cleanEveryMs,
    complaint: 'Old changes could not be deleted; trying again.',
    logger,
  });
  return {
    start() {
      finder.start();
      cleaner.start();
    },
    wake: finder.wake,
    async stop() {
      stopping.abort();
      await Promise.all([finder.stop(), cleaner.stop(), ...runs.values()]);
    },
  };
}

/** Delivers until there is nothing more, an attempt fails, or the lease is lost. */
async function deliver(options: DeliveryOptions, webhookId: string, signal: AbortSignal): Promise<void> {
  const { db, node } = options;
  const webhook = await claimWebhook(db, webhookId, node);
  if (!webhook) return;
  const position = [...webhook.position];
  const report = (progress: Omit<DeliveryProgress, 'position'>) =>
    reportDeliveries(db, webhook, node, { ...progress, position });
  const rest = { attempts: 0, state: 'active' as const, deliveries: [] };
  const ends = await findChangeEnds(db);
  for (const [bucket, end] of ends.entries()) {
    while (position[bucket] < end && !signal.aborted) {
      const page = { ...webhook, bucket, sinceNumber: position[bucket], end };
      const { changes, reached, lostUntil } = await listChanges(db, page);
      if (lostUntil !== undefined) changes.unshift(lostChange(webhook, bucket, position[bucket], lostUntil));
      for (let first = 0; first < changes.length && !signal.aborted; first += atOnce) {
        const chunk = changes.slice(first, first + atOnce);
        const sent = await sendAll(options, webhook, position, chunk, signal);
        const failed = sent.findIndex(({ error }) => error !== undefined);
        if (failed > 0) position[bucket] = chunk[failed - 1].number;
        if (failed < 0) position[bucket] = chunk.at(-1)!.number;
        else return void (await report(afterFailure(options, webhook, sent, failed, signal)));
        webhook.attempts = 0;
        if (!(await report({ ...rest, deliveries: sent }))) return;
      }
      if (signal.aborted) break;
      position[bucket] = reached;
    }
  }
  await report({ ...rest, attempts: webhook.attempts, pauseMs: 0 });
}

/** Tells a receiver that changes were deleted before they were delivered. The id is that of the first. */
function lostChange({ environment }: Webhook, bucket: number, since: number, number: number): StoredChange {
  const changeId = `lost-${bucket}-${since + 1}`;
  return { bucket, number, environment, changeId, kind: 'changes.lost', data: {}, changedAt: new Date() };
}

async function sendAll(
  { send, secretsOf }: DeliveryOptions,
  webhook: Webhook,
  position: readonly number[],
  changes: readonly StoredChange[],
  signal: AbortSignal,
): Promise<WebhookDelivery[]> {
  const { url } = webhook;
  const secrets = await secretsOf(webhook);
  return Promise.all(
    changes.map((change) => {
      const { changeId, kind, bucket, number } = change;
      const body = cloudEventOf(change, position.with(bucket, number));
      return send({ url, secrets, changeId, kind, body }, signal);
    }),
  );
}

/** An attempt that this node's stop has cut off does not count. */
function afterFailure(
  { retries = usualRetries }: DeliveryOptions,
  webhook: Webhook,
  deliveries: WebhookDelivery[],
  failed: number,
  signal: AbortSignal,
): Omit<DeliveryProgress, 'position'> {
  const known = failed > 0 ? 0 : webhook.attempts;
  if (signal.aborted) return { attempts: known, state: 'active', deliveries: [], pauseMs: 0 };
  const attempts = known + 1;
  const pauseMs = Math.min(retries.longestMs, retries.firstMs * 2 ** Math.min(known, 30));
  const isGone = deliveries.some(({ status }) => status === 410);
  const state = attempts >= retries.mostAttempts ? 'failing' : 'active';
  return { attempts, state: isGone ? 'disabled' : state, deliveries, pauseMs };
}
