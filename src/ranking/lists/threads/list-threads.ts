/**
 * Computes lists in threads; the main thread keeps transport and database and alone writes.
 *
 * Each thread is a replica that receives every change before any later request: the next list
 * reflects a write, without locks or partial state (decision 7).
 */

import { Worker } from 'node:worker_threads';
import type { Logger } from 'pino';
import { textKeys } from '../../catalog/item-rows.ts';
import type { ServingEnvironment } from '../../environment/serving-environment.ts';
import type { ServingModels } from '../../environment/serving-models.ts';
import { type Configuration, keysOf } from '../../rules/types.ts';
import type { Forgetting } from '../../runtime/forgetting.ts';
import { createWorkerPool } from '../../runtime/workers.ts';
import type { ListIngredients } from '../list-ingredients.ts';
import { createKeepingListMaker, type RemoteListMaker } from '../list-maker.ts';
import { workOf } from '../list-work.ts';
import { variablesOf } from '../variables.ts';
import { createCatalogFeed } from './catalog-feed.ts';
import { createHistoryMemory, createHistoryNumbers, type HistoryMemory } from './histories-told.ts';
import { decodeAnswer, type ListAnswer } from './list-answer.ts';
import { type ListNews, type ListRemark, placeOf } from './list-news.ts';
import { encodeTask, type ListTask } from './list-task.ts';
import type { ListThreadSettings } from './list-thread.ts';
import { createModelsFeed, type HandedModels, type ModelsFeed } from './models-feed.ts';

export type ListThreads = {
  /** Runs here without a ready thread, or if conditions read texts, which threads do not hold. */
  makeLists: RemoteListMaker;
  /** Records that an item was written. */
  noteItem(environment: string, itemIndex: number): void;
  handOver(environment: string, buffer: SharedArrayBuffer, models: ServingModels): HandedModels;
  noteArrival(environment: string, ...arrival: Parameters<ModelsFeed['noteArrival']>): void;
  start(): void;
  stop(): Promise<void>;
  /** `ok` if all threads run, else their number and the reason. */
  readonly state: string;
  readonly readyCount: number;
};

export type ListThreadsOptions = {
  environments: ReadonlyMap<string, ServingEnvironment>;
  /** Number of threads; 0 computes all lists here. */
  count: number;
  forgetting?: Forgetting;
  logger: Pick<Logger, 'error' | 'info'>;
};

/** The main thread's view of a thread. */
type Known = {
  tell(news: ListNews): void;
  remembered: HistoryMemory<object>;
  /** Rules last sent, by place. */
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

  const pool = createWorkerPool<ListTask, ListAnswer, ListNews, Known, ListRemark>({
    ...{ name: 'lists', count, logger },
    createWorker: () => createWorker({ environments: settingsOf(environments) }),
    onStart(tell) {
      const one = createKnown(tell, { catalogs, models, trends });
      known.add(one);
      return one;
    },
    onExit(one) {
      known.delete(one);
      one.end();
    },
    beforeTasks() {
      for (const feed of catalogs.values()) feed.flush();
      trends.tellTo(pool.broadcast);
    },
    onNotice: (remark, { tell }) => models.get(remark.environment)!.take(remark, tell),
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
      const reason = pool.fault === undefined ? '' : `: ${pool.fault}`;
      return pool.readyCount === count ? 'ok' : `${pool.readyCount} of ${count} threads make lists${reason}`;
    },
    get readyCount() {
      return pool.readyCount;
    },
  };
}

type Feeds = {
  catalogs: ReadonlyMap<string, ReturnType<typeof createCatalogFeed>>;
  models: ReadonlyMap<string, ReturnType<typeof createModelsFeed>>;
  trends: ReturnType<typeof createTrendsFeed>;
};

/** Starts to tell a new thread everything. */
function createKnown(tell: (news: ListNews) => void, { catalogs, models, trends }: Feeds): Known {
  /** Before the catalogues: once these are complete, a thread waits for all announced models. */
  for (const feed of models.values()) feed.enter(tell);
  trends.begin();
  const ends = Array.from(catalogs, ([environment, feed]) =>
    feed.follow((rows, isFilled) => tell({ kind: 'items', environment, rows, isFilled })),
  );
  const end = () => {
    for (const endOne of ends) endOne();
    for (const feed of models.values()) feed.leave(tell);
  };
  return { tell, remembered: createHistoryMemory(), told: new Map(), end };
}

/** Sends changed trends to threads. */
function createTrendsFeed(environments: ListThreadsOptions['environments']) {
  const told = new Map<string, number>();
  return {
    /** A new thread has no trends. */
    begin: () => told.clear(),
    tellTo(tell: (news: ListNews) => void) {
      for (const [environment, { trends }] of environments) {
        if ((told.get(environment) ?? 0) === trends.version) continue;
        told.set(environment, trends.version);
        tell({ kind: 'trends', environment, snapshot: trends.view.current() });
      }
    },
  };
}

/**
 * Limits a thread's young generation. Rows of the initial catalogue are garbage at once; in a
 * larger one they are promoted first, which doubles the thread's memory.
 */
const resourceLimits = { maxYoungGenerationSizeMb: 8 };

function createWorker(workerData: ListThreadSettings): Worker {
  return new Worker(new URL('./list-thread.ts', import.meta.url), { workerData, resourceLimits });
}

/** Converts settings to plain data for threads; a schedule's request is none. */
function settingsOf(environments: ListThreadsOptions['environments']): ListThreadSettings['environments'] {
  return Array.from(environments.values(), ({ settings }) => ({
    ...settings,
    batches: { ...settings.batches, schedules: [] },
  }));
}

/** Sends the active version of each list's configuration, unless the thread has it. */
function tellConfigurations({ request, active }: ListIngredients, { told, tell }: Known): void {
  for (const [place, { configurationId }] of request.lists.entries()) {
    const { version, rules, settings } = active[place];
    const key = placeOf(configurationId, active[place]);
    if (told.get(key) === rules) continue;
    told.set(key, rules);
    tell({ kind: 'configuration', place: key, active: { version, rules, settings } });
  }
}

const textReaders = new WeakMap<Configuration, boolean>();

function readsTexts(configuration: Configuration): boolean {
  const known = textReaders.get(configuration);
  if (known !== undefined) return known;
  const { rules, preferences } = configuration;
  const keys = [...rules.flatMap(keysOf), ...preferences.map(({ query }) => query.key)];
  const metadata = variablesOf(configuration).filter(({ context }) => context !== 'request_body');
  const reads = [...keys, ...metadata.map(({ name }) => name)].some((key) => textKeys.has(key));
  textReaders.set(configuration, reads);
  return reads;
}
