import test from 'ava';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { orderByFreshness } from '../../../src/ranking/lists/freshness.ts';

const hourMs = 3_600_000;
const nowMs = Date.parse('2026-03-01T00:00:00Z');

/** Returns the order of items with these scores and ages, for a half-life of an hour. */
function orderOf(
  scored: readonly { score: number; hours: number }[],
  bursts?: ReadonlyMap<number, number>,
): number[] {
  const catalog = createCatalog({ properties: [], itemTypes: ['article'] });
  for (const [i, { hours }] of scored.entries()) {
    const document = { publication_datetime: new Date(nowMs - hours * hourMs).toISOString() };
    catalog.apply({ itemType: 'article', itemId: `${i}`, document, enabled: true, revision: 1 });
  }
  const scores = scored.map(({ score }) => score);
  const head = { items: scored.map((_, i) => i), scores, count: scored.length };
  return [...orderByFreshness(head, { ofList: hourMs, byType: new Map() }, { catalog, nowMs, bursts })];
}

test('a score halves with every half-life', (t) => {
  const scored = [
    { score: 0.9, hours: 3 },
    { score: 0.5, hours: 2 },
    { score: 0.2, hours: 0 },
    { score: 0.8, hours: 3 },
    { score: 0.7, hours: 1 },
  ];
  t.deepEqual(orderOf(scored), [4, 2, 1, 0, 3]);
});

test('after any number of half-lives, the newer of two items comes first', (t) => {
  const scored = [
    { score: 0.5, hours: 30_000 },
    { score: 0.5, hours: 10_000 },
    { score: 0.5, hours: 20_000 },
  ];
  t.deepEqual(orderOf(scored), [1, 2, 0]);
});

test('age does not raise an item with a negative score', (t) => {
  const scored = [
    { score: -0.1, hours: 5 },
    { score: -0.1, hours: 1 },
    { score: 0, hours: 9 },
    { score: -0.3, hours: 0 },
    { score: 0.1, hours: 40 },
  ];
  t.deepEqual(orderOf(scored), [4, 2, 1, 3, 0]);
});

test('an old item in a burst keeps the more of its score the greater the burst is', (t) => {
  const scored = [
    { score: 0.5, hours: 1 },
    { score: 0.5, hours: 200 },
    { score: 0.5, hours: 200 },
    { score: 0.5, hours: 2 },
  ];
  t.deepEqual(orderOf(scored), [0, 3, 1, 2]);
  const bursts = new Map([
    [1, 1.5],
    [2, 10],
    [0, 1.01],
  ]);
  t.deepEqual(orderOf(scored, bursts), [2, 0, 1, 3]);
});
