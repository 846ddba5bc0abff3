/** Data that the documents assume: a configuration, an audience, and visitors of the shop. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createJsonClient, type JsonClient } from '../../support/json-client.ts';
import type { TestService } from '../../support/service.ts';
import { root } from './documents.ts';
import { files } from './files.ts';

const tenRules = readFileSync(join(root, 'docs/examples/complete-journey/ten-rules.json'), 'utf8');

const promoted = ['sofa-1', 'sofa-2'];

/** @returns Values for the placeholders in the documents. */
export async function stock(service: TestService): Promise<Record<string, string>> {
  const http = createJsonClient(service);
  const products = files['products.ndjson'].trim().split('\n');
  for (const product of products) {
    const { item_id, item_type, ...item } = JSON.parse(product);
    await http.put(`/shop/items/${item_type}/${item_id}`, item);
  }
  for (const id of promoted) await http.put(`/shop/items/product/${id}`, { title: `Sofa ${id}` });
  await http.post('/demo/events', {
    events: [
      { event_type: 'detail_pageview', device_id: 'd', page_type: 'detail', action_item: 'x' },
      { event_type: 'purchase', device_id: 'd', page_type: 'checkout', action_item: 'x' },
    ],
  });
  await http.post('/shop/events', { events: shownAndClicked() });
  const visit = { event_type: 'page_visit', page_type: 'home', user_id: 'anna', device_id: 'anna-phone' };
  await http.post('/shop/events', { events: [visit] });
  await http.post('/configurations', JSON.parse(tenRules));
  for (const id of ['home', 'front-page', 'newsletter'])
    await http.put(`/configurations/${id}`, { constraints: [] });
  await train(http);
  return {
    AUDIENCE_ID: await createAudience(http),
    BATCH_ID: await createBatch(http),
    WEBHOOK_ID: await createWebhook(http),
    USER_ID: 'd1',
    'audience_id=…': `audience_id=${await createAudience(http)}`,
    'client_id=…': `client_id=${service.admin.clientId}`,
    'client_secret=…': `client_secret=${service.admin.clientSecret}`,
  };
}

async function createWebhook(http: JsonClient): Promise<string> {
  const hook = { url: 'https://shop.example/hooks', kinds: ['batch.ready'] };
  const { body } = await http.post<{ webhook: { webhook_id: string } }>('/shop/webhooks', hook);
  return body.webhook.webhook_id;
}

/** Until a rollback is possible. */
async function train(http: JsonClient): Promise<void> {
  await http.post('/shop/models/trainings');
  for (;;) {
    const { body } = await http.get<{ trainings: { state: string }[] }>('/shop/models/trainings');
    if (body.trainings.every(({ state }) => state === 'published')) return;
    await setTimeout(50);
  }
}

/** A finished batch of active subjects. */
async function createBatch(http: JsonClient): Promise<string> {
  const lists = [{ configuration_id: 'home', list_name: 'mail', list_size: 3 }];
  const request = { user_ids: ['anna'], page_type: 'email', lists };
  const { status, body } = await http.post<{ batch_id: string }>('/shop/batches', request);
  if (status !== 202) throw new Error(JSON.stringify(body));
  for (;;) {
    const found = await http.get<{ state: string }>(`/shop/batches/${body.batch_id}`);
    if (found.body.state === 'done') return body.batch_id;
    if (found.body.state === 'failed') throw new Error(JSON.stringify(found.body));
    await setTimeout(50);
  }
}

async function createAudience(http: JsonClient): Promise<string> {
  const promotion = promoted.map((id) => ({ id }));
  const audience = { audience_name: 'spring', audience_size: 200, integration_type: 'email', promotion };
  const { body } = await http.post<{ audience: { audience_id: string } }>(
    '/shop/targeting/audiences/requests',
    { audience },
  );
  return body.audience.audience_id;
}

/**
 * 200 devices in each arm; those of B click more often. They are spread over time, because an
 * evaluation predicts the latest events.
 */
function shownAndClicked(): object[] {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  return Array.from({ length: 400 }, (_, index) => {
    const version = index % 2 === 1 ? 'B' : 'control';
    const event = {
      device_id: `d${index}`,
      timestamp: nowSeconds - (index % 10),
      page_type: 'home',
      list_name: 'l',
      request_id: `r${index}`,
      user_group: 'recommender',
      action_item: promoted[index % 3] ?? 'trail-boots',
      version,
    };
    const isClicked = index % 5 === 0 || (version === 'B' && index % 3 === 0);
    return [
      { event_type: 'impression', ...event },
      ...(isClicked ? [{ event_type: 'click_on_recommendation', ...event }] : []),
    ];
  }).flat();
}
