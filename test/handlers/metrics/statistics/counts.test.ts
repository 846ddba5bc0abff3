import assert from 'node:assert/strict';
import test from 'ava';
import { usualInterpretation } from '../../../../src/events/meaning.ts';
import type { EventRow } from '../../../../src/repository/event-row.ts';
import {
  type DimensionName,
  dimensionNames,
  type GroupName,
  propertyOf,
} from '../../../../src/repository/metrics/metric-dimensions.ts';
import { distinctMeasures, measures } from '../../../../src/repository/metrics/metric-measures.ts';
import { type CountQuery, listCounts } from '../../../../src/repository/metrics/metric-reads.ts';
import { createTestDatabase, type TestDatabase } from '../../../support/database.ts';
import { aggregateAll, commitEvents, createTestNode } from '../../../support/events.ts';
import { fc } from '../../../support/properties.ts';
import { recount } from './recount.ts';

const startMs = Date.UTC(2026, 4, 1);
const windowMs = 3 * 3_600_000;
const segments = ['segments.country', 'segments.device_class'] as const;
const interpretationOf = () => ({ ...usualInterpretation, metricSegments: ['country', 'device_class'] });

const eventTypes = [
  'impression',
  'click_on_recommendation',
  'click_on_recommendation',
  'search_click_on_recommendation',
  'session_click_on_recommendation',
  'batch_click_on_recommendation',
  'search_impression',
  'batch_impression',
  'batch_open',
  'detail_pageview',
  'group_pageview',
  'page_visit',
  'item_interaction',
  'add_to_cart',
  'remove_from_cart',
  'purchase',
  'purchase',
  'purchase',
];

const few = (...values: string[]) => fc.option(fc.constantFrom(...values), { nil: undefined });

/** Few subjects, items, hours and values, so that all combinations occur. */
const someEvent: fc.Arbitrary<Omit<EventRow, 'occurredAtMs' | 'eventId'>> = fc.record({
  environment: fc.constantFrom('shop', 'shop', 'news'),
  eventType: fc.constantFrom(...eventTypes),
  deviceId: few('d1', 'd2', 'anonymous'),
  userId: few('u1', 'u2'),
  itemId: few('sofa', 'chair'),
  requestId: few('r1', 'r2', 'r3'),
  listName: few('top', 'new'),
  pageType: few('home', 'detail'),
  channel: few('web'),
  userGroup: few('recommender', 'control'),
  version: few('A', 'B'),
  robot: fc.nat(9).map((chance) => chance === 0),
  details: fc.record(
    {
      configuration_id: fc.constantFrom('c1', 'c2'),
      country: fc.constantFrom('DE', 'NL'),
      device_class: fc.constantFrom('mobile', 'desktop'),
      amount: fc.constantFrom(1, 2, 0.25),
      interaction_type: fc.constantFrom('like', 'dislike'),
      purchased_price: fc.constantFrom(0.1, 19.99, 0.7, 1_000),
    },
    { requiredKeys: [] },
  ),
});

/** No two events of a log have the same time, so that there is one last click. */
const someLog = fc.uniqueArray(fc.nat(6 * 3_600 - 1), { minLength: 1, maxLength: 60 }).chain((seconds) =>
  fc.array(someEvent, { minLength: seconds.length, maxLength: seconds.length }).map((events) =>
    events.map((event, i) => ({
      ...event,
      occurredAtMs: startMs + seconds[i] * 1_000,
      eventId: `e${i}`,
    })),
  ),
);

/** Arrival of the log: every event at least once, in any order, batches and concurrency. */
const someArrival = fc.record({
  log: someLog,
  seed: fc.integer(),
  repeatedShare: fc.constantFrom(0, 0.5),
  batchSize: fc.constantFrom(1, 3, 10, 100),
  concurrency: fc.constantFrom(1, 4),
  nodeCount: fc.constantFrom(0, 1, 2),
  aggregatesMeanwhile: fc.boolean(),
});

const someQuery = fc.record({
  groupBy: fc.subarray<GroupName>([...dimensionNames, ...segments]),
  where: fc.record(
    {
      version: fc.constantFrom('A', 'B', ''),
      list_name: fc.constant('top'),
      user_group: fc.constant('control'),
      'segments.country': fc.constantFrom('NL', ''),
    },
    { requiredKeys: [] },
  ),
});

function shuffled<T>(values: readonly T[], seed: number): T[] {
  const result = [...values];
  let state = seed | 1;
  for (let i = result.length - 1; i > 0; i--) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    const j = (state >>> 0) % (i + 1);
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}

type Arrival = typeof someArrival extends fc.Arbitrary<infer T> ? T : never;

/**
 * Nodes remember stored events; events that no node remembers are read again. All events are
 * aggregated at the end, some before.
 */
async function arrive(db: TestDatabase, arrival: Arrival) {
  const { log, seed, repeatedShare, batchSize, concurrency, nodeCount, aggregatesMeanwhile } = arrival;
  const repeated = log.filter((_, i) => (i % 10) / 10 < repeatedShare);
  const arrivals = shuffled([...log, ...repeated], seed);
  const batches: EventRow[][] = [];
  while (arrivals.length > 0) batches.push(arrivals.splice(0, batchSize));
  const attributionWindow = () => windowMs;
  const nodes = await Promise.all(
    Array.from({ length: nodeCount }, (_, place) =>
      createTestNode(db, { lane: place + 1, attributionWindow, interpretationOf }),
    ),
  );
  const work = async (_: unknown, place: number) => {
    const node = nodes[place % nodes.length];
    for (let batch = batches.shift(); batch; batch = batches.shift()) {
      if (node) await node.commit(batch);
      else await commitEvents(db, batch, { lane: 7 });
      if (aggregatesMeanwhile)
        await (node ? node.aggregation.catchUp() : aggregateAll(db, { attributionWindow, interpretationOf }));
    }
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  await (nodes[0]
    ? nodes[0].aggregation.catchUp()
    : aggregateAll(db, { attributionWindow, interpretationOf }));
}

async function counted(db: TestDatabase, query: Partial<CountQuery>): Promise<Map<string, number>> {
  const rows = await listCounts(db, {
    measures,
    fromHour: 0,
    toHour: 2 ** 31 - 1,
    groupBy: [],
    where: {},
    ...query,
  });
  return new Map(
    rows.map(({ measure, hour, group, value }) => [
      JSON.stringify([measure, hour, ...group]),
      Math.round(value * 1e6) / 1e6,
    ]),
  );
}

const sorted = (counts: Map<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

const tables = ['feeds', 'folded', 'events', 'event_claims', 'histories'].concat(
  ['hours', 'totals', 'dimensions', 'keys', 'devices', 'clicks', 'purchases'].map((name) => `metric_${name}`),
);

/** Truncating would create as many files, and replan all statements. */
async function forget(db: TestDatabase): Promise<void> {
  await db.pool.query(tables.map((table) => `delete from ${table}`).join(';'));
}

test('every measure in any grouping equals a recount of the log, for any order and batches of arrival', async (t) => {
  const db = await createTestDatabase(t);
  const property = fc.asyncProperty(
    someArrival,
    fc.array(someQuery, { minLength: 3, maxLength: 3 }),
    async (arrival, queries) => {
      await forget(db);
      await arrive(db, arrival);
      const plain = { groupBy: [] as GroupName[], where: {} };
      for (const { groupBy, where } of [plain, ...queries]) {
        const names = [...groupBy, ...Object.keys(where)];
        const isBySegment = names.some((name) => propertyOf(name) !== undefined);
        const known = measures.filter((name) => !isBySegment || !distinctMeasures.has(name));
        for (const environment of ['shop', 'news']) {
          const recounted = recount(arrival.log, { environment, groupBy, where, windowMs });
          const expected = [...recounted].filter(([place]) => known.includes(JSON.parse(place)[0]));
          const found = await counted(db, { environment, groupBy, where, measures: known });
          assert.deepEqual(sorted(found), sorted(new Map(expected)));
        }
      }
      for (const name of segments) {
        const sums = measures.filter((measure) => !distinctMeasures.has(measure));
        const parts = await counted(db, { measures: sums, groupBy: [name] });
        const totals = new Map<string, number>();
        for (const [place, value] of parts) {
          const whole = JSON.stringify(JSON.parse(place).slice(0, 2));
          totals.set(whole, Math.round(((totals.get(whole) ?? 0) + value) * 1e6) / 1e6);
        }
        const nonzero = new Map([...totals].filter(([, value]) => value !== 0));
        assert.deepEqual(sorted(nonzero), sorted(await counted(db, { measures: sums })));
      }
    },
  );
  await t.notThrowsAsync(fc.assert(property, { numRuns: 40, seed: 6, includeErrorInReport: true }));
});

test('a query for more counts than the limit is refused, not cut', async (t) => {
  const db = await createTestDatabase(t);
  const event = { environment: 'shop', eventType: 'page_visit', deviceId: 'd1', robot: false, details: {} };
  const hours = [1, 2, 3];
  const log = hours.map((hour) => ({
    ...event,
    occurredAtMs: startMs + hour * 3_600_000,
    eventId: `e${hour}`,
  }));
  await commitEvents(db, log);
  await aggregateAll(db, { attributionWindow: () => windowMs });
  const groupings: DimensionName[][] = [[], ['page_type'], ['page_type', 'channel']];
  for (const groupBy of groupings) {
    const ask = (mostRows: number) =>
      listCounts(
        db,
        { measures: ['events'], fromHour: 0, toHour: 2 ** 31 - 1, groupBy, where: {} },
        mostRows,
      );
    t.is((await ask(hours.length)).length, hours.length);
    await t.throwsAsync(ask(hours.length - 1), { message: /more than 2 values/ });
  }
});
