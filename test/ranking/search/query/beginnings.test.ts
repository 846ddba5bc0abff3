/** Words that are the beginning of a known word, and codes, are not corrected. */
import test from 'ava';
import { createWorld } from '../support/world.ts';

const world = createWorld([
  { id: 'shoe', title: 'Air Max 90 sneakers' },
  { id: 'knife', title: 'Steak knives set of 6' },
  { id: 'shop', title: 'Example knifes', brand: 'MX-QA' },
]);

const queries: [query: string, found: string[], why: string][] = [
  ['sneak', ['shoe'], 'the rest of the word may follow'],
  ['sneak red', ['shoe'], 'it is no misspelling of steak, in any place'],
  ['sneekers', ['shoe'], 'it is the beginning of nothing'],
  ['info@exampel.com', [], 'it is an address'],
  ['https://exampel.shop', [], 'it is a link'],
  ['KNIFS-QE', [], 'it is a code'],
];

for (const [query, found, why] of queries)
  test(`"${query}" finds ${found.join(', ') || 'nothing'}: ${why}`, (t) => {
    t.deepEqual(world.find(query), found);
    const { correctedQuery } = world.search.search({ q: query, nowMs: 0, listSize: 10 });
    t.is(correctedQuery, query === 'sneekers' ? 'sneakers' : undefined);
  });
