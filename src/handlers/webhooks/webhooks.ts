/** Operations of WebhookService. */

import { randomUUID } from 'node:crypto';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type WebhookDeliverySchema,
  type Webhook as WebhookMessage,
  WebhookSchema,
  WebhookState,
} from '../../../gen/es/personalisation/v1/webhook_pb.js';
import { WebhookService } from '../../../gen/es/personalisation/v1/webhook_service_pb.js';
import { cloudEventOf, formatCursor, parseCursor } from '../../jobs/webhooks/cloud-event.ts';
import type { ReceiverAddresses } from '../../jobs/webhooks/receiver-address.ts';
import type { SendWebhook } from '../../jobs/webhooks/send-webhook.ts';
import type { AuditAction } from '../../repository/audit/audit-entries.ts';
import { findChangeEnds, findChangeStarts } from '../../repository/changes/changes.ts';
import {
  deleteWebhook,
  findWebhook,
  insertWebhook,
  listDeliveries,
  listWebhooks,
  updateWebhook,
  type Webhook,
  type WebhookDelivery,
  type WebhookEdit,
  type WebhookSecret,
} from '../../repository/changes/webhooks.ts';
import type { Database } from '../../repository/database.ts';
import type { WebhookSecrets } from '../../security/webhook-secrets.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { notFound, refuse } from '../chain/refuse.ts';
import { actorOf } from '../messages/actor.ts';
import { readMessages } from '../messages/pages.ts';
import { enumValue } from '../messages/values.ts';

export type WebhookHandlersOptions = {
  db: Database;
  clock: () => number;
  secrets: WebhookSecrets;
  addresses: ReceiverAddresses;
  send: SendWebhook;
  deliveries: { wake(): void };
};

const pageLimits = { usual: 50, most: 200 };
const mostWebhooks = 50;
const usualOverlapHours = 24;
const hourMs = 3_600_000;

type WebhookName = { environment: string; webhookId: string };

export function createWebhookHandlers(options: WebhookHandlersOptions) {
  const { db, secrets, addresses, deliveries } = options;
  const findOrRefuse = async ({ environment, webhookId }: WebhookName) =>
    (await findWebhook(db, environment, webhookId)) ?? refuseWebhook(webhookId);
  const edit = async (name: WebhookName, change: WebhookEdit, action: AuditAction, call: Call) => {
    const updated = await updateWebhook(db, name, change, action, actorOf(call));
    deliveries.wake();
    return updated ?? refuseWebhook(name.webhookId);
  };

  return implement(WebhookService, {
    async createWebhook({ environment, webhook }, call) {
      const write = { environment, ...readWebhook(webhook!, addresses) };
      const secret = await secrets.create();
      const position = await findChangeEnds(db);
      const given = { ...write, webhookId: randomUUID(), secrets: [secret.stored], position };
      const created = await insertWebhook(db, given, mostWebhooks, actorOf(call));
      const detail = `The environment has ${mostWebhooks} webhooks; delete one first.`;
      if (!created) refuse([{ pointer: '', detail }]);
      return { webhook: webhookMessage(created!), secret: secret.text };
    },
    listWebhooks: ({ environment, ...page }, call) =>
      readMessages('webhooks', page, call, {
        kinds: ['number', 'uuid'],
        list: (limit, after) => listWebhooks(db, environment, limit, after),
        keyOf: ({ createdAtUs, webhookId }) => [createdAtUs, webhookId],
        chosen: ['webhooks', environment],
        limits: pageLimits,
        schema: WebhookSchema,
        messageOf: webhookMessage,
      }),
    getWebhook: async (name) => ({ webhook: webhookMessage(await findOrRefuse(name)) }),
    async updateWebhook({ webhook, ...name }, call) {
      const change = readWebhook(webhook!, addresses);
      return { webhook: webhookMessage(await edit(name, change, 'webhooks.update', call)) };
    },
    async deleteWebhook(name, call) {
      if (!(await deleteWebhook(db, name, actorOf(call)))) refuseWebhook(name.webhookId);
      return {};
    },
    async rotateWebhookSecret({ overlapHours = usualOverlapHours, ...name }, call) {
      const { text, stored } = await secrets.create();
      const expiresAtMs = options.clock() + overlapHours * hourMs;
      /** An edit meanwhile, such as another rotation, starts over. */
      for (let updated: Webhook | undefined; !updated; ) {
        const { secrets: known, revision } = await findOrRefuse(name);
        const rotated = secrets.active([stored, ...known.map((one) => expiring(one, expiresAtMs))]);
        const change = { secrets: rotated, revision };
        updated = await updateWebhook(db, name, change, 'webhooks.rotate_secret', actorOf(call));
      }
      return { secret: text };
    },
    testWebhook: async (name, call) => ({
      delivery: deliveryMessage(await sendTest(options, await findOrRefuse(name), call.signal)),
    }),
    async replayWebhook({ after, ...name }, call) {
      const position =
        after === '' ? await findChangeStarts(db) : parseCursor(after, await findChangeEnds(db));
      if (!position) refuse([{ pointer: '/after', detail: 'Must be the cursor of a change.' }]);
      return { webhook: webhookMessage(await edit(name, { position }, 'webhooks.replay', call)) };
    },
    async listWebhookDeliveries({ environment, webhookId }) {
      const attempts = (await listDeliveries(db, environment, webhookId)) ?? refuseWebhook(webhookId);
      return { deliveries: attempts.map(deliveryMessage) };
    },
  });
}

const expiring = (secret: WebhookSecret, atMs: number): WebhookSecret => ({
  ...secret,
  expiresAtMs: Math.min(atMs, secret.expiresAtMs ?? atMs),
});

async function sendTest(
  { secrets, send, clock }: WebhookHandlersOptions,
  { url, environment, position, secrets: stored }: Webhook,
  signal: AbortSignal | undefined,
): Promise<WebhookDelivery> {
  const [changeId, kind] = [randomUUID(), 'webhook.test'] as const;
  const change = { changeId, kind, environment, changedAt: new Date(clock()), data: {} };
  const body = cloudEventOf(change, position);
  return send({ url, kind, changeId, body, secrets: await secrets.open(stored) }, signal);
}

function readWebhook({ url, kinds, description, state }: WebhookMessage, { faultOf }: ReceiverAddresses) {
  const fault = faultOf(url);
  if (fault !== undefined) refuse([{ pointer: '/url', detail: fault }]);
  if (state === WebhookState.FAILING)
    refuse([{ pointer: '/state', detail: 'Must be ACTIVE or DISABLED; the service sets FAILING.' }]);
  const stored = state === WebhookState.DISABLED ? ('disabled' as const) : ('active' as const);
  return { url, kinds: [...new Set(kinds)], description, state: stored };
}

function webhookMessage(webhook: Webhook): MessageInitShape<typeof WebhookSchema> {
  const { webhookId, url, kinds, description, state, attempts, position } = webhook;
  return {
    ...{ webhookId, url, kinds, description, failedAttempts: attempts },
    state: enumValue(WebhookState, state),
    cursor: formatCursor(position),
    nextAttemptTime: attempts > 0 && state === 'active' ? timestampFromDate(webhook.nextAt) : undefined,
    createTime: timestampFromDate(webhook.createdAt),
    updateTime: timestampFromDate(webhook.updatedAt),
  };
}

function deliveryMessage(delivery: WebhookDelivery): MessageInitShape<typeof WebhookDeliverySchema> {
  const { attemptedAtMs, error = '', ...rest } = delivery;
  return { ...rest, error, attemptTime: timestampFromMs(attemptedAtMs) };
}

function refuseWebhook(webhookId: string): never {
  throw notFound('WEBHOOK_UNKNOWN', 'webhook', webhookId, { webhook_id: webhookId });
}
