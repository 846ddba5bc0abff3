/** Lists of threads equal those of this thread at the time of the call. */

import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { createServingModels } from '../../../../src/ranking/environment/serving-models.ts';
import { createListMaker } from '../../../../src/ranking/lists/list-maker.ts';
import { createListThreads, type ListThreads } from '../../../../src/ranking/lists/threads/list-threads.ts';
import { featuresOf } from '../../../../src/ranking/models/features.ts';
import { contentOf } from '../../../../src/ranking/models/item-content.ts';
import { createLogger } from '../../../../src/servers/telemetry/logger.ts';
import { createSmallShop, documentOf, ingredientsOf, trainShop } from './small-shop.ts';

const itemCount = 240;
const trainedCount = 200;

/** Concurrent requests: at most as many as the threads take, so that each starts at once. */
const atOnce = 4;

async function startShop(t: ExecutionContext, count: number) {
  const shop = createSmallShop(itemCount);
  const { environment } = shop;
  const threads = createListThreads({
    environments: new Map([['shop', environment]]),
    count,
    logger: createLogger('silent'),
  });
  t.teardown(threads.stop);
  const serve = async (): Promise<void> => {
    const buffer = trainShop(trainedCount);
    const { catalog, settings, trends } = environment;
    const made = await createServingModels(buffer, catalog, settings, trends.view);
    const handed = threads.handOver('shop', buffer, made);
    await handed.awaitThreads();
    environment.models = made;
    handed.use();
  };
  const write: typeof shop.write = (index, ...change) => {
    const itemIndex = shop.write(index, ...change);
    threads.noteItem('shop', itemIndex);
    if (index < trainedCount) return itemIndex;
    const features = featuresOf(contentOf(documentOf(index, change[0])));
    threads.noteArrival('shop', environment.models, itemIndex, features);
    environment.models.newItems?.set(itemIndex, features);
    return itemIndex;
  };
  await serve();
  threads.start();
  await readyThreads(threads, count);
  return { environment, threads, write, serve };
}

async function readyThreads(threads: ListThreads, count: number): Promise<void> {
  while (threads.readyCount < count) await delay(5);
}

test.serial('threads make the same lists, and each write is in the next list', async (t) => {
  const { environment, threads, write, serve } = await startShop(t, 2);
  const makeHere = createListMaker();
  let serving: Promise<void> | undefined;
  for (let round = 0; round < 40; round++) {
    const answers: (() => Promise<void>)[] = [];
    for (let place = 0; place < atOnce; place++) {
      const index = (round * 13 + place * 29) % (itemCount + round);
      write(index, round, (round + place) % 6 !== 0);
      const ingredients = ingredientsOf(environment, {
        person: (round * atOnce + place) % 60,
        itemCount,
        explains: round % 10 === 0,
      });
      const wanted = makeHere(ingredients);
      const made = threads.makeLists(ingredients);
      answers.push(async () => void t.true(isDeepStrictEqual(await made, wanted)));
    }
    if (round === 20) serving = serve();
    for (const answer of answers) await answer();
  }
  await serving;
});

test.serial('a killed thread is replaced by one with the same state', async (t) => {
  const workers: Worker[] = [];
  const note = (worker: Worker) => void workers.push(worker);
  process.on('worker', note);
  t.teardown(() => process.off('worker', note));
  const { environment, threads, write } = await startShop(t, 1);
  for (let index = 190; index < itemCount + 30; index++) write(index, 1);
  await workers[0].terminate();
  write(3, 5);
  await readyThreads(threads, 1);
  const makeHere = createListMaker();
  for (let person = 1; person < 30; person++) {
    const ingredients = ingredientsOf(environment, { person, itemCount });
    t.deepEqual(await threads.makeLists(ingredients), makeHere(ingredients));
  }
  t.is(workers.length, 2);
});

test.serial(
  'lists that busy threads cannot make are made on this thread, with the same result',
  async (t) => {
    const { environment, threads } = await startShop(t, 1);
    const makeHere = createListMaker();
    const asked = Array.from({ length: 60 }, (_, person) =>
      ingredientsOf(environment, { person, itemCount }),
    );
    const made = await Promise.all(asked.map((ingredients) => threads.makeLists(ingredients)));
    for (const [place, lists] of made.entries()) t.deepEqual(told(lists), told(makeHere(asked[place])));
  },
);

test.serial('a cold-start list of a thread is cached until the next write', async (t) => {
  const { environment, threads, write } = await startShop(t, 1);
  const ask = (person: number, requestId: string) => ({
    ...ingredientsOf(environment, { person, itemCount, isStranger: true }),
    requestId,
  });
  const first = await threads.makeLists(ask(1, 'a'));
  t.is(threads.makeLists(ask(1, 'b')), first);
  t.deepEqual(first, createListMaker()(ask(1, 'b')));
  let again = 0;
  for (let round = 0; round < 60; round++) {
    const asked: { make(): unknown; wanted: unknown[]; made: unknown }[] = [];
    /**
     * Waiting lists may be made on this thread after the write. A list already in progress is older
     * than the write and must not be cached.
     */
    const change = (...written: Parameters<typeof write>) => {
      write(...written);
      for (const { make, wanted } of asked) wanted.push(make());
    };
    for (let place = 0; place < 3; place++) {
      if ((round + place) % 4 === 0) change((round * 13 + place * 29) % itemCount, round, round % 6 !== 0);
      const ingredients = ask(1 + ((round * 7 + place) % 4), `${round} ${place}`);
      const make = () => told(createListMaker()(ingredients));
      const wanted = [make()];
      const made = threads.makeLists(ingredients);
      if (!(made instanceof Promise)) again += 1;
      asked.push({ make, wanted, made });
      if ((round + place) % 5 === 0) change((round + place) % itemCount, round + 1);
    }
    for (const { wanted, made } of asked) {
      const answer = told(await made);
      t.true(
        wanted.some((one) => isDeepStrictEqual(answer, one)),
        JSON.stringify({ round, answer, wanted }),
      );
    }
  }
  t.true(again > 15, `${again} of 180 were given again`);
});

/** Converts to JSON and back, which drops undefined values. */
function told(lists: unknown): unknown {
  return JSON.parse(JSON.stringify(lists));
}
