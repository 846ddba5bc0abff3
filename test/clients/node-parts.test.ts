/** The decisions of the server client: retries, tokens and runtimes. */

import { runInNewContext } from 'node:vm';
import { create } from '@bufbuild/protobuf';
import test, { type ExecutionContext } from 'ava';
import { build } from 'esbuild-bundler';
import { createAccessTokens } from '../../clients/node/src/access-token.ts';
import { createPersonalisation } from '../../clients/node/src/client.ts';
import { PersonalisationError } from '../../clients/node/src/errors.ts';
import type { LostEvent } from '../../clients/node/src/event-backlog.ts';
import { createEventQueue } from '../../clients/node/src/events.ts';
import { isIdempotent } from '../../clients/node/src/idempotency.ts';
import { jsonSafe } from '../../clients/node/src/json-safe.ts';
import { createRetryBudget } from '../../clients/node/src/retry.ts';
import {
  CreateEventsRequestSchema,
  CreateEventsResponseSchema,
  EventService,
} from '../../gen/es/personalisation/v1/event_service_pb.js';
import { ItemService } from '../../gen/es/personalisation/v1/item_service_pb.js';
import { RecommendationsSchema } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import { CompletionsSchema } from '../../gen/es/personalisation/v1/search_pb.js';
import { DeletionReceiptSchema } from '../../gen/es/personalisation/v1/user_pb.js';
import { services } from '../../gen/rest/services.ts';

/** Methods that declare `idempotency_level = IDEMPOTENT`; all other writes are sent once. */
const repeatedWrites = [
  'BatchService/CancelBatch',
  'BlockedQueryService/PutBlockedQueries',
  'CatalogueService/PutItems',
  'ExperimentService/PutExperiment',
  'ImportService/CancelImport',
  'ImportService/UploadImportPart',
  'InterestService/PutInterest',
  'ItemService/ApplyItemChanges',
  'ItemService/DeleteItem',
  'ItemService/DisableItem',
  'ItemService/EnableItem',
  'ItemService/PutItem',
  'ItemService/UpdateItem',
  'PageService/CreatePage',
  'PageService/PutPage',
  'PersonService/SetPersonRoles',
  'RecommendationService/CreateRecommendations',
  'SearchService/CreateCompletions',
  'SearchService/CreateSearch',
  'SynonymService/PutSynonym',
  'TokenService/CreateToken',
  'ViewService/PutView',
  'WebhookService/UpdateWebhook',
];

test('reads and idempotent writes may be repeated, other calls are sent once', (t) => {
  const isRead = /^(Get|List|Count|Query|Read|Compare|Diff|Explain|Lint|Preview|Try)[A-Z]/;
  const unary = services
    .flatMap(({ methods }) => methods)
    .filter((method) => method.methodKind === 'unary' && method !== EventService.method.createEvents);
  const [reads, writes] = [true, false].map((wanted) =>
    unary.filter(({ name }) => isRead.test(name) === wanted),
  );
  t.true(reads.every((method) => isIdempotent(method, create(method.input))));
  const repeated = writes.filter((method) => isIdempotent(method, create(method.input)));
  t.deepEqual(repeated.map(({ parent, name }) => `${parent.name}/${name}`).toSorted(), repeatedWrites);
});

test('a write of one revision is sent once, any other write of an item may be sent twice', (t) => {
  const { putItem } = ItemService.method;
  t.true(isIdempotent(putItem, create(putItem.input)));
  t.false(isIdempotent(putItem, create(putItem.input, { expectedRevision: 3 })));
});

test('events may be sent twice if each has an id', (t) => {
  const request = (...eventIds: (string | undefined)[]) =>
    create(CreateEventsRequestSchema, { batch: { events: eventIds.map((eventId) => ({ eventId })) } });
  t.true(isIdempotent(EventService.method.createEvents, request('a', 'b')));
  t.false(isIdempotent(EventService.method.createEvents, request('a', undefined)));
  t.false(isIdempotent(EventService.method.createEvents, create(CreateEventsRequestSchema)));
});

test('an unavailable service gets few retries until it answers again', (t) => {
  const budget = createRetryBudget(10);
  const allowed = Array.from({ length: 100 }, () => budget.fail()).filter(Boolean);
  t.is(allowed.length, 4);
  for (let count = 0; count < 100; count += 1) budget.succeed();
  t.true(budget.fail());
});

test('waiting for a busy service ends with the timeout of the call', async (t) => {
  let calls = 0;
  const busy = async () => {
    calls += 1;
    return new Response('', { status: 503, headers: { 'retry-after': '2' } });
  };
  const client = createPersonalisation({ baseUrl: 'http://shop.test', environment: 'shop', fetch: busy });
  const lists = [{ configurationId: 'all', listName: 'l', listSize: 1 }];
  const request = { deviceId: 'd', pageType: 'home', lists };
  const fallback = { l: ['boots'] };
  const answer = await client.recommend(request, { timeoutMs: 1_900, fallback });
  t.true(answer.isFallback);
  t.is(answer.error?.reason, 'UNAVAILABLE');
  t.is(answer.error?.retryAfterMs, 2_000);
  t.is(calls, 1);
});

test('a token is renewed once before it expires, and kept while the renewal fails', async (t) => {
  let nowMs = 0;
  let fetchCount = 0;
  let isAway = false;
  const tokens = createAccessTokens(
    async () => {
      fetchCount += 1;
      if (isAway) throw new Error('away');
      return { value: `token ${fetchCount}`, lifetimeMs: 100_000 };
    },
    () => nowMs,
  );
  t.deepEqual(await Promise.all([tokens.get(), tokens.get()]), ['token 1', 'token 1']);
  nowMs = 85_000;
  isAway = true;
  t.is(await tokens.get(), 'token 1');
  await t.throwsAsync(
    (async () => {
      nowMs = 99_000;
      return await tokens.get();
    })(),
    { message: 'away' },
  );
  isAway = false;
  const renewed = await tokens.get();
  t.not(renewed, 'token 1');
  tokens.discard('another');
  t.is(await tokens.get(), renewed);
  tokens.discard(renewed);
  t.not(await tokens.get(), renewed);
});

/** Delays of the pending timers, latest last; none runs by itself. */
function standTimers(t: ExecutionContext) {
  const { setTimeout, clearTimeout } = globalThis;
  const standing = new Map<number, { delayMs: number; run: () => void }>();
  let count = 0;
  const start = (run: () => void, delayMs = 0) => {
    standing.set(++count, { delayMs, run });
    return count;
  };
  Object.assign(globalThis, { setTimeout: start, clearTimeout: (timer: number) => standing.delete(timer) });
  t.teardown(() => Object.assign(globalThis, { setTimeout, clearTimeout }));
  return {
    delays: () => Array.from(standing.values(), ({ delayMs }) => delayMs),
    async runAll() {
      const due = [...standing.values()];
      standing.clear();
      for (const { run } of due) run();
      await new Promise(setImmediate);
    },
  };
}

const visit = { eventType: 'page_visit', deviceId: 'd', pageType: 'home' } as const;

test.serial('new events do not shorten the pause before the next attempt', async (t) => {
  const timers = standTimers(t);
  let attempts = 0;
  const queue = createEventQueue(
    async () => {
      attempts += 1;
      queue.track(visit);
      throw new TypeError('fetch failed');
    },
    { intervalMs: 500 },
  );
  queue.track(visit);
  for (const doublings of [1, 2, 3, 4]) {
    await timers.runAll();
    t.is(attempts, doublings);
    const [delayMs, ...others] = timers.delays();
    t.deepEqual(others, []);
    t.true(delayMs >= 250 * 2 ** doublings);
  }
});

for (const [asked, retryAfterMs, least] of [
  ['20 s', 20_000, 20_000],
  ['an hour', 3_600_000, 60_000],
] as const)
  test.serial(`events wait as long as a busy service requests, at most a minute: ${asked}`, async (t) => {
    const timers = standTimers(t);
    const queue = createEventQueue(async () => {
      throw new PersonalisationError('RATE_LIMITED', 'Too many calls.', { retryAfterMs });
    });
    queue.track(visit);
    await timers.runAll();
    const [delayMs, ...others] = timers.delays();
    t.deepEqual(others, []);
    t.true(delayMs >= least && delayMs <= least + 1_000, String(delayMs));
  });

test.serial('events of a failed flush are sent again without another event', async (t) => {
  const timers = standTimers(t);
  let isAway = true;
  const stored: string[] = [];
  const queue = createEventQueue(async (events) => {
    if (isAway) throw new TypeError('fetch failed');
    stored.push(...events.map(({ deviceId }) => deviceId!));
    return create(CreateEventsResponseSchema, { acceptedCount: events.length });
  });
  queue.track(visit);
  await t.throwsAsync(queue.flush(), { message: /cannot be reached/ });
  isAway = false;
  await timers.runAll();
  t.deepEqual(stored, ['d']);
});

test.serial('events that arrive during a send wait for more, and delay no flush', async (t) => {
  const timers = standTimers(t);
  const batches: number[] = [];
  let isFlowing = true;
  const queue = createEventQueue(async (events) => {
    batches.push(events.length);
    if (batches.length === 20) isFlowing = false;
    if (isFlowing) queue.track(visit);
    return create(CreateEventsResponseSchema, { acceptedCount: events.length });
  });
  queue.track(visit);
  queue.track(visit);
  await queue.flush();
  t.deepEqual(batches, [2]);
  t.deepEqual(timers.delays(), [500]);
  await timers.runAll();
  t.deepEqual(batches, [2, 1]);
  isFlowing = false;
  await queue.close();
  t.deepEqual(batches, [2, 1, 1]);
});

test('an event that cannot be sent rejects, is reported, and throws nothing', async (t) => {
  const lost: string[] = [];
  const onLost = (some: LostEvent[]) => lost.push(...some.map(({ error }) => error.message));
  const queue = createEventQueue(async () => create(CreateEventsResponseSchema), { onLost });
  const misspelt = { ...visit, eventType: 'page_vizit' as 'page_visit' };
  const error = await t.throwsAsync<PersonalisationError>(queue.track(misspelt));
  t.is(error?.reason, 'BODY_INVALID');
  t.is(error?.violations[0].pointer, '/event_type');
  await queue.close();
  await t.throwsAsync(queue.track(visit), { message: 'The client is closed.' });
  t.deepEqual(lost, ['Unknown event type "page_vizit".', 'The client is closed.']);
});

test('JSON can hold every answer: times as RFC 3339, large integers exactly', (t) => {
  const list = { listName: 'l', expiresAt: { seconds: 1_700_000_000n, nanos: 500_000_000 } };
  const answer = jsonSafe(create(RecommendationsSchema, { requestId: 'r', lists: [list, {}] }));
  const read = JSON.parse(JSON.stringify({ lists: answer.lists }));
  t.is(read.lists[0].expiresAt, '2023-11-14T22:13:20.500Z');
  t.deepEqual(Object.keys(answer.lists[0].expiresAt!), ['$typeName', 'seconds', 'nanos']);
  const ids = [7n, 2n ** 60n].map((requestId) => jsonSafe(create(CompletionsSchema, { requestId })));
  t.deepEqual(
    ids.map((completions) => JSON.parse(JSON.stringify(completions)).requestId),
    [7, '1152921504606846976'],
  );
  const receipt = jsonSafe(create(DeletionReceiptSchema, { deleted: { events: 3n } }));
  t.deepEqual(JSON.parse(JSON.stringify(receipt)).deleted, { events: 3 });
  t.deepEqual(Object.entries(receipt.deleted), [['events', 3n]]);
});

test('a sign-out that cannot be sent rejects', async (t) => {
  const client = createPersonalisation({
    ...{ baseUrl: 'http://shop.test', environment: 'shop' },
    events: { onLost: () => undefined },
  });
  await client.close();
  await t.throwsAsync(client.signOut('d'), { message: 'The client is closed.' });
});

test('it runs with fetch and without Node', async (t) => {
  const { outputFiles } = await build({
    entryPoints: [new URL('../../clients/node/src/index.ts', import.meta.url).pathname],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'personalisation',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    conditions: ['import'],
  });
  const asked: string[] = [];
  const edge = {
    fetch: async (url: string) => {
      asked.push(url);
      return new Response('', { status: 503 });
    },
    ...{ URL, Headers, Response, Request, AbortController, AbortSignal, DOMException },
    ...{ TextEncoder, TextDecoder, setTimeout, clearTimeout, crypto, performance },
  };
  const answer = await runInNewContext(
    `${outputFiles[0].text};
     personalisation.createPersonalisation({ baseUrl: 'https://personal.example', environment: 'shop', maxRetries: 0 })
       .recommend({ deviceId: 'd', pageType: 'home', lists: [{ listName: 'a', listSize: 2 }] },
                  { fallback: { a: ['x', 'y', 'z'] }, timeoutMs: 60_000 })`,
    edge,
  );
  t.deepEqual(asked, [
    'https://personal.example/personalisation.v1.RecommendationService/CreateRecommendations',
  ]);
  t.is(answer.lists[0].items.length, 2);
});
