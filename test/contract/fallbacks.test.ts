/** A declared fallback chain: lists for unknown subjects by properties of events and requests, and their explanation. */

import { setTimeout as delay } from 'node:timers/promises';
import test from 'ava';
import { startTestService } from '../support/service.ts';
import { createModels } from './support/models.ts';

const environment = 'shop';
const deployment = `
environments:
  - name: ${environment}
    fallbacks: [segment, newest]
    segments: [country, membership]
    user_properties: [membership]
    item_types: [ { name: article } ]
`;

const day = 86_400_000;
const lists = [{ configuration_id: 'any', list_name: 'picks', list_size: 4 }];

/** Five visitors of a country, or with a membership, who viewed one article each. */
const visits = (itemId: string, said: object) =>
  Array.from({ length: 5 }, (_, visitor) => ({
    event_type: 'detail_pageview',
    device_id: `${itemId}-${visitor}`,
    page_type: 'detail',
    action_item: itemId,
    action_item_type: 'article',
    ...said,
  }));

type Told = {
  recommendations: { lists: { items: { item_id: string }[] }[] };
  outcomes: { steps: object[] }[];
  explanations: { items: { item_id: string; step: string; source: string }[] }[];
  degraded?: string[];
};

test('the deployment’s chain is reported by gRPC, the explanation and a header', async (t) => {
  const service = await startTestService(t, deployment, { trains: true });
  const { call, train } = createModels(service, environment);
  for (let item = 0; item < 6; item++) {
    const published = new Date(Date.now() - (10 - item) * day).toISOString();
    const document = { title: `story ${item}`, publication_datetime: published };
    await call('PUT', `${environment}/items/article/a${item}`, document);
  }
  await call('PUT', 'configurations/any', { configuration_id: 'any' });
  const events = [...visits('a0', { country: 'DE' }), ...visits('a1', { membership: 'gold' })];
  await call('POST', `${environment}/events`, { events });
  t.is((await train()).state, 'published');

  const ask = async (said: object) => {
    const url = new URL('/personalisation.v1.RecommendationService/CreateRecommendations', service.baseUrl);
    const variables = { ...said };
    const request = { device_id: 'stranger', page_type: 'home', lists, variables };
    const headers = { authorization: service.authorization, 'content-type': 'application/json' };
    const body = JSON.stringify({ environment, request, explain: true });
    const response = await fetch(url, { method: 'POST', headers, body });
    return { told: (await response.json()) as Told, timing: response.headers.get('server-timing') };
  };
  const orderOf = async (said: object) =>
    (await ask(said)).told.recommendations.lists[0].items.map((item) => Object.values(item)[0]).join(' ');
  t.is(await orderOf({}), 'a5 a4 a3 a2');
  t.is(await orderOf({ country: 'FR' }), 'a5 a4 a3 a2');
  t.is(await orderOf({ country: 'DE' }), 'a0 a5 a4 a3');
  t.is(await orderOf({ membership: 'gold', country: 'DE' }), 'a0 a1 a5 a4');

  const { told, timing } = await ask({ country: 'DE' });
  t.deepEqual(told.outcomes[0].steps, [
    { step: 'segment', itemCount: 1 },
    { step: 'newest', itemCount: 3 },
  ]);
  t.deepEqual(
    told.explanations[0].items.map(({ step, source }) => [step, source]),
    [['segment', 'fallback'], ...Array(3).fill(['newest', 'fallback'])],
  );
  t.is(told.degraded, undefined);
  t.regex(timing!, /^history;dur=[\d.]+, lists;dur=[\d.]+, keep;dur=[\d.]+$/);

  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ device_id: 'stranger', page_type: 'home', country: 'DE', lists });
  const url = `${service.baseUrl}/${environment}/recommendations/requests`;
  const response = await fetch(url, { method: 'POST', headers, body });
  t.regex(response.headers.get('server-timing')!, /^history;dur=/);
  const answer = (await response.json()) as { lists: { items: { item_id: string }[] }[] };
  t.deepEqual(
    answer.lists[0].items.map(({ item_id: id }) => id),
    ['a0', 'a5', 'a4', 'a3'],
  );
  t.deepEqual(Object.keys(answer), ['device_id', 'lists', 'request_id', 'user_group', 'version']);

  const asked = { device_ids: ['nobody'], page_type: 'home', country: 'DE', lists };
  type Batch = { batch_id: string; state: string };
  const { batch_id: id } = await call<Batch>('POST', `${environment}/batches`, asked);
  while ((await call<Batch>('GET', `${environment}/batches/${id}`)).state !== 'done') await delay(50);
  const result = await call<typeof answer>('GET', `${environment}/batches/${id}/results`);
  t.deepEqual(
    result.lists[0].items.map(({ item_id: itemId }) => itemId),
    ['a0', 'a5', 'a4', 'a3'],
    'a batch says what a request says',
  );
});
