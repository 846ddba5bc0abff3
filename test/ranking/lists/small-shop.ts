/** A small shop with trained models in this process, and the ingredients of its lists. */

import { RecommendationRequestSchema } from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import {
  declaredProperties,
  type EnvironmentSettings,
  fallsBackOnAge,
} from '../../../src/deployment/deployment.ts';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import { decodeJson } from '../../../src/formats/codec.ts';
import { parseStored } from '../../../src/handlers/grammar/parse-stored.ts';
import { toRequest } from '../../../src/handlers/recommendations/recommendation-request.ts';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import {
  createServingEnvironment,
  type ServingEnvironment,
} from '../../../src/ranking/environment/serving-environment.ts';
import { createServingModels } from '../../../src/ranking/environment/serving-models.ts';
import type { ListIngredients } from '../../../src/ranking/lists/list-ingredients.ts';
import { identify } from '../../../src/ranking/lists/person/identify.ts';
import { createStringTable } from '../../../src/ranking/models/arrays/string-table.ts';
import { packModels } from '../../../src/ranking/models/artefact.ts';
import { createFeatureMatrixBuilder, featuresOf } from '../../../src/ranking/models/features.ts';
import {
  createInteractionsBuilder,
  type InteractionEvent,
} from '../../../src/ranking/models/interactions.ts';
import { contentOf } from '../../../src/ranking/models/item-content.ts';
import { createItemKeys } from '../../../src/ranking/models/item-keys.ts';
import { trainPortfolio } from '../../../src/ranking/models/portfolio.ts';

export const nowSeconds = 1_750_000_000;

export type Document = Record<string, unknown> & { item_id: string };

export type ShopOptions = {
  documents: readonly Document[];
  events: readonly InteractionEvent[];
  /** YAML lines of the environment, with their indentation. */
  declared?: string;
};

const typeYaml = `
    item_types:
      - name: product
        properties: [ { name: brand, type: string }, { name: price, type: number } ]
`;

/** The training reads the first `trainedCount` documents. */
export async function createShop(
  { documents, events, declared = '' }: ShopOptions,
  trainedCount = documents.length,
): Promise<ServingEnvironment> {
  const yaml = `environments:\n  - name: shop${typeYaml}${declared}`;
  const settings = parseDeployment(yaml, 'shop.yaml').environments.get('shop')!;
  const { itemTypes, properties } = settings;
  const catalog = createCatalog({ itemTypes: [...itemTypes.keys()], properties: [...properties.values()] });
  const shop = createServingEnvironment(settings, catalog);
  for (const document of documents) put(shop, document);
  const known = documents.slice(0, trainedCount);
  shop.models = await createServingModels(train(known, events, settings), catalog, settings);
  return shop;
}

export function put({ catalog }: ServingEnvironment, document: Document, enabled = true): void {
  const itemIndex = catalog.indexOf('product', document.item_id);
  const revision = itemIndex === undefined ? 1 : catalog.revisionAt(itemIndex) + 1;
  catalog.apply({ itemType: 'product', itemId: document.item_id, document, enabled, revision });
}

function train(
  documents: readonly Document[],
  events: readonly InteractionEvent[],
  { fallbacks: { segments, steps } }: EnvironmentSettings,
): SharedArrayBuffer {
  const itemKeys = createItemKeys();
  const features = createFeatureMatrixBuilder();
  for (const item of documents) {
    features.add(itemKeys.intern('product', item.item_id), featuresOf(contentOf(item)));
  }
  const builder = createInteractionsBuilder({ itemKeys, properties: declaredProperties(segments) });
  for (const event of events) builder.add(event);
  const { length } = documents;
  const interactions = builder.finish();
  const tables = trainPortfolio({ interactions, features: features.finish(length), nowSeconds });
  const trending = tables.trending?.order ?? new Int32Array(0);
  const isTrending = new Set(trending);
  const newestOrder = Int32Array.from({ length }, (_, place) => length - 1 - place);
  const others = newestOrder.filter((local) => !isTrending.has(local));
  const fallbackOrder = Int32Array.from([...trending, ...others]);
  const orders = fallsBackOnAge(steps) ? { fallbackOrder, newestOrder } : { fallbackOrder };
  return packModels({ itemKeys: createStringTable(itemKeys.keys), ...tables, ...orders });
}

export type Asked = {
  /** JSON of the request; by default with one list of the configuration `any`. */
  request?: object;
  configuration?: object;
  /** Viewed items, newest first, an hour apart. */
  viewed?: readonly string[];
};

export function ingredientsOf(
  environment: ServingEnvironment,
  { request: json = {}, configuration = {}, viewed = [] }: Asked,
): ListIngredients {
  const { message, violations } = decodeJson(RecommendationRequestSchema, {
    device_id: 'd1',
    page_type: 'home',
    lists: [{ configuration_id: 'any', list_name: 'picks', list_size: 10 }],
    ...json,
  });
  if (violations.length > 0) throw new Error(JSON.stringify(violations));
  const request = toRequest(environment.settings, message, {}, false);
  const parsed = parseStored({ configuration_id: 'any', constraints: [], ...configuration });
  return {
    request,
    environment,
    identity: identify(request, environment.settings),
    active: request.lists.map(() => ({ version: 1, ...parsed })),
    history: {
      entries: viewed.map((itemId, place) => ({
        eventType: 'detail_pageview',
        itemType: 'product',
        itemId,
        occurredAtSeconds: nowSeconds - place * 3_600,
      })),
      impressions: [],
      consumed: [],
    },
    requestId: '00000000-0000-4000-8000-000000000000',
    nowMs: nowSeconds * 1_000,
  };
}
