/** Cached cold-start lists equal newly made ones, whatever changes in between. */

import test from 'ava';
import { type Chance, createChance } from '../../../src/deployment/demo/random.ts';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import { parseStored } from '../../../src/handlers/grammar/parse-stored.ts';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createServingEnvironment } from '../../../src/ranking/environment/serving-environment.ts';
import { createServingModels } from '../../../src/ranking/environment/serving-models.ts';
import type { ListIngredients } from '../../../src/ranking/lists/list-ingredients.ts';
import { createListMaker } from '../../../src/ranking/lists/list-maker.ts';
import type { ListRequest } from '../../../src/ranking/lists/recommendation-request.ts';
import { createStringTable } from '../../../src/ranking/models/arrays/string-table.ts';
import { packModels } from '../../../src/ranking/models/artefact.ts';
import { createFeatureMatrixBuilder, featuresOf } from '../../../src/ranking/models/features.ts';
import { createInteractionsBuilder } from '../../../src/ranking/models/interactions.ts';
import { contentOf } from '../../../src/ranking/models/item-content.ts';
import { createItemKeys } from '../../../src/ranking/models/item-keys.ts';
import { trainPortfolio } from '../../../src/ranking/models/portfolio.ts';
import { fc } from '../../support/properties.ts';

const startMs = 1_790_000_000_000;
const minuteMs = 60_000;
const itemCount = 60;

const settings = parseDeployment(
  `
environments:
  - name: shop
    item_types:
      - name: product
        properties: [ { name: price, type: number, filterable: true } ]
    filter_fields: [categories, price, publication_datetime]
    versions: [ { name: A, share: 50 }, { name: B, share: 50, models: { co_visits: 0.1 } } ]
`,
  'test.yaml',
).environments.get('shop')!;

const documents = [
  { constraints: [{ query: { key: 'price', gte: { value: 3 } } }] },
  { constraints: [{ query: { key: 'price', lte: { variable: { name: 'most', default: 7 } } } }] },
  {
    constraints: [
      { query: { key: 'publication_datetime', gte: { value: 'now-30m' } }, limit: { min: 2 } },
      { diversify: { key: 'categories' }, limit: { max: 2 } },
    ],
  },
  { constraints: [{ query: { key: 'price', gte: { value: 5 } }, limit: { max: 3 } }] },
  { constraints: [], rotation: { rate: 0.5 } },
  { constraints: [], freshness: { maximum_age_hours: 0.5 } },
  {
    constraints: [],
    preferences: [
      {
        query: {
          key: 'categories',
          match: { variable: { name: 'categories', context: 'item', on_absent_drop: true } },
        },
        weight: 2,
      },
    ],
  },
  {
    constraints: [
      {
        query: {
          key: 'categories',
          match: { not: { variable: { name: 'categories', context: 'history', days: 7 } } },
        },
      },
    ],
  },
];

const configurationOf = (index: number, version: number) => ({
  version,
  ...parseStored({ configuration_id: `c${index}`, preferences: [], ...documents[index] }),
});

function describeItem(index: number, chance: Chance) {
  const atMs = (minutes: number) => new Date(startMs + minutes * minuteMs).toISOString();
  return {
    item_id: `i${index}`,
    item_type: 'product',
    title: `Thing ${index}`,
    categories: [`shelf-${index % 5}`],
    price: chance.whole(1, 10),
    publication_datetime: atMs(chance.happens(0.1) ? chance.whole(1, 20) : -chance.whole(1, 60)),
    ...(chance.happens(0.1) && { expiration_datetime: atMs(chance.whole(-2, 30)) }),
    ...(chance.happens(0.2) && { group_id: `g${chance.whole(0, 3)}` }),
  };
}

/** An environment in which everything can change at random. */
async function createShop(chance: Chance) {
  const catalog = createCatalog({
    itemTypes: [...settings.itemTypes.keys()],
    properties: [...settings.properties.values()],
  });
  let revision = 0;
  const write = (index: number) => {
    const document = describeItem(index, chance);
    const enabled = chance.happens(0.95);
    catalog.apply({ itemType: 'product', itemId: `i${index}`, document, enabled, revision: ++revision });
    return document;
  };
  for (let index = 0; index < itemCount; index++) write(index);
  const environment = createServingEnvironment(settings, catalog);
  const learn = async () => {
    environment.models = await createServingModels(trainOn(chance), catalog, settings);
  };
  await learn();
  return {
    environment,
    learn,
    write: () => void write(chance.whole(0, itemCount - 1)),
    arrive: () => void write(catalog.itemCount),
    /** Happens a few moments after items arrive. */
    compare() {
      for (let index = itemCount; index < catalog.itemCount; index++)
        environment.models.newItems!.set(index, featuresOf(contentOf(describeItem(index, chance))));
    },
  };
}

function trainOn(chance: Chance): SharedArrayBuffer {
  const itemKeys = createItemKeys();
  const features = createFeatureMatrixBuilder();
  for (let index = 0; index < itemCount; index++) {
    const content = contentOf(describeItem(index, chance));
    features.add(itemKeys.intern('product', `i${index}`), featuresOf(content));
  }
  const interactions = createInteractionsBuilder({ itemKeys });
  for (let event = 0; event < 300; event++) {
    interactions.add({
      subjectKey: `s${chance.whole(0, 30)}`,
      itemId: `i${chance.whole(0, itemCount - 1)}`,
      itemType: 'product',
      eventType: 'detail_pageview',
      timeSeconds: startMs / 1000 - chance.whole(1, 100_000),
      pageType: chance.pick(['home', 'detail']),
    });
  }
  const tables = trainPortfolio({
    interactions: interactions.finish(),
    features: features.finish(itemCount),
    nowSeconds: startMs / 1000,
  });
  const fallbackOrder = Int32Array.from({ length: itemCount }, (_, local) => local);
  return packModels({ itemKeys: createStringTable(itemKeys.keys), ...tables, fallbackOrder });
}

/** A random request; most are from cold-start visitors on few pages. */
function ask(chance: Chance) {
  const lists = Array.from({ length: chance.happens(0.2) ? 2 : 1 }, (_, place) => {
    const most = chance.pick([undefined, 4]);
    const list: ListRequest = {
      configurationId: `c${chance.whole(0, documents.length - 1)}`,
      listName: `list ${place}`,
      listSize: 12,
      limit: 5,
      injected: chance.happens(0.3) ? [{ rank: 2, itemId: 'i3' }] : [],
      allowDuplicates: chance.happens(0.1),
      purpose: chance.pick([undefined, undefined, 'bought_together', 'complete_basket']),
      variables: (name) => (name === 'most' ? most : undefined),
    };
    return list;
  });
  const entry = {
    eventType: 'detail_pageview',
    itemType: 'product',
    itemId: `i${chance.whole(0, itemCount - 1)}`,
    occurredAtSeconds: startMs / 1000 - 60,
  };
  const entries = chance.happens(0.2) ? [entry] : [];
  return {
    lists,
    pageType: 'detail',
    contextItem: chance.happens(0.7) ? { itemId: 'i0' } : undefined,
    identity: {
      userGroup: 'recommender',
      lists: chance.happens(0.1) ? ('baseline' as const) : ('recommended' as const),
      version: chance.pick(['A', 'B']),
    },
    history: chance.happens(0.05) ? undefined : { entries, impressions: [], consumed: [] },
  };
}

test('a cold-start list equals a newly made one while items, models and configurations change', async (t) => {
  let again = 0;
  await fc.assert(
    fc.asyncProperty(fc.integer(), async (seed) => {
      const chance = createChance(`kept ${seed}`);
      const shop = await createShop(chance);
      const active = documents.map((_, index) => configurationOf(index, 1));
      const makeLists = createListMaker();
      const visits = Array.from({ length: 30 }, () => ask(chance));
      const given = new Set<unknown>();
      let nowMs = startMs;
      for (let step = 0; step < 250; step++) {
        nowMs += chance.happens(0.03) ? minuteMs : chance.whole(0, 20);
        if (chance.happens(0.02)) shop.write();
        if (chance.happens(0.01)) shop.arrive();
        if (chance.happens(0.01)) shop.compare();
        if (chance.happens(0.01)) await shop.learn();
        if (chance.happens(0.02)) {
          const index = chance.whole(0, documents.length - 1);
          active[index] = configurationOf(index, active[index].version + 1);
        }
        const { identity, history, lists, ...page } = chance.pick(visits);
        const ingredients: ListIngredients = {
          request: {
            environment: 'shop',
            deviceId: 'd',
            histories: [],
            lists,
            ...page,
            deadlineMs: 0,
            isRobot: false,
          },
          environment: shop.environment,
          identity,
          active: lists.map(({ configurationId }) => active[Number(configurationId.slice(1))]),
          history,
          requestId: `r${step}`,
          nowMs,
        };
        const made = makeLists(ingredients);
        if (given.has(made)) again += 1;
        given.add(made);
        t.deepEqual(made, createListMaker()(ingredients));
      }
    }),
    { numRuns: 4 },
  );
  t.true(again > 20, `${again} of 1,000 lists were given again`);
});
