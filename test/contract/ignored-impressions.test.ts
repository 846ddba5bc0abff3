/** Repeated impressions without a click lower an item for one visitor, and the explanation quantifies it. */

import { createClient } from '@connectrpc/connect';
import test from 'ava';
import { RecommendationService } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import type { EventRow } from '../../src/repository/event-row.ts';
import { createAdminTransport } from '../support/admin-transport.ts';
import { commitEvents } from '../support/events.ts';
import { startTestService } from '../support/service.ts';
import { impression } from './support/impressions.ts';
import { createModels } from './support/models.ts';

const environment = 'shop';
const itemType = 'article';
const deployment = `
environments:
  - name: ${environment}
    item_types: [ { name: ${itemType} } ]`;

/** Forty readers of the same three articles, and one visitor who was shown a fourth. */
function log(): EventRow[] {
  const dayAgoMs = Date.now() - 86_400_000;
  const event = (userId: string, itemId: string, eventType: string): EventRow => {
    return {
      environment,
      eventType,
      userId,
      itemType,
      itemId,
      occurredAtMs: dayAgoMs,
      robot: false,
      details: {},
    };
  };
  const readers = Array.from({ length: 40 }, (_, reader) =>
    ['seed', 'one', 'other'].map((itemId) => event(`reader${reader}`, itemId, 'detail_pageview')),
  );
  return [...readers.flat(), event('somebody', 'fourth', 'impression')];
}

test('an ignored item falls behind an equal one, for that visitor', async (t) => {
  const service = await startTestService(t, deployment, { trains: true });
  const { call, putItems, train } = createModels(service, environment);
  const items = ['seed', 'one', 'other', 'fourth', 'fifth'].map((itemId) => {
    return { itemType, itemId, document: {} };
  });
  await putItems(items);
  await commitEvents(service.database, log());
  await call('PUT', 'configurations/any', { configuration_id: 'any', constraints: [] });
  t.is((await train()).state, 'published');

  const rpc = createClient(RecommendationService, createAdminTransport(service));
  const ask = async (deviceId: string) => {
    const lists = [{ configurationId: 'any', listName: 'l', listSize: 4 }];
    const request = { deviceId, pageType: 'detail', contextItem: 'seed', lists };
    const { explanations } = await rpc.createRecommendations({ environment, request, explain: true });
    return explanations[0].items;
  };
  const partOf = (explained: Awaited<ReturnType<typeof ask>>, itemId: string) =>
    explained
      .find((item) => item.itemId === itemId)!
      .parts.filter(({ model }) => model === 'ignored')
      .reduce((sum, { score }) => sum + score, 0);

  const shown = Array.from({ length: 6 }, () =>
    impression('one', { device_id: 'tired', page_type: 'detail' }),
  );
  const told = await call<{ detail?: string }>('POST', `${environment}/events`, { events: shown });
  t.is(told?.detail, undefined);
  type Explained = Awaited<ReturnType<typeof ask>>;
  const scoreOf = (explained: Explained, itemId: string) =>
    explained.find((item) => item.itemId === itemId)!.score;
  /** The distance for other visitors depends on the models, which depend on the machine. */
  const lead = (explained: Explained) => scoreOf(explained, 'one') - scoreOf(explained, 'other');
  /** Repeats until both answers are from the same models, since a training may happen in between. */
  const askBoth = async (): Promise<Record<'tired' | 'fresh', Explained>> => {
    const [before, tired, fresh] = [await ask('fresh'), await ask('tired'), await ask('fresh')];
    const isScored = before.some(({ parts }) => parts.length > 0);
    const isSame = Math.abs(lead(before) - lead(fresh)) < 1e-4;
    return isScored && isSame ? { tired, fresh } : askBoth();
  };
  const { tired, fresh } = await askBoth();
  t.true(lead(tired) < lead(fresh), `${lead(tired)} and ${lead(fresh)}`);
  t.true(partOf(tired, 'one') < 0, `${partOf(tired, 'one')}`);
  t.is(partOf(tired, 'other'), 0);
  for (const { score, parts } of tired) {
    const sum = parts.reduce((before, part) => before + part.score, 0);
    t.true(Math.abs(sum - score) < 1e-4, `${sum} and ${score}`);
  }
  t.is(partOf(fresh, 'one'), 0);
});
