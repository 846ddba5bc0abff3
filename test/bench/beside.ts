/**
 * Latency of lists without and during posts of ten events. Both have fixed rates, independent of the speed of the machine.
 */

import { drive, type Latencies, measureLatencies } from './load.ts';
import type { Result } from './report.ts';
import { createEventRow, createListRows, type Effort, type Row } from './rows.ts';
import type { Service } from './service.ts';
import type { World } from './world.ts';

const listsPerSecond = 100;
const postsPerSecond = 200;
const eventsPerPost = 10;

/**
 * Duration of the warm-up, as a multiple of a measurement. It is a closed loop: V8 optimises rare code after some thousand
 * requests.
 */
const warmUpShare = 2;

export async function measureBeside(
  service: Service,
  world: World,
  effort: Effort,
  durationMs: number,
): Promise<Result[]> {
  const [lists, ...others] = createListRows(service, world, effort);
  for (const lane of others.flatMap(({ lanes }) => lanes)) lane.close();
  const posts = createEventRow([service], world, effort);
  const asking = { lanes: lists.lanes, next: lists.next };
  const listing = { ...asking, durationMs, ratePerSecond: listsPerSecond };
  const posting = { ...posts, durationMs, ratePerSecond: postsPerSecond };
  await drive({ ...asking, durationMs: durationMs * warmUpShare });
  const alone = await measureLatencies(listing);
  await Promise.all([drive(listing), drive(posting)]);
  const [beside, posted] = await Promise.all([measureLatencies(listing), measureLatencies(posting)]);
  for (const lane of [...lists.lanes, ...posts.lanes]) lane.close();
  return [
    toResult('lists_alone', 'lists alone', alone),
    toResult('lists_beside_events', 'lists beside events', beside),
    toResult('events_beside_lists', 'event posts of 10', posted, eventsPerPost),
  ];
}

function toResult(name: string, title: string, measured: Latencies, eventCount?: Row['eventCount']): Result {
  return { name, title, eventCount, ...measured };
}
