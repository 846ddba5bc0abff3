/** Metrics of the service besides its calls: database, queues, lists, catalogues, events, models. */

import type { Metrics, Sample } from './metrics.ts';

export type WatchedService = {
  version: string;
  /** Connections to the database, and statements that wait for one. */
  connections(): { idle: number; busy: number; waiting: number };
  /** Lengths of the queues of statements, by name. */
  queues: ReadonlyMap<string, () => number>;
  /** Items in memory, by environment. */
  itemCounts(): Iterable<readonly [environment: string, count: number]>;
  /** When the node began to serve with its models, in milliseconds since the epoch, by environment. */
  modelsServedAtMs: ReadonlyMap<string, number>;
  /** Counts the recorded trainings of all nodes. */
  trainings(): Promise<TrainingCount[]>;
  storedEventCount(): number;
  /** Returns the pending events of all nodes and the age of the oldest in seconds. */
  aggregationLag(): { events: number; seconds: number };
  lists: ListCounts;
  /** Counts under the name `other`, because their names exceeded the limit of new names per hour, by environment. */
  excessNames(): Iterable<readonly [environment: string, count: number]>;
  /** Entries that were dropped before they were written, by buffer. */
  dropped(): Iterable<readonly [buffer: string, count: number]>;
  clock: () => number;
};

export type TrainingCount = { environment: string; state: string; count: number; lastEndedAt: Date | null };

export type ListCounts = { kept: number; found: number; missing: number };

export function watchService(metrics: Metrics, service: WatchedService): void {
  metrics.gauge({
    name: 'personalisation_build_info',
    help: 'Version of the service and of Node; always 1.',
    labels: ['version', 'node_version'],
    read: () => [[{ version: service.version, node_version: process.versions.node }, 1]],
  });
  watchDatabase(metrics, service);
  watchModels(metrics, service);
  metrics.gauge({
    name: 'personalisation_items',
    help: 'Items of the catalogue in memory, disabled ones included.',
    labels: ['environment'],
    read: () => Array.from(service.itemCounts(), ([environment, count]): Sample => [{ environment }, count]),
  });
  metrics.counter({
    name: 'personalisation_events_stored_total',
    help: 'Events stored by this node, without repetitions.',
    labels: [],
    read: () => [[{}, service.storedEventCount()]],
  });
  metrics.gauge({
    name: 'personalisation_folding_behind_events',
    help: 'Pending events of all nodes: stored, but not in all histories and counts yet. Updated once a second.',
    labels: [],
    read: () => [[{}, service.aggregationLag().events]],
  });
  metrics.gauge({
    name: 'personalisation_folding_behind_seconds',
    help: 'Age of the oldest pending event.',
    labels: [],
    read: () => [[{}, service.aggregationLag().seconds]],
  });
  metrics.counter({
    name: 'personalisation_lists_total',
    help: 'Lists kept for paging, and pages by their list: found or missing (unknown or expired).',
    labels: ['result'],
    read: () => Object.entries(service.lists).map(([result, count]): Sample => [{ result }, count]),
  });
  watchCounting(metrics, service);
}

function watchCounting(metrics: Metrics, { excessNames, dropped }: WatchedService): void {
  metrics.counter({
    name: 'personalisation_metric_names_over_limit_total',
    help: 'Lists and events counted under the name other, because their names exceeded the limit of new names per hour.',
    labels: ['environment'],
    read: () => Array.from(excessNames(), ([environment, count]): Sample => [{ environment }, count]),
  });
  metrics.counter({
    name: 'personalisation_write_behind_dropped_total',
    help: 'Entries that were dropped before they were written: buffer full, or refused by the database.',
    labels: ['buffer'],
    read: () => Array.from(dropped(), ([buffer, count]): Sample => [{ buffer }, count]),
  });
}

function watchDatabase(metrics: Metrics, { connections, queues }: WatchedService): void {
  metrics.gauge({
    name: 'personalisation_database_connections',
    help: 'Connections to the database that are idle or busy, and statements waiting for one.',
    labels: ['state'],
    read: () => Object.entries(connections()).map(([state, count]): Sample => [{ state }, count]),
  });
  metrics.gauge({
    name: 'personalisation_queue_length',
    help: 'Calls waiting for a shared statement, by queue.',
    labels: ['queue'],
    read: () => Array.from(queues, ([queue, length]): Sample => [{ queue }, length()]),
  });
}

function watchModels(metrics: Metrics, { modelsServedAtMs, trainings, clock }: WatchedService): void {
  const ageOf = (atMs: number) => Math.max(0, clock() - atMs) / 1_000;
  metrics.gauge({
    name: 'personalisation_models_serving_seconds',
    help: 'Time since this node began to serve with its current models.',
    labels: ['environment'],
    read: () => Array.from(modelsServedAtMs, ([environment, at]): Sample => [{ environment }, ageOf(at)]),
  });
  metrics.gauge({
    name: 'personalisation_models_age_seconds',
    help: 'Time since the latest models of any node were published.',
    labels: ['environment'],
    read: async () =>
      (await trainings()).flatMap(({ environment, state, lastEndedAt }): Sample[] =>
        state === 'published' && lastEndedAt ? [[{ environment }, ageOf(lastEndedAt.getTime())]] : [],
      ),
  });
  metrics.gauge({
    name: 'personalisation_trainings',
    help: 'Recorded trainings by outcome: published, kept (the previous models were better), failed, or queued and running.',
    labels: ['environment', 'state'],
    read: async () =>
      (await trainings()).map(({ environment, state, count }): Sample => [{ environment, state }, count]),
  });
}

/** A topic that is read. `failures` counts failed connections and reads. */
export type WatchedTopic = {
  topic: string;
  counts: { stored: number; refused: number; failures: number; lag: number };
};

export function watchTopics(metrics: Metrics, topics: readonly WatchedTopic[]): void {
  metrics.counter({
    name: 'personalisation_kafka_records_total',
    help: 'Records of Kafka that this node stored as new, or refused.',
    labels: ['topic', 'result'],
    read: () =>
      topics.flatMap(({ topic, counts: { stored, refused } }): Sample[] => [
        [{ topic, result: 'stored' }, stored],
        [{ topic, result: 'refused' }, refused],
      ]),
  });
  metrics.counter({
    name: 'personalisation_kafka_failures_total',
    help: 'Failures of the broker or the database after which a topic of Kafka was read again.',
    labels: ['topic'],
    read: () => topics.map(({ topic, counts }): Sample => [{ topic }, counts.failures]),
  });
  metrics.gauge({
    name: 'personalisation_kafka_lag_records',
    help: 'Records that are not stored yet, in the partitions that this node reads.',
    labels: ['topic'],
    read: () => topics.map(({ topic, counts }): Sample => [{ topic }, counts.lag]),
  });
}
