/** A service with a catalogue for search, and the rows of its requests over HTTP. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createChance } from '../../src/deployment/demo/random.ts';
import { createHttpLane, encodeRequest } from './http-lane.ts';
import type { Effort, Row } from './rows.ts';
import { prefixesOf, queriesOf, type SearchWorld, zipfRank } from './search-world.ts';
import { importItems, type Service, startService, train } from './service.ts';
import { environment } from './world.ts';

export const searchDeployment = `
environments:
  - name: ${environment}
    item_types:
      - name: product
        properties:
          - { name: brand, type: string, filterable: true, returnable: true, searchable: { weight: 1 } }
    filter_fields: [brand]
`;

/** @param restMs Pause after the load, for trainings, the last merge and the saved index. */
export async function startSearchService(world: SearchWorld, restMs: number): Promise<Service> {
  const dataDir = mkdtempSync(join(tmpdir(), 'benchmark-search-'));
  const removeData = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const service = await startService(dataDir, searchDeployment);
    await importItems(service, world.itemCount, (index) => searchItem(world, index));
    await train(service);
    await delay(restMs);
    return { ...service, stop: () => service.stop().finally(removeData) };
  } catch (error) {
    removeData();
    throw error;
  }
}

export function searchItem(world: SearchWorld, index: number) {
  const { title, description, brand } = world.item(index);
  return { item_id: `p${index}`, item_type: 'product', language: 'en', title, description, brand };
}

/** Draws from the requests by Zipf's law: the first of 2,000 is one in 70. */
function drawn(requests: readonly Buffer[], seed: string): () => Buffer {
  const chance = createChance(seed);
  const order = Int32Array.from({ length: 10_000 }, () => zipfRank(chance, requests.length));
  let turn = 0;
  return () => requests[order[turn++ % order.length]];
}

export function createSearchRows({ port }: Service, world: SearchWorld, effort: Effort): Row[] {
  const { requestCount, laneCount } = effort;
  const lanes = () => Array.from({ length: Math.ceil(laneCount / 2) }, () => createHttpLane(port));
  const post = (body: unknown): Buffer =>
    encodeRequest({ method: 'POST', path: `/api/${environment}/searches/requests`, body });
  const visitor = { device_id: 'anonymous', page_type: 'search' };
  const queries = queriesOf(world, requestCount);
  const searches = queries.map((q) => post({ ...visitor, q, limit: 10, list_size: 20 }));
  const brands = [3, 20].map((index) => world.item(index).brand);
  const narrowed = queries.map((q, i) =>
    post({
      ...visitor,
      q,
      limit: 10,
      list_size: 20,
      ...(i % 2 ? { group_by: ['brand'] } : { filter_by: { brand: brands } }),
    }),
  );
  const completions = prefixesOf(world, 100)
    .slice(0, requestCount)
    .map((q) => `/api/${environment}/searches/completions?q=${encodeURIComponent(q)}&device_id=anonymous`)
    .map((path) => encodeRequest({ method: 'GET', path }));
  return [
    { name: 'search', title: 'searches', lanes: lanes(), next: drawn(searches, 'searches'), withEcho: true },
    {
      name: 'search_narrowed',
      title: 'searches, filtered or grouped',
      lanes: lanes(),
      next: drawn(narrowed, 'narrowed'),
      withEcho: true,
    },
    {
      name: 'completion',
      title: 'completions',
      lanes: lanes(),
      next: drawn(completions, 'completions'),
      withEcho: true,
    },
  ];
}
