/** The bodies in docs/metrics.md are what the service takes and answers. */

import { readFileSync } from 'node:fs';
import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';

const deployment = `
environments:
  - name: demo
    item_types: [ { name: product } ]
  - name: shop
    item_types: [ { name: product } ]
    versions: [ { name: control, share: 50 }, { name: B, share: 50 } ]
`;

const document = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
const example = /```json\nPOST (?<path>\S+)\n(?<request>.*?)```\s*```json\n(?<answer>.*?)```/gs;
const examples = [...document.matchAll(example)].map(({ groups }) => groups!);

test('the examples of docs/metrics.md are answered in the form that stands there', async (t) => {
  const service = await startTestService(t, deployment);
  const http = createJsonClient(service);
  const send = (environment: string, events: object[]) => http.post(`/${environment}/events`, { events });
  await send('demo', [
    { event_type: 'detail_pageview', device_id: 'd', page_type: 'detail', action_item: 'x' },
    { event_type: 'purchase', device_id: 'd', page_type: 'checkout', action_item: 'x' },
  ]);
  t.like(await send('shop', shownAndClicked()), { status: 200 });
  t.is(examples.length, 2);
  const { origin } = new URL(service.baseUrl);
  for (const { path, request, answer } of examples) {
    const response = await fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: service.authorization },
      body: request,
    });
    const fresh = (await response.json()) as object;
    t.is(response.status, 200, JSON.stringify(fresh));
    t.deepEqual(formOf(fresh), formOf(JSON.parse(answer)), path);
  }
});

/** 200 devices in each arm; those of B click more often. */
function shownAndClicked(): object[] {
  return Array.from({ length: 400 }, (_, i) => {
    const version = i % 2 === 1 ? 'B' : 'control';
    const event = {
      device_id: `d${i}`,
      page_type: 'home',
      list_name: 'l',
      request_id: `r${i}`,
      user_group: 'recommender',
      action_item: 'x',
      version,
    };
    const isClicked = i % 5 === 0 || (version === 'B' && i % 3 === 0);
    return [
      { event_type: 'impression', ...event },
      ...(isClicked ? [{ event_type: 'click_on_recommendation', ...event }] : []),
    ];
  }).flat();
}

/** Names and types; of a list the fullest form of its elements, since what is zero is left out. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) {
    const forms = value.map((element) => JSON.stringify(formOf(element)));
    return forms.sort((a, b) => b.length - a.length)[0];
  }
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, formOf(part)]));
}
