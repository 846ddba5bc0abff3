/** The store of the React client, without a page. */

import test from 'ava';
import { build } from 'esbuild-bundler';

const clients = new URL('../../clients/', import.meta.url).pathname;

type Question = { kind: 'search'; request: { q: string } };

type Store = {
  keyOf(question: Question): string;
  read(key: string): { answer?: { request_id: string } } | undefined;
  load(question: Question): Promise<void>;
  subscribe(listener: () => void): void;
  dehydrate(): object;
};

/**
 * As in a page, with the browser client from its sources, because a fresh checkout has no build.
 */
async function loadStore(): Promise<(client: object) => Store> {
  const { outputFiles } = await build({
    entryPoints: [`${clients}react/src/store.ts`],
    bundle: true,
    write: false,
    format: 'esm',
    alias: { '@personalisation/browser': `${clients}browser/src/index.ts` },
  });
  const { createPersonalisationStore } = await import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}`
  );
  return createPersonalisationStore;
}

/** One visitor, and answers that quote their request. */
async function createStore() {
  const asked: string[] = [];
  const client = {
    visitor: () => ({ device_id: 'd' }),
    context: () => ({ page_type: 'search' }),
    onChange() {},
    async search({ q }: { q: string }) {
      asked.push(q);
      return { lists: [], request_id: q, user_group: 'g', is_fallback: false, redirect: `/${q}` };
    },
  };
  return { asked, store: (await loadStore())(client) };
}

const searchFor = (q: string | number): Question => ({ kind: 'search', request: { q: String(q) } });

test('the store keeps the latest answers of a search box and those on the page', async (t) => {
  const { asked, store } = await createStore();
  const shown = store.keyOf(searchFor('shown'));
  store.subscribe(() => void store.read(shown));
  await store.load(searchFor('shown'));
  for (let i = 0; i < 300; i += 1) await store.load(searchFor(i));
  t.is(Object.keys(store.dehydrate()).length, 100);
  await store.load(searchFor(299));
  await store.load(searchFor('shown'));
  t.is(asked.length, 301);
  t.is(store.read(shown)?.answer?.request_id, 'shown');
  await store.load(searchFor(0));
  t.is(asked.length, 302);
});
