/**
 * Lists made by threads: the one that answers calls keeps transport and database, and is the only one that writes.
 *
 * Each thread is a replica that learns of every change in the order of its happening, before any request that came after it. So
 * a write is in the next list, nobody waits for anybody, and nothing half-written is seen: see decision 7.
 */

import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { textKeys } from '../../catalog/item-rows.ts';
import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import type { ServingModels } from '../../environment/serving-models.ts';
import type { Configuration } from '../../rules/types.ts';
import type { Forgetting } from '../../runtime/forgetting.ts';
import { createWorkerPool } from '../../runtime/workers.ts';
import type { ListIngredients } from '../list-ingredients.ts';
import { createKeepingListMaker, type RemoteListMaker } from '../list-maker.ts';
import { workOf } from '../list-work.ts';
import { variablesOf } from '../variables.ts';
import { createCatalogFeed } from './catalog-feed.ts';
import { createHistoryMemory, createHistoryNumbers, type HistoryMemory } from './histories-told.ts';
import { decodeAnswer, type ListAnswer } from './list-answer.ts';
import type { ListNews, ListRemark } from './list-news.ts';
import { encodeTask, type ListTask } from './list-task.ts';
import type { ListThreadSettings } from './list-thread.ts';
import { createModelsFeed, type HandedModels, type ModelsFeed } from './models-feed.ts';

export type ListThreads = {
  /** In a thread; here while there is none, or where conditions read texts, which threads do not hold. */
  makeLists: RemoteListMaker;
  /** An item was written. */
  noteItem(environment: string, itemIndex: number): void;
  handOver(environment: string, buffer: SharedArrayBuffer, models: ServingModels): HandedModels;
  /** An item has arrived in models that were handed over. */
  noteArrival(environment: string, ...arrival: Parameters<ModelsFeed['noteArrival']>): void;
  start(): void;
  stop(): Promise<void>;
  /** `ok` when there are as many threads as there shall be, else how many, and why. */
  readonly state: string;
  readonly readyCount: number;
};

export type ListThreadsOptions = {
  environments: ReadonlyMap<string, ServingEnvironment>;
  /** 0 makes all lists here. */
  count: number;
  forgetting?: Forgetting;
  logger: Pick<Logger, 'error' | 'info'>;
};

/** What is remembered of a thread. */
type Known = {
  tell(news: ListNews): void;
  remembered: HistoryMemory<object>;
  /** By configuration: the rules that it was told of last. */
  told: Map<string, Configuration>;
  end(): void;
};

export function createListThreads(options: ListThreadsOptions): ListThreads {
  const { environments, count, forgetting, logger } = options;
  const here = createKeepingListMaker();
  const makeHere = (ingredients: ListIngredients) => here.of(ingredients).lists;
  const numberOf = createHistoryNumbers();
  const catalogs = new Map(Array.from(environments, ([name, one]) => [name, createCatalogFeed(one)]));
  const models = new Map(Array.from(environments.keys(), (name) => [name, createModelsFeed(name)]));
  const known = new Set<Known>();
  const trends = createTrendsFeed(environments);

  const enter = (tell: (news: ListNews) => void): Known => {
    /** Before the catalogues: a thread is ready when these are complete, and all models that it knows of are made. */
    for (const feed of models.values()) feed.enter(tell);
    trends.begin();
    const ends = Array.from(catalogs, ([environment, feed]) =>
      feed.follow((rows, isFilled) => tell({ kind: 'items', environment, rows, isFilled })),
    );
    const end = () => {
      for (const endOne of ends) endOne();
      for (const feed of models.values()) feed.leave(tell);
    };
    const one: Known = { tell, remembered: createHistoryMemory(), told: new Map(), end };
    known.add(one);
    return one;
  };
  const pool = createWorkerPool<ListTask, ListAnswer, ListNews, Known, ListRemark>({
    name: 'lists',
    count,
    createWorker: () => createWorker({ environments: settingsOf(environments) }),
    onStart: enter,
    onExit(one) {
      known.delete(one);
      one.end();
    },
    beforeTasks() {
      for (const feed of catalogs.values()) feed.flush();
      trends.tellTo(pool.broadcast);
    },
    onNotice: (remark, { tell }) => models.get(remark.environment)!.take(remark, tell),
    logger,
  });
  forgetting?.add(() => {
    pool.broadcast({ kind: 'forget' });
    for (const { remembered } of known) remembered.clear();
  });

  return {
    makeLists(ingredients, signal) {
      if (pool.readyCount === 0 || ingredients.active.some(({ rules }) => readsTexts(rules)))
        return makeHere(ingredients);
      const place = here.placeOf(ingredients);
      if (place?.lists) return place.lists;
      const answer = pool.run({
        taskFor(one) {
          tellConfigurations(ingredients, one);
          return encodeTask(ingredients, { numberOf, remembered: one.remembered });
        },
        here: () => makeHere(ingredients),
        flow: ingredients.request.callerKey,
        ...workOf(ingredients.request),
        signal,
      });
      return answer.then((told) => {
        const { lists, isKept } = decodeAnswer(told, ingredients.environment.catalog);
        if (isKept) place?.keep(lists);
        return lists;
      });
    },
    noteItem: (environment, itemIndex) => catalogs.get(environment)!.note(itemIndex),
    handOver: (environment, buffer, made) => models.get(environment)!.handOver(buffer, made),
    noteArrival: (environment, ...arrival) => models.get(environment)!.noteArrival(...arrival),
    start: pool.start,
    stop: pool.stop,
    get state() {
      if (pool.readyCount === count) return 'ok';
      const reason = pool.fault === undefined ? '' : `: ${pool.fault}`;
      return `${pool.readyCount} of ${count} threads make lists${reason}`;
    },
    get readyCount() {
      return pool.readyCount;
    },
  };
}

/** Tells threads the trends that have changed. */
function createTrendsFeed(environments: ListThreadsOptions['environments']) {
  const told = new Map<string, number>();
  return {
    /** A new thread knows none. */
    begin: () => told.clear(),
    tellTo(tell: (news: ListNews) => void) {
      for (const [environment, { trends }] of environments) {
        const snapshot = trends.view.current();
        if (snapshot === undefined || told.get(environment) === trends.version) continue;
        told.set(environment, trends.version);
        tell({ kind: 'trends', environment, snapshot });
      }
    },
  };
}

/**
 * Room for new objects of a thread. Rows that a catalogue is filled with are garbage at once; with more room they grow old first,
 * and a thread takes twice the memory. A list leaves little behind.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

function createWorker(workerData: ListThreadSettings): Worker {
  return new Worker(new URL('./list-thread.ts', import.meta.url), { workerData, resourceLimits });
}

/** What threads need of them; a schedule's request is no plain data. */
function settingsOf(environments: ListThreadsOptions['environments']): ListThreadSettings['environments'] {
  return Array.from(environments.values(), ({ settings }) => ({
    ...settings,
    batches: { ...settings.batches, schedules: [] },
  }));
}

/** Of each list the version in force, unless it is what the thread was told last. */
function tellConfigurations({ request, active }: ListIngredients, { told, tell }: Known): void {
  for (const [place, { configurationId }] of request.lists.entries()) {
    const { version, rules, settings } = active[place];
    if (told.get(configurationId) === rules) continue;
    told.set(configurationId, rules);
    tell({ kind: 'configuration', configurationId, active: { version, rules, settings } });
  }
}

const textReaders = new WeakMap<Configuration, boolean>();

function readsTexts(configuration: Configuration): boolean {
  const known = textReaders.get(configuration);
  if (known !== undefined) return known;
  const { rules, preferences } = configuration;
  const keys = [...rules, ...preferences].map((one) => ('query' in one ? one.query.key : one.key));
  const metadata = variablesOf(configuration).filter(({ context }) => context === 'item');
  const reads = [...keys, ...metadata.map(({ name }) => name)].some((key) => textKeys.has(key));
  textReaders.set(configuration, reads);
  return reads;
}
