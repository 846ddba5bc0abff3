/** Lists for known users of the generated shop. Gorse computes its lists in advance, without rules. */

import { setTimeout as delay } from 'node:timers/promises';
import type { HttpRequest } from '../http-lane.ts';
import { call, startFilledService } from '../service.ts';
import { createWorld, describePage, describeRequest, environment, listSize, visitorOf } from '../world.ts';
import { type Comparison, type Figures, measureLoad, pidsOf } from './side.ts';

const rowsPerPost = 1_000;

export async function compareGorse(comparison: Comparison): Promise<Record<string, Figures>> {
  const nowSeconds = Math.floor(Date.now() / 1_000);
  const world = () => createWorld('rivals', nowSeconds, comparison.size);
  const service = await startFilledService(world());
  const { size, durationMs } = comparison;
  const user = (asked: number) => visitorOf((asked * 7_919) % size.users);
  const measured: Record<string, Figures> = {};
  try {
    const pids = pidsOf(service);
    await call(service.port, '/configurations', { configuration_id: 'plain' }, service.authorization);
    const rows = {
      'service, plain': describePage('home', 'plain'),
      'service, rules': describeRequest('product-00001'),
    };
    for (const [name, request] of Object.entries(rows)) {
      let asked = 0;
      const next = (): HttpRequest => ({
        method: 'POST',
        path: `/api/${environment}/recommendations/requests`,
        body: { ...user(asked++), ...request },
      });
      measured[name] = await measureLoad({ port: service.port, next, durationMs, pids });
    }
  } finally {
    await service.stop();
  }
  if (comparison.rival === undefined) return measured;
  const url = new URL(comparison.rival);
  await fillGorse(url, world(), comparison);
  let asked = 0;
  const next = (): HttpRequest => ({
    method: 'GET',
    path: `/api/recommend/${user(asked++).user_id}?n=${listSize}`,
  });
  const pids = comparison.rivalPid === undefined ? [] : [comparison.rivalPid];
  return { ...measured, gorse: await measureLoad({ port: Number(url.port), next, durationMs, pids }) };
}

async function fillGorse(url: URL, world: ReturnType<typeof createWorld>, { size, restMs }: Comparison) {
  const post = async (path: string, count: number, row: (i: number) => unknown) => {
    for (let start = 0; start < count; start += rowsPerPost) {
      const rows = Array.from({ length: Math.min(rowsPerPost, count - start) }, (_, i) => row(start + i));
      const headers = { 'content-type': 'application/json' };
      const response = await fetch(new URL(path, url), {
        method: 'POST',
        headers,
        body: JSON.stringify(rows),
      });
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
    }
  };
  await post('/api/items', size.items, (i) => {
    const item = world.item(i);
    return {
      ...{ ItemId: item.item_id, Categories: item.categories, Labels: item.tags },
      ...{ Timestamp: item.publication_datetime, Comment: item.title, IsHidden: false },
    };
  });
  await post('/api/feedback', size.events, () => {
    const event = world.pastEvent();
    return {
      ...{ FeedbackType: event.event_type === 'purchase' ? 'star' : 'read', UserId: event.user_id },
      ...{ ItemId: event.action_item, Timestamp: new Date(Number(event.timestamp) * 1_000).toISOString() },
    };
  });
  await delay(restMs);
}
