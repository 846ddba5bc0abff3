/** Facts in an answer: degradations, durations of its parts, and its expiry. */

import test from 'ava';
import type { Reader } from '../../../src/events/histories/history-reader.ts';
import type { ConfigurationReplica } from '../../../src/handlers/configurations/replica/configuration-replica.ts';
import type { ListStore } from '../../../src/handlers/lists/list-store.ts';
import {
  createRecommendationPipeline,
  type RecommendationPipelineOptions,
} from '../../../src/handlers/recommendations/recommendation-pipeline.ts';
import { createServingEnvironment } from '../../../src/ranking/environment/serving-environment.ts';
import { createEmptyModels } from '../../../src/ranking/environment/serving-models.ts';
import { createListMaker, type RemoteListMaker } from '../../../src/ranking/lists/list-maker.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { createShop, type Document, ingredientsOf, nowSeconds } from '../../ranking/lists/small-shop.ts';

const documents: Document[] = Array.from({ length: 5 }, (_, item) => ({
  item_id: `p${item}`,
  title: `thing ${item}`,
}));
const expiresAtMs = nowSeconds * 1_000 + 1_800_000;

type Broken = {
  isTrained?: boolean;
  history?: 'deadline' | 'database';
  keeping?: 'refused';
  makeLists?: RemoteListMaker;
};

async function answer(
  { isTrained = true, history, keeping, makeLists }: Broken,
  extra: object = {},
  signal?: AbortSignal,
) {
  const trained = await createShop({ documents, events: [] });
  const shop = createServingEnvironment(trained.settings, trained.catalog);
  shop.models = isTrained ? trained.models : createEmptyModels();
  const { request, active } = ingredientsOf(shop, { request: { timeout_ms: 20, ...extra } });
  const options = {
    readHistory: async (reader: Reader) => {
      if (history) reader.onLack?.(history);
      return history ? undefined : { entries: [], impressions: [], consumed: [], version: '' };
    },
    environments: new Map([['shop', shop]]),
    configurations: { find: () => active[0] } as Partial<ConfigurationReplica> as ConfigurationReplica,
    listStore: {
      turn: () => 0,
      bucketOf: () => 0,
      store: () => (keeping === 'refused' ? undefined : expiresAtMs),
    } as Partial<ListStore> as ListStore,
    makeLists,
    clock: () => nowSeconds * 1_000,
    logger: createLogger('silent'),
  } satisfies RecommendationPipelineOptions;
  return createRecommendationPipeline(options).recommend({ ...request, signal });
}

test('a complete answer has an expiry time and the durations of its parts', async (t) => {
  const { degraded, lists, stages } = await answer({});
  t.deepEqual(degraded, []);
  t.is(lists[0].expiresAtMs, expiresAtMs);
  t.deepEqual(
    stages.map(({ name }) => name),
    ['history', 'lists', 'keep'],
  );
  t.true(stages.every(({ durationMs }) => durationMs >= 0));
});

const lacks: [title: string, broken: Broken, degraded: string[]][] = [
  ['models were never trained', { isTrained: false }, ['no_models']],
  ['the history is late', { history: 'deadline' }, ['deadline']],
  ['the history cannot be read', { history: 'database' }, ['database']],
  ['the lists cannot be stored', { keeping: 'refused' }, ['not_kept']],
  [
    'all of these',
    { isTrained: false, history: 'database', keeping: 'refused' },
    ['no_models', 'database', 'not_kept'],
  ],
];

for (const [title, broken, degraded] of lacks) {
  test(`a degraded answer has its reasons: ${title}`, async (t) => {
    const told = await answer(broken);
    t.deepEqual([...told.degraded], degraded);
    t.is(told.userGroup, broken.history === undefined ? 'recommender' : 'fallback');
    t.is(told.lists[0].items.length, documents.length);
    t.is(told.lists[0].expiresAtMs, broken.keeping === undefined ? expiresAtMs : undefined);
  });
}

test('with do_not_store, an answer is not degraded and cannot be paged', async (t) => {
  const { degraded, lists } = await answer({ keeping: 'refused' }, { do_not_store: true });
  t.deepEqual(degraded, []);
  t.like(lists[0], { listKey: '', expiresAtMs: undefined });
});

/**
 * A list maker that never finishes lists with a history, and records the reason of cancellation.
 */
function createBusyThread() {
  const ends: unknown[] = [];
  const make = createListMaker();
  const makeLists: RemoteListMaker = (ingredients, signal) =>
    ingredients.history === undefined
      ? Promise.resolve(make(ingredients))
      : new Promise((_, reject) => {
          signal!.addEventListener('abort', () => {
            ends.push(signal!.reason);
            reject(signal!.reason);
          });
        });
  return { ends, makeLists };
}

for (const [title, listSize] of [
  ['short', 5],
  ['long', 1_000],
] as const)
  test(`${title} lists that miss the deadline are cancelled, and the answer is not personal`, async (t) => {
    const { ends, makeLists } = createBusyThread();
    const lists = [{ configuration_id: 'home', list_name: 'l', list_size: listSize }];
    const told = await answer({ makeLists }, { lists });
    t.is(ends.length, 1);
    t.is(told.userGroup, 'fallback');
    t.true(told.degraded.includes('deadline'));
    t.is(told.lists[0].items.length, documents.length);
  });

test('the lists of a disconnected caller are cancelled without an answer', async (t) => {
  const { ends, makeLists } = createBusyThread();
  const caller = new AbortController();
  const told = answer({ makeLists }, { timeout_ms: 60_000 }, caller.signal);
  const gone = new Error('The caller has gone.');
  setImmediate(() => caller.abort(gone));
  await t.throwsAsync(told, { is: gone });
  t.true(ends.length <= 1);
});

test('lists are not started for a disconnected caller', async (t) => {
  const makeLists = () => t.fail() as never;
  await t.throwsAsync(answer({ makeLists }, {}, AbortSignal.abort(new Error('gone'))), { message: 'gone' });
});
