/** Looking through a catalogue as time goes by. */

import { create } from '@bufbuild/protobuf';
import test from 'ava';
import {
  ListItemsRequestSchema,
  type ListItemsResponse,
} from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { QuerySchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { createDeclaredCatalog } from '../../../src/catalog/declared-catalog.ts';
import type { ItemReplica } from '../../../src/catalog/item-replica.ts';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import type { Call } from '../../../src/handlers/chain/call.ts';
import { createCatalogueHandlers } from '../../../src/handlers/items/catalogue.ts';
import { decodeJson } from '../../../src/rest/codec.ts';
import { createServingEnvironment } from '../../../src/serving/environment/serving-environment.ts';
import { createTestDatabase } from '../../support/database.ts';
import { upsertItem } from '../../support/items.ts';

const deployment = parseDeployment(
  'environments: [{ name: shop, item_types: [{ name: product }] }]',
  'test.yaml',
);
const startMs = Date.parse('2026-11-20T10:00:00Z');
const hourMs = 3_600_000;

test('a condition on now is about the moment of the question, though no item has changed', async (t) => {
  const db = await createTestDatabase(t);
  const settings = deployment.environments.get('shop')!;
  const catalog = createDeclaredCatalog(settings);
  const serving = createServingEnvironment(settings, catalog);
  const replica = { catalogOf: () => catalog } as unknown as ItemReplica;
  let nowMs = startMs;
  const { handlers } = createCatalogueHandlers({
    db,
    deployment,
    replica,
    environments: new Map([['shop', serving]]),
    clock: () => nowMs,
  });
  for (const [itemId, hours] of Object.entries({ yesterday: -20, soon: 1 })) {
    const document = {
      item_id: itemId,
      publication_datetime: new Date(startMs + hours * hourMs).toISOString(),
    };
    const row = await upsertItem(db, { environment: 'shop', itemType: 'product', itemId, document });
    catalog.apply({ ...row, document });
  }
  const published = async (range: object) => {
    const { message } = decodeJson(QuerySchema, { key: 'publication_datetime', date_range: range });
    const request = create(ListItemsRequestSchema, { environment: 'shop', filter: [message] });
    const page = (await handlers.listItems(request as never, {} as Call)) as ListItemsResponse;
    return page.items.map(({ itemId }) => itemId);
  };
  const untilNow = { max: 'now' };
  const withinADay = { min: 'now-1d', max: 'now' };
  t.deepEqual(await published(untilNow), ['yesterday']);
  t.deepEqual(await published(withinADay), ['yesterday']);
  nowMs += 5 * hourMs;
  t.deepEqual(await published(untilNow), ['soon', 'yesterday']);
  t.deepEqual(await published(withinADay), ['soon']);
});
