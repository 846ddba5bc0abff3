/** Feedback from clicks: counts of clicks, and the worth of items. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { pino } from 'pino';
import { createClickFolding } from '../../../../src/handlers/searches/replica/click-counts.ts';
import { createSearchFeedback } from '../../../../src/handlers/searches/replica/click-replica.ts';
import { createCatalog } from '../../../../src/ranking/catalog/catalog.ts';
import type { ServingEnvironment } from '../../../../src/ranking/environment/serving-environment.ts';
import { createClickWorths, halfLifeMs } from '../../../../src/ranking/search/serving/click-worths.ts';
import {
  fingerprintOf,
  foldQuery,
  readFingerprint,
  requestIdOf,
} from '../../../../src/ranking/search/serving/query-fingerprint.ts';
import {
  type ClickRow,
  foldSearchEvents,
  type SearchEvent,
} from '../../../../src/repository/search/search-clicks.ts';
import { createTestDatabase } from '../../../support/database.ts';
import { commitEvents } from '../../../support/events.ts';

const fingerprint = fingerprintOf('red shoes');

test('an identifier of a search is unique and reveals its query', (t) => {
  const [first, second] = [requestIdOf(fingerprint), requestIdOf(fingerprint)];
  t.regex(first, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  t.not(first, second);
  t.is(readFingerprint(first), fingerprint);
  t.is(readFingerprint(second), fingerprint);
  t.is(readFingerprint(requestIdOf(1)), 1);
});

for (const foreign of [
  randomUUID(),
  '12345',
  '',
  `${requestIdOf(fingerprint)}0`,
  '00000000-0000-8000-8000-000000000000',
]) {
  test(`${foreign || 'an empty text'} is not an identifier of a search`, (t) => {
    t.is(readFingerprint(foreign), undefined);
  });
}

test('queries that differ only in case, accents and punctuation are equal', (t) => {
  t.is(foldQuery('  Café,  CRÈME! '), foldQuery('cafe creme'));
  t.is(foldQuery('\u0001 \u0002'), '');
});

const event = (given: Partial<SearchEvent> = {}): SearchEvent => ({
  environment: 'shop',
  requestId: requestIdOf(fingerprint),
  itemType: 'product',
  itemId: 'a',
  isClick: true,
  visitor: 'dv1',
  occurredAtMs: 1_000_000,
  ...given,
});

const fold = (events: SearchEvent[], rows: ClickRow[] = []) => createClickFolding().fold(events, rows);
const visitors = (count: number, given: Partial<SearchEvent> = {}) =>
  Array.from({ length: count }, (_, i) => event({ visitor: `dv${i}`, ...given }));

test('a visitor counts once for any number of clicks and searches', (t) => {
  const [row] = fold(Array.from({ length: 100 }, () => event()));
  t.is(row.clicks, 1);
  const [again] = fold([event(), event({ isClick: false })], [row]);
  t.is(again.clicks, 1);
  t.is(again.views, 1);
  t.is(fold(visitors(5), [row])[0].clicks, 5);
});

test('memory of visitors is bounded', (t) => {
  const [row] = fold(visitors(1_000));
  t.is(row.clicks, 1_000);
  t.is(row.clickers.length, 64 * 4);
});

test('counts fade by half in a half-life, and late events count as faded', (t) => {
  const [row] = fold(visitors(4));
  const later = 1_000_000 + halfLifeMs;
  const [faded] = fold([event({ visitor: 'dnew', occurredAtMs: later })], [row]);
  t.true(Math.abs(faded.clicks - 3) < 1e-9);
  const [late] = fold([event({ visitor: 'dlate' })], [faded]);
  t.true(Math.abs(late.clicks - 3.5) < 1e-9);
  t.is(late.countedAtMs, later);
});

test('events with foreign identifiers are left out', (t) => {
  const folding = createClickFolding();
  const foreign = [event({ requestId: randomUUID() })];
  t.deepEqual(folding.keysOf(foreign), []);
  t.deepEqual(folding.fold(foreign, []), []);
  t.is(folding.keysOf([event(), event(), event({ itemId: 'b' })]).length, 2);
});

function worthsOf(events: SearchEvent[]) {
  const catalog = createCatalog({ properties: [], itemTypes: ['product'] });
  for (const itemId of ['a', 'b', 'c'])
    catalog.apply({ itemType: 'product', itemId, document: {}, enabled: true, revision: 1 });
  const worths = createClickWorths(() => catalog);
  for (const { clickers, ...row } of fold(events))
    worths.apply({ ...row, clickerCount: clickers.length / 4 });
  const worth = worths.worthOf('shop', fingerprint, 1_000_000);
  return (itemId: string) => worth?.(catalog.indexOf('product', itemId)!) ?? 0;
}

test('clicked items rise, items seen without a click sink, unseen items stay', (t) => {
  const worth = worthsOf([
    ...visitors(20, { isClick: false }),
    ...visitors(20, { isClick: false, itemId: 'b' }),
    ...visitors(15),
  ]);
  t.true(worth('a') > 0.2 && worth('a') < 1);
  t.true(worth('b') < -0.2 && worth('b') > -1);
  t.is(worth('c'), 0);
});

test('clicks count without reported impressions', (t) => {
  t.true(worthsOf(visitors(10))('a') > 0.5);
});

test('one or two visitors raise nothing', (t) => {
  t.true(worthsOf(visitors(2))('a') <= 0);
  t.true(worthsOf(visitors(3))('a') > 0);
});

test('nodes drop counts that the database has deleted', async (t) => {
  const db = await createTestDatabase(t);
  const catalog = createCatalog({ properties: [], itemTypes: ['product'] });
  for (const itemId of ['a', 'b'])
    catalog.apply({ itemType: 'product', itemId, document: {}, enabled: true, revision: 1 });
  const environments = new Map([
    ['shop', { catalog, wordUsage: new Map() } as unknown as ServingEnvironment],
  ]);
  await commitEvents(
    db,
    ['a', 'b'].flatMap((itemId) =>
      Array.from({ length: 5 }, (_, i) => ({
        environment: 'shop',
        eventType: 'search_click_on_recommendation',
        occurredAtMs: Date.now(),
        deviceId: `d${i}`,
        itemType: 'product',
        itemId,
        requestId: requestIdOf(fingerprint),
        robot: false,
        details: {},
      })),
    ),
  );
  while (await foldSearchEvents(db, 'shop', createClickFolding()));
  const logger = pino({ enabled: false });
  const feedback = createSearchFeedback({ db, environments, logger, intervalMs: 5, pollsPerTidying: 3 });
  await feedback.start();
  t.teardown(() => feedback.stop());
  const worth = (itemId: string) =>
    feedback.worthOf('shop', 'red shoes', Date.now())!(catalog.indexOf('product', itemId)!);
  t.true(worth('a') > 0);
  await db.pool.query(`delete from search_clicks where item_id = 'a'`);
  while (worth('a') !== 0) await delay(5);
  t.true(worth('b') > 0);
});

test('counts apply only to their query and environment', (t) => {
  const catalog = createCatalog({ properties: [], itemTypes: ['product'] });
  const worths = createClickWorths(() => catalog);
  t.is(worths.worthOf('shop', 1, 0), undefined);
});
