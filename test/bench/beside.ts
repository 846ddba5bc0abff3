/**
 * What lists take while events arrive: both at fixed rates, which do not depend on how fast the machine is.
 *
 * The lists alone come first, then the same beside posts of ten events.
 */

import { drive, type Measured } from './load.ts';
import type { Result } from './report.ts';
import { createEventRow, createListRows, type Effort, type Row } from './rows.ts';
import type { Service } from './service.ts';
import type { World } from './world.ts';

const listsPerSecond = 100;
const postsPerSecond = 200;
const eventsPerPost = 10;

/** Of the time of a measurement: until then code is being compiled. */
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
  const listsFor = (ms: number) =>
    drive({ lanes: lists.lanes, next: lists.next, durationMs: ms, ratePerSecond: listsPerSecond });
  const postsFor = (ms: number) => drive({ ...posts, durationMs: ms, ratePerSecond: postsPerSecond });
  await listsFor(durationMs * warmUpShare);
  const alone = await listsFor(durationMs);
  await Promise.all([listsFor(durationMs), postsFor(durationMs)]);
  const [beside, posted] = await Promise.all([listsFor(durationMs), postsFor(durationMs)]);
  for (const lane of [...lists.lanes, ...posts.lanes]) lane.close();
  return [
    toResult('lists_alone', 'lists alone', alone),
    toResult('lists_beside_events', 'lists beside events', beside),
    toResult('events_beside_lists', 'event posts of 10', posted, eventsPerPost),
  ];
}

function toResult(name: string, title: string, measured: Measured, eventCount?: Row['eventCount']): Result {
  return { name, title, eventCount, ...measured };
}
