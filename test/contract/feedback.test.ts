/** Dislikes, ratings and progress: what an event tells changes the next list of its subject. */

import { createClient } from '@connectrpc/connect';
import test from 'ava';
import { RecommendationService } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { newDevice, series } from './support/shops.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService(`
environments:
  - name: site
    event_weights: { item_interaction.not-again: -3, item_interaction.zap: 1 }
    page_purposes: { continue: continue }
    item_types:
      - { name: film, consumed_by: [detail_pageview, checkpoint] }
      - { name: short, consumed_by: [checkpoint], consumed_at_progress: 0.5 }
      - name: episode
        consumed_by: [checkpoint]
        group_order: [number]
        properties: [{ name: number, type: number }]
`);
const http = createJsonClient(service);

const films = ['horror', 'comedy'].flatMap((kind) => series(kind, 4));
const episodes = ['dark', 'light'].flatMap((group) => series(`${group}-`, 3));
const nowSeconds = Math.floor(Date.now() / 1_000);

test.before(async () => {
  await http.put('/configurations/any', {});
  for (const film of films) {
    const kind = film.replace(/\d/, '');
    await http.put(`/site/items/film/${film}`, {
      title: `${kind} night`,
      tags: [kind],
      categories: [[kind]],
    });
  }
  for (const edition of ['cut', 'uncut'])
    await http.put(`/site/items/film/edition-${edition}`, { title: edition, group_id: 'edition' });
  await http.put('/site/items/short/short1', { title: 'short' });
  for (const episode of episodes) {
    const [group, number] = episode.split('-');
    await http.put(`/site/items/episode/${episode}`, {
      title: group,
      group_id: group,
      number: Number(number),
    });
  }
});

type Lists = { lists: { items: { item_id: string }[] }[] };

async function listOf(device: string, page = 'home'): Promise<string[]> {
  const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 100 }];
  const body = { device_id: device, page_type: page, lists };
  const answer = await http.post<Lists>('/site/recommendations/requests', body);
  return answer.body.lists[0].items.map(({ item_id: id }) => id);
}

async function explain(deviceId: string, whyNot: { itemId: string }[] = []) {
  const rpc = createClient(RecommendationService, createAdminTransport(service));
  const lists = [{ configurationId: 'any', listName: 'l', listSize: 100 }];
  const request = { deviceId, pageType: 'home', lists };
  const answer = await rpc.createRecommendations({ environment: 'site', request, explain: true, whyNot });
  return answer.explanations[0];
}

/** Events of one device, an hour ago and a second apart. */
const send = (device: string, events: object[]) =>
  http.post<{ errors?: { pointer: string; detail: string }[] }>('/site/events', {
    events: events.map((event, place) => ({
      device_id: device,
      page_type: 'detail',
      timestamp: nowSeconds - 3_600 + place,
      ...event,
    })),
  });

const interact = (item: string, interaction: string, more: object = {}) => ({
  event_type: 'item_interaction',
  interaction_type: interaction,
  action_item: item,
  ...more,
});
const watch = (item: string, progress?: number) => ({
  event_type: 'checkpoint',
  action_item: item,
  progress,
});

const judgements: [title: string, events: object[], isListed: boolean][] = [
  ...[
    'dislike',
    'Not Interested',
    'notInterested',
    'HIDE',
    'thumbs-down',
    'report',
    'block',
    'not_again',
  ].map((type): [string, object[], boolean] => [type, [interact('horror1', type)], false]),
  ['a like', [interact('horror1', 'like')], true],
  ['an unknown interaction', [interact('horror1', 'zoom')], true],
  ['a rating below the middle', [interact('horror1', 'rate', { rating: 2 })], false],
  ['the middle', [interact('horror1', 'rate', { rating: 3 })], true],
  ['a rating above it', [interact('horror1', 'rate', { rating: 4 })], true],
  ['a dislike and a later like', [interact('horror1', 'dislike'), interact('horror1', 'like')], true],
  ['a dislike taken back', [interact('horror1', 'dislike'), interact('horror1', 'un-dislike')], true],
  ['a like and a later dislike', [interact('horror1', 'like'), interact('horror1', 'dislike')], false],
  ['a dislike and a declared interest', [interact('horror1', 'dislike'), interact('horror1', 'zap')], true],
];

for (const [title, events, isListed] of judgements) {
  test(`${title} ${isListed ? 'leaves' : 'removes'} the item, before and after aggregation`, async (t) => {
    const device = newDevice();
    t.is((await send(device, events)).status, 200);
    t.is((await listOf(device)).includes('horror1'), isListed);
    await http.get('/metrics/events?environment=site');
    t.is((await listOf(device)).includes('horror1'), isListed);
  });
}

test('a dislike removes the whole group and names itself as the reason', async (t) => {
  const device = newDevice();
  await send(device, [interact('edition-cut', 'dislike'), interact('dark-2', 'hide')]);
  const listed = await listOf(device);
  t.deepEqual(
    listed.filter((id) => /^(edition|dark)/.test(id)),
    [],
  );
  t.true(listed.includes('light-1'));
  const { whyNot } = await explain(device, [{ itemId: 'edition-uncut' }, { itemId: 'dark-1' }]);
  t.deepEqual(
    whyNot.map(({ reason }) => reason),
    ['disliked', 'disliked'],
  );
  await send(device, [{ ...interact('edition-uncut', 'like'), timestamp: nowSeconds }]);
  t.true((await listOf(device)).some((id) => id.startsWith('edition')));
});

test('a disliked group stays away, also after more events than a history holds', async (t) => {
  const device = newDevice();
  const dislike = { event_type: 'group_interaction', interaction_type: 'dislike', action_group: 'light' };
  const views = Array.from({ length: 320 }, () => ({
    event_type: 'detail_pageview',
    action_item: 'comedy3',
  }));
  await send(device, [interact('horror1', 'dislike'), ...views]);
  await send(device, [{ ...dislike, timestamp: nowSeconds }]);
  const isGone = (id: string) => id !== 'horror1' && !id.startsWith('light');
  t.true((await listOf(device)).every(isGone));
  await http.get('/metrics/events?environment=site');
  t.true((await listOf(device)).every(isGone));
});

test('a list names the purpose itself', async (t) => {
  const device = newDevice();
  await send(device, [watch('horror1', 0.2)]);
  const lists = [{ configuration_id: 'any', list_name: 'l', list_size: 2, purpose: 'continue' }];
  const request = { device_id: device, page_type: 'home', lists };
  const { body } = await http.post<Lists>('/site/recommendations/requests', request);
  t.is(body.lists[0].items[0].item_id, 'horror1');
});

test('ratings outside the scale are refused', async (t) => {
  for (const rating of [0, 5.5, -1]) {
    const { status, body } = await send(newDevice(), [interact('horror1', 'rate', { rating })]);
    t.is(status, 400);
    t.deepEqual(body.errors, [
      { pointer: '/events/0/rating', detail: "Must be from 1 to 5, by the deployment's rating_scale." },
    ]);
  }
});

test('negative interactions are counted', async (t) => {
  const total = async () => {
    const path = '/metrics/negative_interactions?environment=site';
    const { body } = await http.get<{ results: { value: number }[] }>(path);
    return body.results.reduce((sum, { value }) => sum + value, 0);
  };
  const before = await total();
  t.true(before >= 0);
  await send('counted', [
    interact('comedy1', 'dislike'),
    interact('comedy1', 'like'),
    interact('x', 'rate', { rating: 1 }),
  ]);
  t.true((await total()) >= before + 2);
});

test('an early checkpoint leaves an item unfinished, also after a view of its page', async (t) => {
  const device = newDevice();
  const open = { event_type: 'detail_pageview', action_item: 'horror1' };
  await send(device, [
    open,
    watch('horror1', 0.3),
    watch('comedy1', 0.95),
    watch('short1', 0.5),
    watch('comedy2'),
  ]);
  const listed = await listOf(device);
  t.true(listed.includes('horror1'));
  for (const finished of ['comedy1', 'comedy2', 'short1']) t.false(listed.includes(finished), finished);
});

test('a page to continue offers unfinished items, then next episodes, then the usual list', async (t) => {
  const device = newDevice();
  await send(device, [
    watch('light-1', 1),
    watch('light-2', 0.92),
    watch('horror1', 0.2),
    watch('dark-1', 1),
    watch('dark-2', 0.4),
    watch('comedy1', 0.6),
  ]);
  const listed = await listOf(device, 'continue');
  t.deepEqual(listed.slice(0, 4), ['comedy1', 'dark-2', 'horror1', 'light-3']);
  t.is(listed.length, films.length + 2 + 1 + 1, 'the rest of the catalogue follows');
  await send(device, [
    { ...watch('comedy1', 1), timestamp: nowSeconds },
    { ...watch('dark-2', 0.95), timestamp: nowSeconds - 1 },
  ]);
  const later = await listOf(device, 'continue');
  t.deepEqual(later.slice(0, 3), ['horror1', 'dark-3', 'light-3']);
  t.false(later.includes('comedy1'));
});

test('items like a disliked one are lowered, and the explanation says so', async (t) => {
  const device = newDevice();
  await send(device, [
    { event_type: 'item_interaction', interaction_type: 'like', action_item: 'horror1' },
    interact('horror2', 'dislike'),
  ]);
  const find = async () =>
    (await explain(device)).items
      .find(({ itemId }) => itemId === 'horror3')!
      .parts.find(({ model }) => model === 'similar_to_disliked');
  let part = await find();
  /** Models take up new items soon. */
  while (part === undefined) part = await find();
  t.true(part.score < 0);
  t.deepEqual(part.reasonItemIds, ['horror2']);
  const stranger = newDevice();
  await send(stranger, [interact('horror2', 'dislike')]);
  const kinds = (await listOf(stranger)).map((id) => id.replace(/\d$/, ''));
  t.true(kinds.lastIndexOf('comedy') < kinds.indexOf('horror'), kinds.join(' '));
});
