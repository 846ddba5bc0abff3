/** A shop in this process: a writable catalogue, models of simulated users, and requests. */

import { parseDeployment } from '../../../../src/deployment/load-deployment.ts';
import { parseStored } from '../../../../src/handlers/grammar/parse-stored.ts';
import { createDeclaredCatalog } from '../../../../src/ranking/catalog/declared-catalog.ts';
import { createServingEnvironment } from '../../../../src/ranking/environment/serving-environment.ts';
import type { ListIngredients } from '../../../../src/ranking/lists/list-ingredients.ts';
import { identify } from '../../../../src/ranking/lists/person/identify.ts';
import { createStringTable } from '../../../../src/ranking/models/arrays/string-table.ts';
import { packModels } from '../../../../src/ranking/models/artefact.ts';
import { createFeatureMatrixBuilder, featuresOf } from '../../../../src/ranking/models/features.ts';
import { createInteractionsBuilder } from '../../../../src/ranking/models/interactions.ts';
import { contentOf } from '../../../../src/ranking/models/item-content.ts';
import { createItemKeys } from '../../../../src/ranking/models/item-keys.ts';
import { trainPortfolio } from '../../../../src/ranking/models/portfolio.ts';

export const nowMs = 1_790_000_000_000;

const settings = parseDeployment(
  `environments:
  - name: shop
    item_types:
      - name: product
        properties:
          - { name: brand, type: string, filterable: true }
          - { name: price, type: number, filterable: true }
          - { name: in_stock, type: boolean, filterable: true }
          - { name: colors, type: "string[]", filterable: true }
      - name: episode
        group_order: [publication_datetime]
    filter_fields: [brand, price]`,
  'test.yaml',
).environments.get('shop')!;

/** By id; `texts` needs fields that threads do not hold. */
export const configurations = new Map(
  [
    { configuration_id: 'plain' },
    {
      configuration_id: 'ruled',
      constraints: [
        { query: { key: 'in_stock', match: { value: true } } },
        {
          query: { key: 'brand', match: { variable: { name: 'brand', default: 'b1' } } },
          limit: { min: 3 },
        },
        { query: { key: 'item_attributes.size', match: 'xl' }, limit: { max: 2 } },
        { diversify: { key: 'categories' }, limit: { max: 4 } },
      ],
      preferences: [{ query: { key: 'colors', match: 'red' }, weight: 2 }],
    },
    { configuration_id: 'texts', constraints: [{ query: { key: 'title', contains: '7' } }] },
  ].map((document) => [document.configuration_id, parseStored(document)]),
);

/** Fields of a pseudo-random item, different for each `variant`. */
export function documentOf(index: number, variant = 0): Record<string, unknown> {
  const pick = (count: number, salt: number) =>
    Math.imul(index + 31 * variant + salt, 2_654_435_761) >>> (0 % count);
  const chosen = (count: number, salt: number) => pick(2 ** 31, salt) % count;
  return {
    title: `Thing ${index} of kind ${chosen(9, 1)}`,
    categories: [`c${chosen(3, 2)}/d${chosen(5, 3)}`],
    tags: [`t${chosen(7, 4)}`],
    brand: `b${chosen(4, 5)}`,
    price: chosen(100, 6) / 4,
    in_stock: chosen(5, 7) > 0,
    colors: chosen(3, 8) === 0 ? ['red', 'blue'] : ['green'],
    group_id: index % 4 === 0 ? `g${chosen(12, 9)}` : undefined,
    item_attributes: [{ name: 'size', value: chosen(4, 10) === 0 ? 'xl' : 'm' }],
    publication_datetime: new Date(nowMs - chosen(1_000, 11) * 3_600_000).toISOString(),
  };
}

export function createSmallShop(itemCount: number) {
  const environment = createServingEnvironment(settings, createDeclaredCatalog(settings));
  const { catalog } = environment;
  let revision = 0;
  const write = (index: number, variant = 0, enabled = true): number => {
    revision += 1;
    const itemType = index % 8 === 0 ? 'episode' : 'product';
    const document = documentOf(index, variant);
    return catalog.apply({ itemType, itemId: `i${index}`, document, enabled, revision });
  };
  for (let index = 0; index < itemCount; index++) write(index);
  return { environment, write };
}

const itemTypeOf = (index: number) => (index % 8 === 0 ? 'episode' : 'product');

/** Models trained on 60 users' events with the first items. */
export function trainShop(itemCount: number): SharedArrayBuffer {
  const itemKeys = createItemKeys();
  const features = createFeatureMatrixBuilder();
  for (let index = 0; index < itemCount; index++) {
    const local = itemKeys.intern(itemTypeOf(index), `i${index}`);
    features.add(local, featuresOf(contentOf(documentOf(index))));
  }
  const builder = createInteractionsBuilder({ itemKeys });
  for (let person = 0; person < 60; person++)
    for (const [step, index] of historyOf(person, itemCount).entries())
      builder.add({
        subjectKey: `p${person}`,
        itemId: `i${index}`,
        itemType: itemTypeOf(index),
        eventType: 'detail_pageview',
        timeSeconds: nowMs / 1_000 - 600 * (step + person),
      });
  const tables = trainPortfolio({
    interactions: builder.finish(),
    features: features.finish(itemCount),
    nowSeconds: nowMs / 1_000,
  });
  const fallbackOrder = Int32Array.from({ length: itemCount }, (_, local) => local);
  return packModels({ itemKeys: createStringTable(itemKeys.keys), ...tables, fallbackOrder });
}

function historyOf(person: number, itemCount: number): number[] {
  return Array.from({ length: 5 + (person % 12) }, (_, step) => (person * 7 + step * step * 3) % itemCount);
}

/** `isStranger`: a subject without history. */
type Asked = { person: number; itemCount: number; explains?: boolean; isStranger?: boolean };

/** A request of one of them with two lists; renews the trends, as every request does. */
export function ingredientsOf(
  environment: ListIngredients['environment'],
  { person, itemCount, explains = false, isStranger = false }: Asked,
): ListIngredients {
  environment.trends.renew(nowMs / 1_000);
  const lists = ['plain', person % 5 === 0 ? 'texts' : 'ruled'].map((configurationId) => ({
    configurationId,
    listName: configurationId,
    listSize: 12,
    limit: 12,
    injected: person % 3 === 0 ? [{ itemId: 'i5', rank: 2 }] : [],
    allowDuplicates: false,
    variables: (name: string) => (name === 'brand' && person % 2 === 0 ? 'b2' : undefined),
  }));
  const request = {
    environment: 'shop',
    deviceId: `d${person}`,
    pageType: 'detail',
    contextItem: { itemId: `i${(person * 11) % itemCount}` },
    histories: person % 4 === 0 && !isStranger ? [[{ id: 'i9', reconsumable: false }]] : [],
    lists,
    deadlineMs: performance.now() + 60_000,
    isRobot: false,
    explain: explains ? { whyNot: [{ itemId: 'i1' }, { itemId: 'nobody' }] } : undefined,
  };
  const entries = historyOf(person, itemCount).map((index, step) => ({
    eventType: 'detail_pageview',
    itemType: itemTypeOf(index),
    itemId: `i${index}`,
    occurredAtSeconds: nowMs / 1_000 - 60 * step,
  }));
  return {
    request,
    environment,
    identity: identify(request, settings),
    active: lists.map(({ configurationId }) => ({ version: 1, ...configurations.get(configurationId)! })),
    history: { entries: isStranger ? [] : entries, impressions: [], consumed: [] },
    requestId: `r${person}`,
    nowMs,
  };
}
