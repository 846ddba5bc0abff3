/** Answers while the processes of the database are suspended: connections stay open, and no data arrives. */

import test from 'ava';
import { type Answer, createJsonClient, type JsonClient } from '../support/json-client.ts';
import { type ServedProcess, startServedProcess } from '../support/served-process.ts';

const deployment = `
environments:
  - name: shop
    item_types: [ { name: product } ]
    query_completions: { recent: 2, popular: 2, least_people: 3 }
`;

const who = { device_id: 'visitor', page_type: 'home' };
const lists = [{ configuration_id: 'any', list_name: 'picks', list_size: 2 }];

type Lists = { lists: { list_key: string }[] };
type Completions = { completions: { item_id: string }[]; queries?: { query: string }[] };
type Extended = Completions & { extensions?: { degraded?: string[] } };

let service: ServedProcess;
let admin: JsonClient;
let visitor: JsonClient;
let listKey: string;
let searchKey: string;

test.before(async () => {
  service = await startServedProcess({ deployment });
  admin = createJsonClient(service);
  visitor = createJsonClient({ baseUrl: service.baseUrl, authorization: '' });
  await admin.put('/configurations/any', { configuration_id: 'any' });
  for (const title of ['Brass lantern', 'Brass bell'])
    await admin.put(`/shop/items/product/${title.replace(' ', '-')}`, { title });
  listKey = (await recommend()).body.lists[0].list_key;
  searchKey = (await visitor.post<Lists>('/shop/searches/requests', { q: 'brass', ...who })).body.lists[0]
    .list_key;
});

test.after.always(() => service?.remove());

const recommend = () => visitor.post<Lists>('/shop/recommendations/requests', { ...who, lists });

const completeWith = (device: string) =>
  visitor.post<Extended>(
    '/shop/searches/completions',
    { q: 'bra', device_id: device },
    { prefer: 'extensions' },
  );

const page = (kind: string, key: string) =>
  visitor.get(`/shop/${kind}/lists?list_key=${key}&offset=1&limit=2`);

async function readiness(): Promise<[status: number, database: string]> {
  const answer = await fetch(new URL('/readyz', service.baseUrl));
  const { checks } = (await answer.json()) as { checks: { database: string } };
  return [answer.status, checks.database];
}

/** Public reads. Each must take less time than a write needs to fail. */
test('no public read waits for the database as long as a write does', async (t) => {
  t.deepEqual((await completeWith('before')).body.extensions, { degraded: [] });
  service.pauseDatabase();
  try {
    let hasWriteEnded = false;
    const write = admin
      .post('/shop/events', { events: [{ event_type: 'page_visit', ...who }] })
      .finally(() => {
        hasWriteEnded = true;
      });
    const checks = Array.from({ length: 3 }, readiness);
    const healthz = fetch(new URL('/healthz', service.baseUrl));
    const keys = fetch(new URL('/.well-known/jwks.json', service.baseUrl));
    const reads: Promise<Answer>[] = [
      recommend(),
      visitor.post('/shop/searches/requests', { q: 'brass', ...who, device_id: 'another' }),
      visitor.get('/shop/searches/completions?q=bra&device_id=third'),
      page('recommendations', listKey),
      page('searches', searchKey),
    ];
    const completed = await completeWith('visitor');
    const answers = await Promise.all(reads);
    t.is(completed.status, 200);
    t.is(completed.body.completions.length, 2);
    t.deepEqual(completed.body.extensions, { degraded: ['deadline'] });
    t.deepEqual(
      answers.map(({ status, reason }) => reason ?? status),
      [200, 200, 200, 'unavailable', 'unavailable'],
    );
    t.is((await healthz).status, 200);
    t.true([200, 503].includes((await keys).status), 'keys that were read lately are given out');
    for (const found of await Promise.all(checks)) t.deepEqual(found, [503, 'unreachable']);
    t.false(hasWriteEnded);
    t.is((await write).status, 503);
  } finally {
    service.resumeDatabase();
  }
});
