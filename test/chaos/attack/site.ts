/** The attacked site: a catalogue, subjects with histories, and a training. */

import { setTimeout as delay } from 'node:timers/promises';
import type { ServedProcess } from '../../support/served-process.ts';
import { type Site, visitorConfiguration } from './visitors.ts';

const interestCount = 20;
const visitorCount = 40;

/** An entry of `environments` of a deployment file. */
export const siteDeployment = (environment: string) => `
  - name: ${environment}
    item_types:
      - name: product
        properties: [{ name: brand, type: string, filterable: true, returnable: true }]
`;

/** Creates items of several interests, views by subjects of one interest each, and a training. */
export async function fillSite(
  { baseUrl, authorization }: Pick<ServedProcess, 'baseUrl' | 'authorization'>,
  environment: string,
  itemCount: number,
): Promise<Site> {
  const call = async (method: string, path: string, body?: string, contentType = 'application/json') => {
    const headers = { authorization, 'content-type': contentType };
    const answer = await fetch(baseUrl + path, { method, headers, body });
    const told = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${told.slice(0, 500)}`);
    return told === '' ? {} : JSON.parse(told);
  };
  const interestOf = (id: string) => `interest ${Number(/\d+/.exec(id)![0]) % interestCount}`;
  await call('PUT', `/configurations/${visitorConfiguration}`, '{}');
  for (let start = 0; start < itemCount; start += 50) {
    const items = Array.from({ length: Math.min(50, itemCount - start) }, (_, i) => `p${start + i}`);
    await Promise.all(
      items.map((id) => {
        const title = `Thing ${id} of ${interestOf(id)}`;
        const item = {
          title,
          description: title.repeat(20),
          categories: [interestOf(id)],
          brand: `brand ${id.length}`,
        };
        return call('PUT', `/${environment}/items/product/${id}`, JSON.stringify(item));
      }),
    );
  }
  const userIds = Array.from({ length: visitorCount }, (_, i) => `u${i}`);
  const readers = Array.from({ length: 400 }, (_, i) => `reader${i}`);
  for (const [place, id] of [...readers, ...userIds].entries()) {
    const events = Array.from({ length: 12 }, (_, k) => ({
      event_type: 'detail_pageview',
      page_type: 'detail',
      device_id: `${id}-phone`,
      user_id: id,
      action_item: `p${(((place * 7 + k * 3) % 40) * interestCount + (Number(/\d+/.exec(id)![0]) % interestCount)) % itemCount}`,
      action_item_type: 'product',
    }));
    await call('POST', `/${environment}/events`, JSON.stringify({ events }));
  }
  const { training_id: id } = await call('POST', `/${environment}/models/trainings`, '{}');
  for (let state = ''; state !== 'published' && state !== 'kept'; await delay(100)) {
    ({ state } = await call('GET', `/${environment}/models/trainings/${id}`));
    if (/failed|refused|rejected/.test(state)) throw new Error(`The training ended as ${state}.`);
  }
  return { baseUrl, environment, userIds, interestOf };
}
