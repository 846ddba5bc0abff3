/** Each fault planted in a clean log is found alone; the clean log has no findings. */

import test from 'ava';
import { sql } from 'kysely';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import { createDoctor } from '../../../src/jobs/diagnostics/doctor.ts';
import type { Finding, Severity } from '../../../src/jobs/diagnostics/finding.ts';
import type { EventRow } from '../../../src/repository/event-row.ts';
import { cleanLog, complete, openShop, type Shop } from './world.ts';

const namesOf = (findings: readonly Finding[]) =>
  findings.map(({ check, subject }) => (subject === undefined ? check : `${check}:${subject}`));

test('a clean log has no findings', async (t) => {
  const shop = await openShop(t);
  await shop.send(...cleanLog());
  const { findings, unfinished, truncated, counts } = await shop.diagnose();
  t.deepEqual(findings, []);
  t.deepEqual(unfinished, []);
  t.false(truncated);
  t.is(counts.length, 18);
});

const person = { deviceId: 'dx', userId: 'ux' };
const item = { itemType: 'product', itemId: 'p1' };
const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));
const secondsAgo = (seconds: number) => Date.now() - seconds * 1_000;
const answered = {
  ...person,
  ...item,
  requestId: 'ours',
  listName: 'top',
  pageType: 'home',
  userGroup: 'caller',
};

type Planted = {
  fault: string;
  plant(shop: Shop): Promise<unknown>;
  found: string;
  severity: Severity;
  count: number;
  example: string;
  /** Types left out of the clean log. */
  without?: string[];
};

const planted: Planted[] = [
  {
    fault: 'clicks without an impression',
    plant: ({ send }) =>
      send(...times(3, () => ({ ...answered, eventType: 'click_on_recommendation', requestId: 'r1' }))),
    found: 'clicks_without_impressions',
    severity: 'warning',
    count: 3,
    example: 'click_on_recommendation, item p1, request r1, list top (3 times)',
  },
  {
    fault: 'clicks on another item than was seen',
    plant: ({ send }) =>
      send(
        ...times(2, () => ({ ...answered, eventType: 'search_impression', itemId: 'p2' })),
        ...times(2, () => ({ ...answered, eventType: 'search_click_on_recommendation' })),
      ),
    found: 'clicks_without_impressions',
    severity: 'warning',
    count: 2,
    example: 'search_click_on_recommendation, item p1, request ours, list top (2 times)',
  },
  {
    fault: 'events on answers that were never given',
    plant: ({ send }) =>
      send(
        ...['impression', 'click_on_recommendation'].map((eventType) => ({
          ...answered,
          eventType,
          userGroup: 'recommender',
          requestId: 'invented',
        })),
      ),
    found: 'events_without_recommendations',
    severity: 'warning',
    count: 1,
    example: 'request invented',
  },
  {
    fault: 'an unknown list name',
    plant: ({ send }) =>
      send(...times(9, () => ({ ...answered, eventType: 'impression', listName: 'Top 10' }))),
    found: 'unregistered_values:list_name',
    severity: 'warning',
    count: 9,
    example: 'Top 10 (9 times)',
  },
  {
    fault: 'an unknown page type',
    plant: ({ send }) => send(...times(9, () => ({ ...person, ...item, pageType: 'HOME' }))),
    found: 'unregistered_values:page_type',
    severity: 'warning',
    count: 9,
    example: 'HOME (9 times)',
  },
  {
    fault: 'an unknown channel',
    plant: ({ send }) => send(...times(9, () => ({ ...person, ...item, channel: 'fax' }))),
    found: 'unregistered_values:channel',
    severity: 'warning',
    count: 9,
    example: 'fax (9 times)',
  },
  {
    fault: 'an item that the catalogue does not have',
    plant: ({ send }) => send(...times(9, () => ({ ...person, itemType: '', itemId: 'gone' }))),
    found: 'items_missing',
    severity: 'warning',
    count: 9,
    example: 'gone (9 times)',
  },
  {
    fault: 'an item under another type',
    plant: ({ send }) => send(...times(9, () => ({ ...person, itemType: 'article', itemId: 'p1' }))),
    found: 'items_missing',
    severity: 'warning',
    count: 9,
    example: 'article/p1 (9 times)',
  },
  {
    fault: 'a device of several users',
    plant: ({ send }) => send(...times(7, (i) => ({ ...item, deviceId: 'undefined', userId: `s${i}` }))),
    found: 'devices_with_several_users',
    severity: 'warning',
    count: 1,
    example: 'device undefined (7 users)',
  },
  {
    fault: 'a user on many devices',
    plant: ({ send }) => send(...times(51, (i) => ({ ...item, deviceId: `m${i}`, userId: 'constant' }))),
    found: 'users_with_many_devices',
    severity: 'fault',
    count: 1,
    example: 'a user with 51 devices',
  },
  {
    fault: 'an event_id of several events',
    plant: ({ send }) =>
      send(
        { ...person, ...item, eventId: 'page 7' },
        { ...person, ...item, eventId: 'page 7', eventType: 'add_to_cart' },
      ),
    found: 'event_ids_of_several_events',
    severity: 'fault',
    count: 1,
    example: 'event_id page 7 (2 event types)',
  },
  {
    fault: 'robots',
    plant: ({ send }) => send(...times(200, () => ({ ...item, deviceId: 'bot', robot: true }))),
    found: 'robots',
    severity: 'warning',
    count: 200,
    example: 'detail_pageview (200)',
  },
  {
    fault: 'anonymous visitors',
    plant: ({ send }) => send(...times(200, () => ({ ...item, deviceId: 'anonymous' }))),
    found: 'anonymous',
    severity: 'warning',
    count: 200,
    example: 'detail_pageview (200)',
  },
  {
    fault: 'events sent twice',
    plant: ({ send }) => {
      const once = complete({ ...person, ...item, eventType: 'purchase' });
      return send(...times(12, () => once));
    },
    found: 'duplicates',
    severity: 'warning',
    count: 11,
    example: 'purchase of p1 (11 times)',
  },
  {
    fault: 'a clock that is fast',
    plant: ({ send }) => send(...times(9, () => ({ ...person, ...item, occurredAtMs: secondsAgo(-240) }))),
    found: 'clock_skew:ahead',
    severity: 'warning',
    count: 9,
    example: 'detail_pageview (9)',
  },
  {
    fault: 'a clock in another time zone',
    plant: ({ send }) => send(...times(9, () => ({ ...person, ...item, occurredAtMs: secondsAgo(7_200) }))),
    found: 'clock_skew:behind',
    severity: 'warning',
    count: 9,
    example: 'detail_pageview: 7',
  },
  {
    fault: 'a stale catalogue',
    plant: ({ db }) =>
      sql`update items set updated_at = now() - interval '50 hours 30 minutes'`.execute(db.kysely),
    found: 'catalogue_stale',
    severity: 'warning',
    count: 50,
    example: 'last write ',
  },
  ...(
    [
      ['detail_pageview', 'fault'],
      ['purchase', 'warning'],
      ['impression', 'warning'],
      ['batch_open', 'warning'],
    ] as const
  ).map(
    ([type, severity]): Planted => ({
      fault: `no ${type}`,
      plant: async () => undefined,
      found: `event_type_missing:${type}`,
      severity,
      count: 0,
      example: '',
      without: type === 'impression' ? ['impression', 'click_on_recommendation'] : [type],
    }),
  ),
];

for (const { fault, plant, found, severity, count, example, without = [] } of planted) {
  test(`${fault}: ${found}`, async (t) => {
    const shop = await openShop(t);
    await shop.send(...cleanLog().filter(({ eventType }) => !without.includes(eventType!)));
    await plant(shop);
    const { findings } = await shop.diagnose();
    const expected = without.length > 1 ? without.map((type) => `event_type_missing:${type}`) : [found];
    t.deepEqual(namesOf(findings), expected);
    t.is(findings[0].severity, severity);
    t.is(findings[0].count, count);
    t.true((findings[0].examples[0] ?? '').startsWith(example), findings[0].examples[0]);
    t.true(findings.every(({ description, hint }) => description.endsWith('.') && hint.endsWith('.')));
  });
}

test('a shop without groups is not blamed for their events', async (t) => {
  const shop = await openShop(t);
  await shop.send(...cleanLog().filter(({ eventType }) => !eventType!.startsWith('group_')));
  const { findings } = await shop.diagnose();
  t.deepEqual(
    findings.map(({ subject, severity }) => [subject, severity]),
    [
      ['group_interaction', 'notice'],
      ['group_pageview', 'notice'],
    ],
  );
});

test('a fault in all events is more severe than in some', async (t) => {
  const shop = await openShop(t);
  const seen = ({ eventType }: Partial<EventRow>) => !eventType!.endsWith('impression');
  await shop.send(...cleanLog().filter(seen));
  const { findings } = await shop.diagnose();
  const [unseen] = findings.filter(({ check }) => check === 'clicks_without_impressions');
  t.is(unseen.severity, 'fault');
  t.is(unseen.count, unseen.ofCount!);
});

test('unused families of events are notices', async (t) => {
  const shop = await openShop(t);
  await shop.send(...cleanLog().filter(({ eventType }) => !/^(batch|search|session)_/.test(eventType!)));
  const { findings } = await shop.diagnose();
  t.deepEqual([...new Set(findings.map(({ severity }) => severity))], ['notice']);
  t.is(findings.length, 7);
});

test('request IDs of the caller are no fault when none is of the service', async (t) => {
  const shop = await openShop(t);
  await shop.send(
    ...cleanLog().map((event) => ({ ...event, requestId: event.requestId && `own ${event.deviceId}` })),
  );
  const { findings } = await shop.diagnose();
  t.deepEqual(
    findings.map(({ check, severity }) => [check, severity]),
    [['events_without_recommendations', 'notice']],
  );
});

test('loading history is no clock skew', async (t) => {
  const shop = await openShop(t);
  await shop.send(
    ...cleanLog().map((event, i) => ({ ...event, occurredAtMs: secondsAgo(3 * 86_400 - i * 100) })),
  );
  t.deepEqual((await shop.diagnose()).findings, []);
});

test('an empty environment has exactly two faults', async (t) => {
  const shop = await openShop(t);
  const { findings } = await shop.diagnose({ itemCount: 0 });
  t.deepEqual(namesOf(findings), ['no_events', 'catalogue_empty']);
});

test('events of robots, other environments and before the window are ignored', async (t) => {
  const shop = await openShop(t);
  const odd = {
    ...answered,
    eventType: 'click_on_recommendation',
    requestId: 'odd',
    occurredAtMs: secondsAgo(-100),
  };
  await shop.send(...cleanLog(), { ...odd, environment: 'elsewhere' });
  await shop.send({ ...odd, occurredAtMs: Date.now(), robot: true });
  await sql`
    with lane as (insert into feeds values (0, 'events', 9, 1))
    insert into events (bucket, environment, lane, number, received_at, occurred_at, event_type, device_id, item_type,
      item_id, request_id, robot, details)
    values (0, 'shop', 9, 1, now() - interval '3 days', now() - interval '3 days', 'click_on_recommendation', 'd',
      'product', 'gone', 'old', false, '{}')`.execute(shop.db.kysely);
  t.deepEqual((await shop.diagnose()).findings, []);
  t.deepEqual(namesOf((await shop.diagnose({ windowHours: 100 })).findings), [
    'clicks_without_impressions',
    'items_missing',
  ]);
});

test('faulty events of robots are reported as robots only', async (t) => {
  const shop = await openShop(t);
  const odd = { ...person, ...item, itemId: 'gone', pageType: 'nowhere', robot: true };
  const ahead = () => ({ ...odd, occurredAtMs: secondsAgo(-100) });
  const behind = () => ({ ...odd, occurredAtMs: secondsAgo(600) });
  const nobody = () => ({ ...odd, deviceId: undefined, userId: undefined });
  await shop.send(...cleanLog(), ...times(100, ahead), ...times(100, behind), ...times(600, nobody));
  t.deepEqual(namesOf((await shop.diagnose()).findings), ['robots']);
});

test('an event type that only robots send counts as missing', async (t) => {
  const shop = await openShop(t);
  const [purchases, others] = [[], []] as ReturnType<typeof cleanLog>[];
  for (const event of cleanLog()) (event.eventType === 'purchase' ? purchases : others).push(event);
  await shop.send(...others, ...purchases.slice(0, 1).map((event) => ({ ...event, robot: true })));
  t.deepEqual(namesOf((await shop.diagnose()).findings), ['event_type_missing:purchase']);
});

test('only the newest events are checked, and clicks only where impressions precede them', async (t) => {
  const shop = await openShop(t);
  const click = { ...answered, eventType: 'click_on_recommendation', requestId: 'cut off' };
  await shop.send(...cleanLog(), { ...click, eventType: 'impression' });
  await shop.send(click, ...times(99, (i) => ({ ...person, ...item, itemId: `p${i % 20}` })));
  const { truncated, counts, findings } = await shop.diagnose({ eventLimit: 100 });
  t.true(truncated);
  t.is(
    counts.reduce((sum, { count }) => sum + count, 0),
    100,
  );
  t.false(namesOf(findings).includes('clicks_without_impressions'));
});

test('the share of clicks refers to the clicks that are checked', async (t) => {
  const shop = await openShop(t);
  const click = { ...answered, eventType: 'click_on_recommendation', requestId: 'never shown' };
  await shop.send(...cleanLog(), ...times(50, () => [click, { ...person, ...item }]).flat());
  const { truncated, findings } = await shop.diagnose({ eventLimit: 100 });
  t.true(truncated);
  const { count, ofCount } = findings.find(({ check }) => check === 'clicks_without_impressions')!;
  t.deepEqual([count, ofCount], [25, 25]);
});

test('diagnoses run one after the other, and too many are refused', async (t) => {
  const shop = await openShop(t);
  const doctor = createDoctor({ db: shop.db, clock: Date.now });
  const { environments } = parseDeployment(
    'environments: [ { name: s, item_types: [ { name: p } ] } ]',
    'd.yaml',
  );
  const request = { settings: environments.get('s')!, itemCount: 1, windowHours: 1, staleAfterHours: 1 };
  const outcomes = await Promise.allSettled(times(10, () => doctor.diagnose(request)));
  t.is(outcomes.filter(({ status }) => status === 'fulfilled').length, 8);
  await t.notThrowsAsync(doctor.diagnose(request));
});

test('most visitors of one network are reported; few visitors or several networks are not', async (t) => {
  const shop = await openShop(t);
  await shop.send(...cleanLog());
  const { environments } = parseDeployment(
    'environments: [ { name: shop, item_types: [ { name: product } ] } ]',
    'd.yaml',
  );
  const request = { settings: environments.get('shop')!, itemCount: 1, windowHours: 1, staleAfterHours: 1 };
  const findingOf = async (largestCount: number, visitorCount: number) => {
    const networksOf = () => ({ largest: '10.0.3', largestCount, visitorCount, networkCount: 2 });
    const { findings } = await createDoctor({ db: shop.db, clock: Date.now, networksOf }).diagnose(request);
    return findings.find(({ check }) => check === 'shared_network');
  };
  t.like(await findingOf(20, 20), {
    severity: 'warning',
    count: 20,
    ofCount: 20,
    examples: ['network 10.0.3'],
  });
  t.is((await findingOf(11, 20))?.count, 11);
  t.is(await findingOf(10, 20), undefined);
  t.is(await findingOf(19, 19), undefined);
});
