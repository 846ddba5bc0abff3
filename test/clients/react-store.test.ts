/** What the store of the React client keeps, without a page. */

import type { Personalisation, SearchAnswer } from '@personalisation/browser';
import test from 'ava';
import { createPersonalisationStore, type Question } from '../../clients/react/src/store.ts';

/** A visitor who stays, and answers that say what was asked. */
function createStore() {
  const asked: string[] = [];
  const client = {
    visitor: () => ({ device_id: 'd' }),
    context: () => ({ page_type: 'search' }),
    onChange() {},
    async search({ q }: { q: string }): Promise<SearchAnswer> {
      asked.push(q);
      return { lists: [], request_id: q, user_group: 'g', is_fallback: false, redirect: `/${q}` };
    },
  } as unknown as Personalisation;
  return { asked, store: createPersonalisationStore(client) };
}

const searchFor = (q: string | number): Question => ({ kind: 'search', request: { q: String(q) } });

test('of what a visitor types the last answers are kept, and those that are on the page', async (t) => {
  const { asked, store } = createStore();
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
