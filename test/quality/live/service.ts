/** The real service under a clock that the replay moves, spoken to over HTTP as a site does. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startApp } from '../../../src/app.ts';
import type { Deployment } from '../../../src/deployment/deployment.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { createTestDatabase } from '../../support/database.ts';
import { requestToken } from '../../support/service.ts';
import type { LoggedEvent, LoggedItem } from './log.ts';
import type { Page } from './questions.ts';

export type ListPlace = {
  page: Page;
  /** The item of an item page. */
  onDisplay?: string;
  basket: readonly string[];
  size: number;
  /** Strength of the calibration [the service's own]. */
  calibration?: number;
};

export type LiveService = {
  /** @param at Unix seconds. */
  moveTo(at: number): Promise<void>;
  putItems(items: readonly LoggedItem[]): Promise<void>;
  postEvents(events: readonly LoggedEvent[]): Promise<void>;
  /** Returns item ids, best first. */
  list(ids: Record<string, unknown>, place: ListPlace): Promise<string[]>;
  /** Resolves when a training that begins now has ended; returns its decision. */
  train(): Promise<string>;
  stop(): Promise<void>;
};

const eventsPerRequest = 1_000;
const itemsAtOnce = 32;
/** A token is good for an hour of the replay's time. */
const tokenSeconds = 1_800;
const patientMs = 60_000;

async function startUnder(deployment: Deployment, clock: () => number) {
  const database = await createTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'personalisation-live-'));
  const app = await startApp({
    deployment: patient(deployment),
    ...{ connection: database.connection, dataDir, port: 0, grpcPort: 0, trainingThreads: 2 },
    clock,
    logger: createLogger('error'),
  });
  const credentials = JSON.parse(await readFile(join(dataDir, 'admin-credentials.json'), 'utf8'));
  const admin = { clientId: credentials.client_id, clientSecret: credentials.client_secret };
  const stop = async () => {
    await app.stop();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { origin: `http://localhost:${app.port}/api`, admin, stop };
}

/** @param strengths Strengths of the calibration that lists may ask for. */
export async function startLiveService(
  deployment: Deployment,
  environment: string,
  strengths: readonly number[] = [],
): Promise<LiveService> {
  let nowSeconds = 0;
  const { origin, admin, stop } = await startUnder(deployment, () => nowSeconds * 1_000);
  let token = { text: '', until: 0 };
  const send = async (method: string, path: string, body?: unknown): Promise<Record<string, unknown>> => {
    if (nowSeconds > token.until)
      token = { text: await requestToken(origin, admin), until: nowSeconds + tokenSeconds };
    const response = await fetch(origin + path, {
      method,
      headers: { authorization: `Bearer ${token.text}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? {} : JSON.parse(text);
  };
  const call = (method: string, path: string, body?: unknown) => send(method, `/${environment}${path}`, body);

  return {
    async moveTo(at) {
      const isFirst = nowSeconds === 0;
      nowSeconds = at;
      if (!isFirst) return;
      for (const strength of [undefined, ...strengths]) {
        const body = strength === undefined ? {} : { calibration: { strength } };
        await send('PUT', `/configurations/${configurationOf(strength)}`, body);
      }
    },
    async putItems(items) {
      for (let start = 0; start < items.length; start += itemsAtOnce)
        await Promise.all(
          items
            .slice(start, start + itemsAtOnce)
            .map(({ itemType, itemId, document }) =>
              call('PUT', `/items/${itemType}/${encodeURIComponent(itemId)}`, document),
            ),
        );
    },
    async postEvents(events) {
      for (let start = 0; start < events.length; start += eventsPerRequest) {
        const documents = events.slice(start, start + eventsPerRequest).map(({ document }) => document);
        await call('POST', '/events', { events: documents });
      }
    },
    async list(ids, { page, onDisplay, basket, size, calibration }) {
      const lists = [{ configuration_id: configurationOf(calibration), list_name: 'live', list_size: size }];
      const answer = await call('POST', '/recommendations/requests', {
        ...{ ...ids, page_type: page, do_not_store: true, timeout_ms: patientMs, lists },
        context_item: onDisplay,
        histories: basket.length > 0 ? { basket: basket.map((id) => ({ id })) } : undefined,
      });
      const [{ items }] = answer.lists as { items: { item_id: string }[] }[];
      return items.map(({ item_id: itemId }) => itemId);
    },
    async train() {
      const training = (await call('POST', '/models/trainings')) as Record<string, string>;
      for (;;) {
        const path = `/models/trainings/${training.training_id}`;
        const now = (await call('GET', path)) as Record<string, string>;
        if (now.end_time) return now.decision;
        await delay(200);
      }
    },
    stop,
  };
}

const configurationOf = (strength?: number) => (strength === undefined ? 'live' : `live-${strength}`);

/**
 * Trains only when it is asked to, so that a replay is the same every time; waits for lists as long
 * as it takes. Nobody is in a control group, whose lists are not personal.
 */
function patient(deployment: Deployment): Deployment {
  const never = Number.MAX_SAFE_INTEGER;
  const environments = Array.from(deployment.environments, ([name, settings]) => {
    const training = { ...settings.training, intervalMinutes: never, newEvents: never, changedItems: never };
    const pagePurposes = new Map([...settings.pagePurposes, ['basket', 'complete_basket'] as const]);
    return [name, { ...settings, training, pagePurposes, userGroups: [], timeoutMs: patientMs }] as const;
  });
  return { ...deployment, environments: new Map(environments) };
}
