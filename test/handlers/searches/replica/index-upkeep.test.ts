import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import type { Logger } from 'pino';
import { parseDeployment } from '../../../../src/deployment/load-deployment.ts';
import { createIndexUpkeep } from '../../../../src/handlers/searches/replica/index-upkeep.ts';
import { createCatalog } from '../../../../src/ranking/catalog/catalog.ts';
import { createServingEnvironment } from '../../../../src/ranking/environment/serving-environment.ts';
import { createEmptyModels } from '../../../../src/ranking/environment/serving-models.ts';
import type { Database } from '../../../../src/repository/database.ts';
import { streamItemStates, upsertItems } from '../../../../src/repository/items/items.ts';
import { findSnapshotMoment } from '../../../../src/repository/search/search-snapshots.ts';
import { createLogger } from '../../../../src/servers/telemetry/logger.ts';
import { createTestDatabase, silentLogger } from '../../../support/database.ts';

const itemCount = 60;
const loved = 42;

const deployment = `
environments:
  - name: shop
    item_types: [ { name: product } ]
`;

/** A shop of lamps, too small for a snapshot, so that it needs no database. */
function createShop() {
  const settings = parseDeployment(deployment, 'test.yaml').environments.get('shop')!;
  const catalog = createCatalog({ properties: [], itemTypes: ['product'] });
  const environment = createServingEnvironment(settings, catalog);
  let nowMs = 1_000_000;
  const upkeep = createIndexUpkeep({
    db: {} as Database,
    environments: new Map([['shop', environment]]),
    clock: () => nowMs,
    logger: createLogger('silent'),
  });
  for (let i = 0; i < itemCount; i++) {
    const document = { title: `Lamp number ${i}` };
    const row = { environment: 'shop', itemType: 'product', itemId: `p${i}`, document };
    upkeep.apply('shop', catalog.apply({ ...row, enabled: true, revision: 1 }), document);
  }
  const complete = () =>
    environment.searchIndex.complete({ q: 'la', limit: 5, nowMs }).map(({ itemIndex }) => itemIndex);
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { environment, upkeep, complete, pass };
}

const modelsThatLove = (favourite: number) => ({
  ...createEmptyModels(),
  byteLength: 1,
  popularityOf: (itemIndex: number) => Number(itemIndex === favourite),
});

/** Limited by the time of the test. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

test('completions follow the first models as soon as they come', async (t) => {
  const { environment, upkeep, complete } = createShop();
  await upkeep.start();
  t.deepEqual(complete(), [0, 1, 2, 3, 4]);
  environment.models = modelsThatLove(loved);
  await until(() => complete()[0] === loved);
  t.deepEqual(complete(), [loved, 0, 1, 2, 3]);
  await upkeep.stop();
});

test('later models reorder completions after a while', async (t) => {
  const { environment, upkeep, complete, pass } = createShop();
  environment.models = modelsThatLove(loved);
  await upkeep.start();
  t.is(complete()[0], loved);
  environment.models = modelsThatLove(loved + 1);
  pass(10 * 60_000);
  await until(() => complete()[0] === loved + 1);
  t.is(complete().length, 5);
  await upkeep.stop();
});

test('new texts beyond the limit of a start are indexed later, in their current form', async (t) => {
  const db = await createTestDatabase(t);
  const item = (i: number, title: string) => ({
    environment: 'shop',
    itemType: 'product',
    itemId: `p${i}`,
    document: { title },
  });
  await upsertItems(
    db,
    Array.from({ length: itemCount }, (_, i) => item(i, `Lamp number ${i}`)),
  );
  const settings = parseDeployment(deployment, 'test.yaml').environments.get('shop')!;
  const catalog = createCatalog({ properties: [], itemTypes: ['product'] });
  const environment = createServingEnvironment(settings, catalog);
  const environments = new Map([['shop', environment]]);
  const told: object[] = [];
  const logger = { ...silentLogger, info: (fields: object) => void told.push(fields) } as unknown as Logger;
  const upkeep = createIndexUpkeep({ db, environments, clock: () => 1_000_000, logger, mostAtStart: 10 });
  const take = (row: Parameters<typeof catalog.apply>[0]) =>
    upkeep.apply('shop', catalog.apply(row), row.document);
  for await (const rows of streamItemStates(db, 'shop'))
    for (const row of rows) take({ ...row, document: row.document as { title: string } });
  t.is(upkeep.leftCount, itemCount - 10);
  await upkeep.start();
  const last = catalog.itemIdAt(itemCount - 1);
  take({ ...item(0, 'Sofa'), itemId: last, enabled: true, revision: 2 });
  const find = (q: string) =>
    environment.searchIndex
      .search({ q, listSize: 100, nowMs: 1_000_000 })
      .lists.reduce((sum, { items }) => sum + items.length, 0);
  t.is(find('sofa'), 1, 'what changes is found at once');
  await until(() => upkeep.leftCount === 0);
  t.is(find('lamp'), itemCount - 1);
  t.is(find('sofa'), 1);
  await upkeep.stop();
  t.is(told.length, 2, 'that it begins, and that it has ended');
  for (const fields of told) t.like(fields, { environment: 'shop', items: itemCount - 10 });
});

test('an index is saved when a bulk load has ended, with all of its items', async (t) => {
  const db = await createTestDatabase(t);
  const settings = parseDeployment(deployment, 'test.yaml').environments.get('shop')!;
  const createNode = (clock: () => number) => {
    const catalog = createCatalog({ properties: [], itemTypes: ['product'] });
    const environment = createServingEnvironment(settings, catalog);
    const environments = new Map([['shop', environment]]);
    const upkeep = createIndexUpkeep({ db, environments, clock, logger: createLogger('silent') });
    const load = (from: number, to: number) => {
      for (let i = from; i < to; i++) {
        const document = { title: `Lamp number ${i}` };
        const row = { environment: 'shop', itemType: 'product', itemId: `p${i}`, document };
        upkeep.apply('shop', catalog.apply({ ...row, enabled: true, revision: 1 }), document);
      }
    };
    return { upkeep, load, index: environment.searchIndex };
  };
  let nowMs = 1_000_000;
  let clockReads = 0;
  const node = createNode(() => {
    clockReads += 1;
    return nowMs;
  });
  /** Returns when the upkeep has looked at least once since. */
  const look = async () => {
    nowMs += 5_000;
    const read = clockReads;
    await until(() => clockReads >= read + 4);
  };
  await node.upkeep.start();
  for (let from = 0; from < 3_000; from += 1_000) {
    node.load(from, from + 1_000);
    await look();
  }
  while ((await findSnapshotMoment(db, 'shop')) === undefined) await look();
  await node.upkeep.stop();
  const next = createNode(() => nowMs);
  await next.upkeep.restore();
  next.load(0, 3_000);
  t.is(next.index.analysedCount, 0, 'no text is analysed again');
  await next.upkeep.stop();
});
