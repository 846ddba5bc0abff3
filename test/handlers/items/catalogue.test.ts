/** Browsing a catalogue while time passes and other callers write. */

import { create, type MessageInitShape } from '@bufbuild/protobuf';
import test, { type ExecutionContext } from 'ava';
import type { KyselyPlugin } from 'kysely';
import type { QueryConfig } from 'pg';
import {
  ListItemsRequestSchema,
  type ListItemsResponse,
} from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { QuerySchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import { decodeJson } from '../../../src/formats/codec.ts';
import type { Call } from '../../../src/handlers/chain/call.ts';
import type { UnaryHandler } from '../../../src/handlers/chain/operation.ts';
import { createCatalogueHandlers } from '../../../src/handlers/items/catalogue.ts';
import type { ItemReplica } from '../../../src/handlers/items/replica/item-replica.ts';
import { createDeclaredCatalog } from '../../../src/ranking/catalog/declared-catalog.ts';
import { createServingEnvironment } from '../../../src/ranking/environment/serving-environment.ts';
import { createTestDatabase } from '../../support/database.ts';
import { upsertItem } from '../../support/items.ts';
import { poolOf } from '../../support/pool-of.ts';
import { fc } from '../../support/properties.ts';

const deployment = parseDeployment(
  `environments: [{ name: shop, item_types: [{ name: product, properties: [
    { name: brand, type: string }, { name: rating, type: number }] }] }]`,
  'test.yaml',
);
const startMs = Date.parse('2026-11-20T10:00:00Z');
const hourMs = 3_600_000;

/** A shop with its own clock. */
async function openShop(t: ExecutionContext) {
  const db = await createTestDatabase(t);
  const settings = deployment.environments.get('shop')!;
  const catalog = createDeclaredCatalog(settings);
  const shop = {
    nowMs: startMs,
    /** Callbacks by name of a statement, or `built`, called between the database's answer and its return. */
    onAnswer: {} as Record<string, () => Promise<void>>,
    async put(itemId: string, item: object) {
      const document = { item_id: itemId, ...item };
      const row = await upsertItem(db, { environment: 'shop', itemType: 'product', itemId, document });
      catalog.apply({ ...row, document });
    },
    async page(question: MessageInitShape<typeof ListItemsRequestSchema>) {
      const request = create(ListItemsRequestSchema, { environment: 'shop', ...question });
      return (await handlers.listItems(request, {} as Call)) as ListItemsResponse;
    },
    async list(question: MessageInitShape<typeof ListItemsRequestSchema>) {
      const { items } = await shop.page(question);
      return items.map(({ itemId }) => itemId);
    },
  };
  const pool = poolOf(async (statement: { name?: string }) => {
    const answer = await db.pool.query(statement as QueryConfig);
    await shop.onAnswer[statement.name ?? '']?.();
    return answer;
  });
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      await shop.onAnswer.built?.();
      return result;
    },
  };
  const { handlers } = createCatalogueHandlers({
    db: { ...db, pool, kysely: db.kysely.withPlugin(plugin) },
    deployment,
    replica: { catalogOf: () => catalog } as unknown as ItemReplica,
    environments: new Map([['shop', createServingEnvironment(settings, catalog)]]),
    clock: () => shop.nowMs,
  }) as { handlers: Record<string, UnaryHandler> };
  return shop;
}

test('a condition on now uses the time of the call, even if no item has changed', async (t) => {
  const shop = await openShop(t);
  const at = (hours: number) => new Date(startMs + hours * hourMs).toISOString();
  await shop.put('yesterday', { publication_datetime: at(-20) });
  await shop.put('soon', { publication_datetime: at(1) });
  const published = (range: object) => {
    const json = { key: 'publication_datetime', date_range: range };
    return shop.list({ filter: [decodeJson(QuerySchema, json).message] });
  };
  const untilNow = { max: 'now' };
  const withinADay = { min: 'now-1d', max: 'now' };
  t.deepEqual(await published(untilNow), ['yesterday']);
  t.deepEqual(await published(withinADay), ['yesterday']);
  shop.nowMs += 5 * hourMs;
  t.deepEqual(await published(untilNow), ['soon', 'yesterday']);
  t.deepEqual(await published(withinADay), ['soon']);
});

test('an item that gets its first image during a search is not cached as lacking one', async (t) => {
  const shop = await openShop(t);
  await shop.put('lamp', {});
  await shop.put('sofa', {});
  shop.onAnswer = { built: () => shop.put('lamp', { images: ['/lamp.jpg'] }) };
  await shop.list({ missing: ['images'] });
  shop.onAnswer = {};
  t.deepEqual(await shop.list({ missing: ['images'] }), ['sofa']);
});

const writes = fc.array(fc.record({ item: fc.nat(30), rating: fc.option(fc.nat(4), { nil: undefined }) }), {
  maxLength: 8,
});
const orders = fc.constantFrom('', 'rating', 'rating desc', 'title', 'title desc');
/** Titles; a third is longer than a token can carry. */
const titleOf = (item: number) => 'x'.repeat(item % 3 === 0 ? 300 : 3) + (item % 5);

test('each item is on exactly one page, despite writes between the pages', async (t) => {
  const shop = await openShop(t);
  let run = 0;
  const property = fc.asyncProperty(writes, fc.array(writes), orders, async (first, later, orderBy) => {
    const text = `run-${++run}-`;
    const put = ({ item, rating }: { item: number; rating?: number }) =>
      shop.put(text + item, { rating, title: titleOf(item) });
    for (const write of first) await put(write);
    const untouched = new Set(first.map(({ item }) => text + item));
    const seen: (string | undefined)[] = [];
    const rounds = later.values();
    let pageToken = '';
    do {
      const page = await shop.page({ text, missing: ['brand'], orderBy, pageSize: 2, pageToken });
      seen.push(...page.items.map(({ itemId }) => itemId));
      pageToken = page.nextPageToken;
      for (const write of pageToken === '' ? [] : (rounds.next().value ?? [])) {
        await (write.rating === 0 ? shop.put(text + write.item, { brand: 'Acme' }) : put(write));
        untouched.delete(text + write.item);
      }
    } while (pageToken !== '');
    for (const itemId of untouched) t.is(seen.filter((one) => one === itemId).length, 1, itemId);
    if (!orderBy) t.is(new Set(seen).size, seen.length);
  });
  await fc.assert(property, { numRuns: 40 });
});

test('a token is valid for its own query only', async (t) => {
  const shop = await openShop(t);
  for (const itemId of ['a', 'b', 'c']) await shop.put(itemId, { rating: 1 });
  const { nextPageToken: pageToken } = await shop.page({ pageSize: 1, orderBy: 'rating' });
  t.deepEqual(await shop.list({ pageSize: 5, orderBy: 'rating', fields: ['title'], pageToken }), ['b', 'c']);
  for (const other of [{ orderBy: 'title' }, { text: 'a' }, { orderBy: 'rating', status: 'enabled' }])
    await t.throwsAsync(shop.page({ ...other, pageToken }), {
      message: 'The page token belongs to another request.',
    });
});

test('a page of large documents ends earlier, without losing any', async (t) => {
  const shop = await openShop(t);
  const description = 'x'.repeat(100_000);
  for (let item = 0; item < 120; item += 1) await shop.put(`large-${item}`, { description });
  const sizes: number[] = [];
  const seen = new Set<string | undefined>();
  let pageToken = '';
  do {
    const page = await shop.page({ pageSize: 500, pageToken });
    sizes.push(page.items.length);
    for (const { itemId } of page.items) seen.add(itemId);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  t.deepEqual([sizes, seen.size], [[100, 20], 120]);
});

test('the page after a short page continues at the last item’s place, even if the item has moved', async (t) => {
  const shop = await openShop(t);
  const description = 'x'.repeat(160_000);
  const names = Array.from({ length: 60 }, (_, item) => `large-${String(item).padStart(2, '0')}`);
  for (const [rating, itemId] of names.entries()) await shop.put(itemId, { description, rating });
  const question = { pageSize: 500, orderBy: 'rating' };
  shop.onAnswer = { 'find-items-by-key': () => shop.put(names[49], { description, rating: 100 }) };
  const { items, nextPageToken: pageToken } = await shop.page(question);
  shop.onAnswer = {};
  t.deepEqual(
    items.map(({ itemId }) => itemId),
    names.slice(0, 50),
  );
  t.deepEqual(await shop.list({ ...question, pageToken }), [...names.slice(50), names[49]]);
});
