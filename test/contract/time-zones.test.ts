/** Calendar days of an environment: in metrics, in figures of an item, and in conditions. */

import { timestampMs } from '@bufbuild/protobuf/wkt';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { CatalogueService } from '../../gen/es/personalisation/v1/catalogue_service_pb.js';
import { MetricService } from '../../gen/es/personalisation/v1/metric_service_pb.js';
import { type Shop, type Shops, startShops } from './support/shops.ts';

let shops: Shops;

test.before(async () => {
  shops = await startShops(0, {
    berlin: '    time_zone: Europe/Berlin',
    kolkata: '    time_zone: Asia/Kolkata',
  });
});

test.after.always(() => shops?.stop());

const options = () => ({ headers: { authorization: shops.service.authorization } });
const transport = () => createGrpcTransport({ baseUrl: `http://${shops.service.grpcAddress}` });
const secondsAt = (text: string) => Date.parse(text) / 1_000;

type Output = { query_params: { step?: string }; results: { start_time: number; value: number }[] };

const read = (shop: Shop, metric: string, query = '') =>
  shop.http.get<Output>(`/metrics/${metric}?environment=${shop.environment}${query}`);

async function sendAt(shop: Shop, times: readonly string[], event: object = {}): Promise<void> {
  for (const time of times)
    await shop.track({
      event_type: 'impression',
      page_type: 'home',
      list_name: 'top',
      request_id: 'r1',
      user_group: 'recommender',
      device_id: 'd1',
      action_item: 'sofa',
      timestamp: secondsAt(time),
      ...event,
    });
}

test('metrics by day sum the hours of calendar days, also of 23 and 25 hours', async (t) => {
  const shop = shops.openNamed('berlin');
  /** The first and the last hour of the day on which summer time begins, and of that on which it ends. */
  const spring = ['2026-03-28T23:10:00Z', '2026-03-29T21:50:00Z', '2026-03-29T22:10:00Z'];
  const autumn = ['2026-10-24T22:10:00Z', '2026-10-25T22:50:00Z', '2026-10-25T23:10:00Z'];
  await sendAt(shop, [...spring, ...autumn]);
  await sendAt(shop, [spring[1]], { event_type: 'click_on_recommendation' });
  const { body } = await read(shop, 'impressions', '&step=day');
  t.is(body.query_params.step, 'day');
  t.deepEqual(body.results, [
    { start_time: secondsAt('2026-03-29T00:00:00+01:00'), value: 2 },
    { start_time: secondsAt('2026-03-30T00:00:00+02:00'), value: 1 },
    { start_time: secondsAt('2026-10-25T00:00:00+02:00'), value: 2 },
    { start_time: secondsAt('2026-10-26T00:00:00+01:00'), value: 1 },
  ]);
  const rate = await read(shop, 'click_through_rate', '&step=day&limit=1');
  t.deepEqual(rate.body.results, [{ start_time: secondsAt('2026-03-29T00:00:00+01:00'), value: 0.5 }]);
  t.is((await read(shop, 'impressions', '&step=hour')).body.results.length, 6);
});

test('money by day is an exact sum', async (t) => {
  const shop = shops.openNamed('berlin');
  const sell = (time: string, purchased_price: number) =>
    sendAt(shop, [time], { event_type: 'purchase', purchased_price });
  await sell('2026-05-01T08:00:00Z', 0.1);
  await sell('2026-05-01T09:00:00Z', 0.2);
  await sell('2026-05-02T08:00:00Z', 0.1);
  await sell('2026-05-02T09:00:00Z', 0.2);
  await sell('2026-05-02T10:00:00Z', -0.3);
  const { body } = await read(shop, 'revenue', '&step=day');
  t.deepEqual(body.results, [{ start_time: secondsAt('2026-05-01T00:00:00+02:00'), value: 0.3 }]);
});

test('a distinct count by day is refused, and an unknown step', async (t) => {
  const shop = shops.openNamed('berlin');
  const distinct = await read(shop, 'users', '&step=day');
  t.deepEqual([distinct.status, distinct.pointers], [400, ['query:step']]);
  t.is((await read(shop, 'events', '&step=week')).status, 400);
});

test('in a zone of half hours, the hour that contains midnight belongs to the day in which it begins', async (t) => {
  const shop = shops.openNamed('kolkata');
  await sendAt(shop, ['2026-03-28T18:10:00Z', '2026-03-28T18:40:00Z', '2026-03-28T19:00:00Z']);
  const answer = await createClient(MetricService, transport()).queryMetrics(
    {
      environment: shop.environment,
      metrics: ['impressions'],
      step: 'day',
      startTime: { lt: '2026-04-01T00:00:00Z' },
    },
    options(),
  );
  t.deepEqual(
    answer.results.map(({ startTime, value }) => [Number(startTime), value]),
    [
      [secondsAt('2026-03-28T00:00:00+05:30'), 2],
      [secondsAt('2026-03-29T00:00:00+05:30'), 1],
    ],
  );
});

test('the events of an item are counted by calendar day to the minute', async (t) => {
  const shop = shops.openNamed('kolkata');
  await shop.stock('product', ['figured']);
  const halfHour = 1_800;
  const midnight = Math.floor((Date.now() / 1_000 + 11 * halfHour) / 86_400) * 86_400 - 11 * halfHour;
  const at = (seconds: number) => new Date(seconds * 1_000).toISOString();
  await sendAt(shop, [at(midnight - 60), at(midnight - 86_400), at(midnight)], { action_item: 'figured' });
  const { figures } = await createClient(CatalogueService, transport()).getItemFigures(
    { environment: shop.environment, itemType: 'product', itemId: 'figured', days: 2 },
    options(),
  );
  t.deepEqual(
    figures.map(({ startTime, count }) => [timestampMs(startTime!) / 1_000 - midnight, count]),
    [
      [-86_400, 2],
      [0, 1],
    ],
  );
});

test('a date in a rule is midnight of the environment', async (t) => {
  const items = [
    { item_id: 'before', released: '2026-03-01T18:29:59Z' },
    { item_id: 'midnight', released: '2026-03-01T18:30:00Z' },
  ];
  const query = { key: 'released', date_range: { min: '2026-03-02', max: '2026-03-02' } };
  const configurationId = await shops.openNamed('kolkata').configure({ constraints: [{ query }] });
  const found = async (environment: string) => {
    const shop = shops.openNamed(environment);
    await shop.stock('article', items);
    return shop.list({ configuration_id: configurationId });
  };
  t.deepEqual([await found('kolkata'), await found('berlin')], [['midnight'], []]);
});
