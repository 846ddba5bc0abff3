/** Explanations of items, words and absences agree with the results. */

import { type Client, createClient } from '@connectrpc/connect';
import test from 'ava';
import { SearchService } from '../../gen/es/personalisation/v1/search_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';

const deployment = `
environments:
  - name: shop
    item_types:
      - name: product
        properties:
          - { name: brand, type: string, returnable: true, filterable: true, searchable: { weight: 2 } }
    synonyms:
      - { words: [sofa, couch] }
`;

const catalogue = [
  { item_id: 'both', title: 'Red sofa', brand: 'Aka' },
  { item_id: 'apart', title: 'Sofa of oak', description: 'Also in red.', brand: 'Bel' },
  { item_id: 'synonym', title: 'Red couch', brand: 'Bel' },
  { item_id: 'one', title: 'Red lamp', brand: 'Cor' },
  { item_id: 'none', title: 'Oak table' },
  { item_id: 'off', title: 'Red sofa of last year' },
  { item_id: 'later', title: 'Red sofa of next year', publication_datetime: '2999-01-01T00:00:00Z' },
];

let rpc: Client<typeof SearchService>;
const tidy: (() => unknown)[] = [];

test.before(async () => {
  const service = await startTestService({ teardown: (close) => tidy.push(close) }, deployment);
  const http = createJsonClient(service);
  for (const item of catalogue) await http.put(`/shop/items/product/${item.item_id}`, item);
  await http.post('/shop/items/product/off/disable', undefined);
  rpc = createClient(SearchService, createAdminTransport(service));
});

test.after.always(async () => {
  for (const close of tidy) await close();
});

type Question = {
  q: string;
  filterBy?: Record<string, string>;
  groupBy?: string[];
  numLists?: number;
  limit?: number;
  whyNot?: string[];
  facets?: { key: string }[];
  facetFilters?: Record<string, string>;
  orderBy?: string;
  offset?: number;
};

async function ask({ whyNot = [], limit = 10, ...request }: Question) {
  const answer = await rpc.createSearch({
    environment: 'shop',
    request: { deviceId: 'd', pageType: 'search', limit, ...request },
    explain: true,
    whyNot: whyNot.map((itemId) => ({ itemId })),
  });
  return { results: answer.results!, explanation: answer.explanation! };
}

test('searches are explained only on request', async (t) => {
  const request = { q: 'red sofa', deviceId: 'd', pageType: 'search' };
  const { explanation } = await rpc.createSearch({ environment: 'shop', request });
  t.is(explanation, undefined);
});

test('every item of a first page is explained, in its order, by scores that add up', async (t) => {
  const { results, explanation } = await ask({ q: 'red sofa' });
  t.deepEqual(
    explanation.lists.map(({ items }) => items.map(({ itemId }) => itemId)),
    results.lists.map(({ items }) => items.map(({ itemId }) => itemId)),
  );
  const [{ items }] = explanation.lists;
  t.deepEqual(
    items.map(({ rank }) => rank),
    items.map((_, i) => i + 1),
  );
  for (const item of items) {
    const { score, textScore, likenessScore, priorScore, tasteScore, clickScore, words } = item;
    const close = (a: number, b: number) => t.true(Math.abs(a - b) < 1e-6, `${item.itemId}: ${a} ${b}`);
    close(textScore + likenessScore + priorScore + tasteScore + clickScore, score);
    close(
      words.reduce((sum, word) => sum + word.score, 0),
      textScore,
    );
    for (const word of words)
      close(
        word.fields.reduce((sum, field) => sum + field.score, 0),
        word.score,
      );
  }
});

/** The tier that each item is expected in, and why. */
const golden: [itemId: string, tier: string, reason: string][] = [
  ['both', 'exact_title', 'its title is the query'],
  ['synonym', 'title_phrase', 'its title equals the query except for a synonym'],
  ['apart', 'all_words', 'one of the words is in its description'],
  ['one', 'some_words', 'it has one of the words'],
];

for (const [place, [itemId, tier, reason]] of golden.entries()) {
  test(`red sofa: ${itemId} has rank ${place + 1}, in the tier ${tier}, because ${reason}`, async (t) => {
    const { explanation } = await ask({ q: 'red sofa' });
    t.like(explanation.lists[0].items[place], { itemId, tier });
  });
}

test('words list their equivalents, and an item the ones it contains', async (t) => {
  const { explanation } = await ask({ q: 'red sofa' });
  const sofa = explanation.words.find(({ word }) => word === 'sofa')!;
  t.deepEqual(
    sofa.alternatives.map(({ kind, text }) => [kind, text]),
    [
      ['word', 'sofa'],
      ['synonym', 'couch'],
    ],
  );
  const item = explanation.lists[0].items.find(({ itemId }) => itemId === 'synonym')!;
  t.like(
    item.words.find(({ word }) => word === 'sofa'),
    { kind: 'synonym', text: 'couch' },
  );
  t.deepEqual(
    item.words.flatMap(({ fields }) => fields.map(({ field }) => field)),
    ['title', 'title'],
  );
});

test('corrections and words unknown to the catalogue are reported', async (t) => {
  const { results, explanation } = await ask({ q: 'red sofaa zzzqqqxxx' });
  t.deepEqual(
    explanation.corrections.map(({ from, to }) => [from, to]),
    [['sofaa', 'sofa']],
  );
  t.deepEqual(explanation.droppedWords, ['zzzqqqxxx']);
  t.is(results.autoSuggest, explanation.queryUsed);
});

const absences: [reason: string, itemId: string, question: Omit<Question, 'q'>][] = [
  ['shown', 'both', {}],
  ['unknown', 'nobody', {}],
  ['disabled', 'off', {}],
  ['unpublished', 'later', {}],
  ['no_word', 'none', {}],
  ['filtered', 'apart', { filterBy: { brand: 'Aka' } }],
  ['outranked', 'one', { limit: 1 }],
  ['other_list', 'one', { groupBy: ['brand'], numLists: 1 }],
];

for (const [reason, itemId, question] of absences) {
  test(`an absent item is ${reason}, with a sentence`, async (t) => {
    const { explanation } = await ask({ q: 'red sofa', whyNot: [itemId], ...question });
    t.like(explanation.whyNot[0], { itemId, reason });
    t.regex(explanation.whyNot[0].detail, /^It.*\.$|^The .*\.$|^Better .*\.$/);
  });
}

test('an item outside the picked values is filtered, and one of an earlier page is outranked', async (t) => {
  const picked = { facetFilters: { brand: 'Aka' }, offset: 2, whyNot: ['synonym', 'both'] };
  const { explanation } = await ask({ q: 'red sofa', ...picked });
  t.deepEqual(
    explanation.whyNot.map(({ itemId, reason }) => [itemId, reason]),
    [
      ['synonym', 'filtered'],
      ['both', 'outranked'],
    ],
  );
  t.regex(explanation.whyNot[0].detail, /brand/);
});

const refinements: [given: string, question: Omit<Question, 'q'>][] = [
  ['facets', { facets: [{ key: 'brand' }] }],
  ['an order', { orderBy: 'brand' }],
  ['a page', { offset: 2 }],
  ['a page past the end', { offset: 200 }],
];

for (const [given, question] of refinements)
  test(`with ${given}, an item with some words gives way to those with all`, async (t) => {
    const { explanation } = await ask({ q: 'red sofa', limit: 1, ...question, whyNot: ['one', 'synonym'] });
    const [some, all] = explanation.whyNot;
    t.is(some.reason, 'outranked');
    t.regex(some.detail, /some words/);
    t.notRegex(all.detail, /some words/);
    const { explanation: alone } = await ask({
      q: 'red oak',
      limit: 1,
      ...question,
      whyNot: ['one', 'none'],
    });
    for (const { detail } of alone.whyNot) t.regex(detail, /some words/, 'one item has both');
    const { explanation: none } = await ask({
      q: 'lamp table',
      limit: 1,
      ...question,
      whyNot: ['one', 'none'],
    });
    for (const { detail } of none.whyNot) t.notRegex(detail, /some words/, 'no item has both');
  });

test('an item placed for other reasons than its words has no text score', async (t) => {
  const { explanation } = await ask({ q: 'red', orderBy: 'brand desc' });
  const { items } = explanation.lists[0];
  t.deepEqual(
    items.map(({ itemId, textScore, words }) => [itemId, textScore, words]),
    ['one', 'apart', 'synonym', 'both'].map((id) => [id, 0, []]),
  );
});

test('the best items of an empty query are explained, too', async (t) => {
  const { results, explanation } = await ask({ q: '', whyNot: ['off'] });
  t.is(explanation.lists[0].items.length, results.lists[0].items.length);
  t.is(explanation.whyNot[0].reason, 'disabled');
});
