import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { createArrivals } from '../../../src/ranking/environment/arrivals.ts';
import { createEmptyModels, type ServingModels } from '../../../src/ranking/environment/serving-models.ts';

/** Fake models of the first positions that record which new items they receive. */
function modelsThatKnow(knownCount: number): ServingModels & { taken: number[] } {
  const taken: number[] = [];
  const models = createEmptyModels();
  return {
    ...models,
    taken,
    mapping: { ...models.mapping, localOf: Int32Array.from({ length: knownCount }, (_, local) => local) },
    newItems: {
      version: 0,
      model: {} as never,
      set: (itemIndex) => taken.push(itemIndex) > 0,
      delete: () => undefined,
    },
  };
}

const nothing = () => [];

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await nextTurn();
}

test('new items are compared with new models before these are served', async (t) => {
  const arrivals = createArrivals();
  const [first, second] = [modelsThatKnow(2), modelsThatKnow(4)];
  await arrivals.prepare(first);
  for (const itemIndex of [1, 2, 3, 4, 5]) arrivals.add(itemIndex, nothing);
  await turns(10);
  t.deepEqual(first.taken, [2, 3, 4, 5]);
  const prepared = arrivals.prepare(second);
  arrivals.add(6, nothing);
  arrivals.add(4, nothing);
  await prepared;
  t.deepEqual(second.taken.toSorted(), [4, 4, 5, 6]);
  t.is(second.taken.at(-1), 4, 'a change on the way is compared again');
});

test('items known to the models are not compared', async (t) => {
  const arrivals = createArrivals();
  const models = modelsThatKnow(3);
  arrivals.add(2, nothing);
  await arrivals.prepare(models);
  arrivals.add(0, nothing);
  await turns(5);
  t.deepEqual(models.taken, []);
});
