/**
 * Rows left by the largest allowed request of each public operation beyond the limit of names: rows
 * and bytes by table, their retention, and their bounds. Tables that are not listed must not grow.
 *
 * Bytes are those of the rows; indexes with long keys take as much again.
 */

import { hash } from 'node:crypto';
import test from 'ava';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createClients } from './support/clients.ts';

const deployment = `
limits: { new_names_per_hour: 10 }
environments:
  - name: shop
    item_types: [ { name: product } ]
    query_completions: { recent: 3, popular: 3, least_people: 5 }
`;

type Bound = {
  /** Rows of one request. */
  rows: number;
  bytes: number;
  stays: string;
};

/** Rows of the deletion that flushes all buffers, and of the service's own schedule. */
const ofOthers = new Set([
  ...['deletions', 'audit_entries', 'settings', 'lanes', 'feeds', 'local_feeds', 'folded'],
  ...['search_snapshots', 'trainings', 'model_snapshots', 'model_versions', 'served_models'],
]);

/** Free texts have maximum length, in characters of three bytes, and are incompressible. */
const name = (kind: string, number: number, length = 256) => {
  const digits = Array.from({ length: 4 }, (_, part) => hash('sha512', `${kind}${number}${part}`)).join('');
  const text = Array.from(digits, (digit, place) =>
    String.fromCharCode(0x4e00 + 97 * place + digit.charCodeAt(0)),
  );
  return `${kind}${number}-${text.join('')}`.slice(0, length);
};

const listsBound = (bytes: number): Bound => ({
  rows: 100,
  bytes,
  stays: 'the list lifetime, 30 minutes by default',
});
const exposure: Bound = { rows: 1, bytes: 400, stays: 'metric_names_days, 400 by default' };
const typed: Bound = {
  rows: 2,
  bytes: 4_096,
  stays: '90 days; one row for each user and device, 20 queries in it',
};
const query: Bound = { rows: 1, bytes: 1_024, stays: 'while among the 10,000 weightiest of the environment' };
const days: Bound = { rows: 1, bytes: 1_024, stays: 'two days, then the 1,000 weightiest of a day' };
const hours: Bound = {
  rows: 4,
  bytes: 2_048,
  stays: 'metric_names_days; a row for each known combination and hour',
};
const totals: Bound = {
  rows: 14,
  bytes: 8_192,
  stays: 'metric_names_days; a row for each known name and hour',
};
const combinations: Bound = { rows: 4, bytes: 8_192, stays: 'metric_names_days after its last use' };

const eventRow: Bound = { rows: 1, bytes: 16_384, stays: 'events_days' };

type Operation = {
  title: string;
  send: (http: JsonClient, number: number) => Promise<{ status: number }>;
  leaves: Record<string, Bound>;
};

/** The longest remembered device id is ASCII. */
const subject = (number: number) => ({
  device_id: Array.from({ length: 2 }, (_, part) => hash('sha512', `device${number}${part}`)).join(''),
  user_id: name('user', number),
});

const person = (number: number) => ({
  ...subject(number),
  page_type: name('page', number),
  channel: name('channel', number),
});

/** Limited by the body, which is less than the fields allow. */
const largestRecommendation = (number: number) => ({
  ...person(number),
  lists: Array.from({ length: 100 }, (_, list) => ({
    configuration_id: 'plain',
    list_name: name(`list${list}-`, number),
    list_size: 20,
    list_content: Array.from({ length: 10 }, (_, rank) => ({
      item_id: name(`item${list}-${rank}-`, number),
      item_type: 'product',
      rank: rank + 1,
    })),
  })),
  ...Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`note${i}`, 'x'.repeat(1_000)])),
});

const largestSearch = (number: number) => ({
  ...person(number),
  q: `sofa ${name('query', number, 90)}`,
  list_size: 20,
  num_lists: 100,
});

const largestEvent = (number: number) => ({
  ...person(number),
  event_type: 'click_on_recommendation',
  event_id: name('event', number),
  request_id: name('request', number),
  list_name: name('list', number),
  action_item: name('item', number),
  action_item_type: 'product',
  configuration_id: name('configuration', number),
  version: name('version', number, 64),
  user_group: name('group', number, 64),
});

const operations: readonly Operation[] = [
  {
    title: 'CreateRecommendations',
    send: (http, number) => http.post('/shop/recommendations/requests', largestRecommendation(number)),
    leaves: {
      lists: listsBound(1_048_576),
      metric_exposures: exposure,
    },
  },
  {
    title: 'CreateRecommendations, short enough to be recorded,',
    send: (http, number) => {
      const { lists, ...rest } = largestRecommendation(number);
      return http.post('/shop/recommendations/requests', { ...rest, lists: lists.slice(0, 1) });
    },
    leaves: {
      lists: listsBound(64_000),
      recorded_requests: { rows: 1, bytes: 33_000, stays: 'the latest 1,000 of an environment' },
      metric_exposures: exposure,
    },
  },
  {
    title: 'CreateSearch',
    send: (http, number) => http.post('/shop/searches/requests', largestSearch(number)),
    leaves: {
      lists: listsBound(1_000_000),
      metric_exposures: exposure,
      search_queries: query,
      metric_days: days,
      typed_queries: typed,
    },
  },
  {
    title: 'CreateCompletions',
    send: (http, number) => http.post('/shop/searches/completions', { ...subject(number), q: 's' }),
    leaves: { metric_exposures: exposure },
  },
  {
    title: 'GetCompletions',
    send: (http, number) => {
      const words = new URLSearchParams({ q: 's', device_id: subject(number).device_id });
      return http.get(`/shop/searches/completions?${words}`);
    },
    leaves: { metric_exposures: exposure },
  },
  {
    title: 'CreateEvents, one event by a write key,',
    send: (http, number) =>
      http.post('/shop/events', { events: [largestEvent(number)] }, { authorization: writeKey, origin }),
    leaves: {
      events: eventRow,
      event_claims: { rows: 1, bytes: 1_024, stays: '7 days' },
      histories: { rows: 2, bytes: 4_096, stays: 'histories_days; one row for each user and device' },
      metric_keys: { rows: 2, bytes: 2_560, stays: 'metrics_days; one row for each user, request and hour' },
      metric_devices: { rows: 1, bytes: 1_280, stays: 'metrics_days; one row for each device and hour' },
      metric_clicks: { rows: 1, bytes: 4_096, stays: 'metrics_days' },
      metric_days: days,
    },
  },
];

const origin = 'https://shop.example';

let service: TestService;
let http: JsonClient;
let admin: JsonClient;
let writeKey: string;

const requestCount = 12;
let sentCount = 0;
let sizes: Sizes;

test.before(async () => {
  service = await startTestService({ teardown: () => undefined }, deployment);
  admin = createJsonClient(service);
  http = createJsonClient({ ...service, authorization: '' });
  const scopes = ['events:shop'];
  writeKey = `Bearer ${await createClients(service).createWriteKey({ scopes, origins: [origin] })}`;
  await admin.post('/configurations', { configuration_id: 'plain' });
  await admin.put('/shop/items/product/sofa', { title: 'Sofa', language: 'en' });
  /** Uses up the allowance of new names. */
  for (const { send } of operations) for (let i = 0; i < requestCount; i++) await send(http, sentCount++);
  sizes = await measure();
});

test.after.always(() => service?.stop());

type Sizes = Map<string, { rows: number; bytes: number }>;

/** After all buffers are written, which a deletion waits for. */
async function measure(): Promise<Sizes> {
  const { status } = await admin.send('DELETE', '/shop/devices/nobody');
  if (status !== 200) throw new Error(`The deletion failed: ${status}.`);
  await admin.get('/metrics/requests');
  await admin.get('/shop/performance?dimension=item');
  const { pool } = service.database;
  const { rows: tables } = await pool.query(
    `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`,
  );
  const sizes: Sizes = new Map();
  for (const { name: table } of tables) {
    const text = `select count(*)::int as rows, coalesce(sum(pg_column_size(row.*)), 0)::int as bytes from ${table} as row`;
    const { rows } = await pool.query(text);
    if (!ofOthers.has(table)) sizes.set(table, rows[0]);
  }
  return sizes;
}

function growthOf(before: Sizes, after: Sizes): [table: string, growth: { rows: number; bytes: number }][] {
  return Array.from(after, ([table, { rows, bytes }]) => {
    const { rows: rowsBefore, bytes: bytesBefore } = before.get(table)!;
    return [table, { rows: rows - rowsBefore, bytes: bytes - bytesBefore }] as const;
  }).filter(([, { rows, bytes }]) => rows > 0 || bytes > 100) as [string, { rows: number; bytes: number }][];
}

for (const { title, send, leaves } of operations)
  test.serial(`${title} leaves bounded rows`, async (t) => {
    for (let i = 0; i < requestCount; i++) t.is((await send(http, sentCount++)).status, 200);
    const after = await measure();
    const growth = growthOf(sizes, after);
    sizes = after;
    for (const [table, { rows, bytes }] of growth) {
      /** After the end of an hour, each known name gets new rows once. */
      const bound = leaves[table] ?? ofNextHour[table];
      t.truthy(bound, `${title} leaves ${rows} rows in ${table}`);
      t.true(rows <= bound.rows * requestCount, `${title}: ${rows} rows in ${table}`);
      t.true(bytes <= bound.bytes * requestCount, `${title}: ${bytes} bytes in ${table}`);
      t.log(
        `${table}: ${rows / requestCount} rows, ${Math.round(bytes / requestCount)} bytes; ${bound.stays}`,
      );
    }
  });

const ofNextHour: Record<string, Bound> = {
  metric_hours: hours,
  metric_totals: totals,
  metric_dimensions: combinations,
};
