/**
 * `node test/bench/capacity.ts`: computes machines, disk and memory by events per day and by items from measured
 * costs. A test compares the tables with docs/scaling.md.
 */

import { costs, site } from './costs.ts';

const secondsPerDay = 86_400;
const million = 1e6;

export type EventCapacity = {
  eventsPerDay: number;
  /** At the peak. */
  eventsPerSecond: number;
  postgresCores: number;
  nodeCores: number;
  /** Postgres servers needed for cores and for disk. */
  serversByCores: number;
  serversByDisk: number;
  /** A node uses one core; at least two, so that one may fail. */
  nodes: number;
  gigabytesPerDay: number;
  /** Disk for the days that are kept. */
  terabytes: number;
  /** WAL of Postgres at the peak. */
  logMegabytesPerSecond: number;
};

const bytesPerEvent = Object.values(costs.disk).reduce((sum, bytes) => sum + bytes, 0);

export function computeEvents(eventsPerDay: number): EventCapacity {
  const eventsPerSecond = (eventsPerDay / secondsPerDay) * site.peak;
  const perEvent = costs.nodeEvent + costs.nodePost / site.eventsPerPost;
  const perList = costs.makeList + costs.carryList;
  const nodeCores = (eventsPerSecond * (perEvent + perList / site.eventsPerList)) / million;
  const nodes = Math.max(2, Math.ceil(nodeCores / site.busy));
  const postgresCores = (eventsPerSecond * postgresMicroseconds(eventsPerSecond / nodes)) / million;
  const terabytes = (eventsPerDay * bytesPerEvent * site.keptDays) / 1e12;
  return {
    eventsPerDay,
    eventsPerSecond,
    postgresCores,
    nodeCores,
    serversByCores: Math.ceil(postgresCores / site.busy / site.serverCores),
    serversByDisk: Math.ceil(terabytes / site.serverTerabytes),
    nodes,
    gigabytesPerDay: (eventsPerDay * bytesPerEvent) / 1e9,
    terabytes,
    logMegabytesPerSecond: (eventsPerSecond * costs.log) / million,
  };
}

/** Returns the CPU time of an event: small groups cost more. */
function postgresMicroseconds(eventsPerSecondOfNode: number): number {
  const group = Math.max(1, (eventsPerSecondOfNode * costs.commit) / 1_000);
  return costs.postgresEvent + costs.postgresGroup / group + costs.postgresBeside;
}

export type ItemCapacity = {
  items: number;
  /** Memory of each node that serves the items. */
  nodeMegabytes: number;
  /** Until all are indexed, by a start without a saved index. */
  indexSeconds: number;
};

export function computeItems(items: number): ItemCapacity {
  return {
    items,
    nodeMegabytes: costs.node + (items * costs.item) / million,
    indexSeconds: (items * costs.indexItem) / million,
  };
}

export type TrainingCapacity = { events: number; seconds: number; megabytes: number };

/** Returns the cost of a training on so many events. */
export function computeTraining(events: number): TrainingCapacity {
  const { firstSeconds, firstMegabytes, moreSeconds, moreMegabytes } = costs.training;
  const more = events / million - 1;
  return {
    events,
    seconds: firstSeconds + more * moreSeconds,
    megabytes: firstMegabytes + more * moreMegabytes,
  };
}

/** Two significant digits. */
const round = (value: number) =>
  Number(value.toPrecision(2)).toLocaleString('en', { maximumFractionDigits: 4 });

const rowOf = (...cells: (string | number)[]) => `| ${cells.join(' | ')} |`;

export function toEventTable(): string {
  return [
    `| events per day | peak, per second | Postgres cores | WAL, MB/s | disk per day, GB | disk for ${site.keptDays} days, TB | Postgres servers by cores, by disk | node cores | nodes |`,
    '|---|---|---|---|---|---|---|---|---|',
    ...[1e6, 1e8, 1e9]
      .map(computeEvents)
      .map((row) =>
        rowOf(
          row.eventsPerDay.toLocaleString('en'),
          round(row.eventsPerSecond),
          round(row.postgresCores),
          round(row.logMegabytesPerSecond),
          round(row.gigabytesPerDay),
          round(row.terabytes),
          `${row.serversByCores}, ${row.serversByDisk}`,
          round(row.nodeCores),
          row.nodes,
        ),
      ),
  ].join('\n');
}

export function toItemTable(): string {
  return [
    '| items | memory of a node, MB | start without a saved index until all is indexed, s |',
    '|---|---|---|',
    ...[1e5, 1e6, 1e7]
      .map(computeItems)
      .map((row) => rowOf(row.items.toLocaleString('en'), round(row.nodeMegabytes), round(row.indexSeconds))),
  ].join('\n');
}

export function toTrainingTable(): string {
  return [
    '| events read by a training | CPU, s | memory of the worker, MB |',
    '|---|---|---|',
    ...[1e6, 5e6, 2e7]
      .map(computeTraining)
      .map((row) => rowOf(row.events.toLocaleString('en'), round(row.seconds), round(row.megabytes))),
  ].join('\n');
}

if (import.meta.main) console.log([toEventTable(), toItemTable(), toTrainingTable()].join('\n\n'));
