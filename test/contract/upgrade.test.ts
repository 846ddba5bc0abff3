/**
 * A database of an earlier release is upgraded with its data.
 *
 * `releases/VERSION.sql.gz` is a dump (`pg_dump --inserts`) of a database that VERSION served: a shop
 * with a trained model, and a node that was killed right after it had acknowledged five events.
 */

import { readFile } from 'node:fs/promises';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import pg from 'pg';
import type { Connection } from '../../src/repository/database.ts';
import { createJsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';

const deployment = `
environments:
  - name: shop
    information_field: title
    item_types:
      - name: product
        properties:
          - { name: brand, type: string, filterable: true }
          - { name: price, type: number, filterable: true }
    query_completions: { popular: 5, recent: 5 }
`;

/** The client that the first start of the earlier release wrote. */
const admin = {
  clientId: 'c_ad3bf0495b02bbac83c068f26fbb7269',
  clientSecret: 'cs_rTlOQVCJVdzntWc20oH22-MAInVAthv_UiWSIYtyfHU',
};

async function load(connection: Connection, release: string): Promise<Connection> {
  const dump = gunzipSync(await readFile(new URL(`releases/${release}.sql.gz`, import.meta.url)));
  const client = new pg.Client(connection);
  await client.connect();
  await client.query('drop schema public cascade; create schema public');
  await client.query(dump.toString());
  await client.end();
  return connection;
}

type Answer = { lists: { items: { item_id: string }[] }[] };

test('a database of 0.1.0 keeps its items, rules, clients, counts, histories and models', async (t) => {
  const service = await startTestService(t, deployment, { admin, reach: (to) => load(to, '0.1.0') });
  const http = createJsonClient(service);
  const read = async (path: string) => (await http.get<Record<string, unknown>>(path)).body;
  const totalOf = async (metric: string) => {
    const { results } = await read(`/metrics/${metric}?environment=shop`);
    return (results as { value: number }[]).reduce((sum, { value }) => sum + value, 0);
  };
  const itemsFor = async (person: object) => {
    const lists = [{ configuration_id: 'home', list_name: 'for you', list_size: 12 }];
    const asked = { ...person, page_type: 'home', lists };
    const { body } = await http.post<Answer>('/shop/recommendations/requests', asked);
    return body.lists[0].items.map(({ item_id }) => item_id).toSorted();
  };
  t.like(await read('/shop/items/product/p3'), { title: 'Red shoes 3', brand: 'Aral', price: 13 });
  t.like(await read('/configurations/home'), { configuration_id: 'home' });
  t.like(await read('/shop/synonyms/footwear'), { words: ['shoes', 'sneakers'] });
  t.like(await read('/shop/batches'), { batches: [{ people_count: 2, state: 'done' }] });
  const { trainings } = (await read('/shop/models/trainings')) as { trainings: { state: string }[] };
  t.is(trainings.at(-1)?.state, 'published');
  t.like(await read('/deletions'), { deletions: [{ kind: 'user' }] });
  for (const [metric, value] of [
    ['pageviews', 155],
    ['events', 174],
    ['revenue', 290],
    ['clicks', 1],
  ] as const)
    t.is(await totalOf(metric), value, metric);
  t.false((await itemsFor({ user_id: 'u0', device_id: 'd0' })).includes('p0'), 'it was bought');
  t.false((await itemsFor({ user_id: 'u1', device_id: 'd1' })).includes('p11'), 'it is disabled');
  const event = { event_type: 'purchase', page_type: 'checkout', action_item: 'p5', amount: 1 };
  const late = { user_id: 'late', device_id: 'late-phone' };
  await http.post('/shop/events', { events: [{ ...event, ...late, purchased_price: 10 }] });
  t.is(await totalOf('revenue'), 300);
  t.false((await itemsFor(late)).includes('p5'));
});
