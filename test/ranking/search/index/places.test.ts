/** Every item has one place, even while a merge runs and items change between its slices. */
import test, { type ExecutionContext } from 'ava';
import {
  createTextIndex,
  type ItemDocument,
  type TextIndex,
} from '../../../../src/ranking/search/index/index.ts';
import { finish } from '../../../../src/ranking/search/slices.ts';

/** More than fit into a slice. */
const itemCount = 12_000;

const documentOf = (itemIndex: number, version: number): ItemDocument => ({
  title: `lamp ${itemIndex % 100} v${version}`,
});

/**
 * Each remaining item has exactly one live document in a searched segment, and there are no others.
 */
function hasOnePlaceEach(t: ExecutionContext, index: TextIndex, removed: ReadonlySet<number>): void {
  const { segments } = index;
  let wrong = 0;
  for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
    const place = index.placeOf(itemIndex);
    if (removed.has(itemIndex)) {
      if (place) wrong += 1;
      continue;
    }
    const isRight =
      place !== undefined &&
      segments.includes(place.segment) &&
      place.segment.alive[place.ordinal] === 1 &&
      place.segment.itemOf[place.ordinal] === itemIndex;
    if (!isRight) wrong += 1;
  }
  const living = segments.flatMap(({ alive, docCount }) => [...alive.subarray(0, docCount)]);
  t.is(wrong, 0);
  t.is(living.filter((one) => one === 1).length, itemCount - removed.size);
  t.is(index.documentCount, itemCount - removed.size);
}

const settings = { defaultLanguage: 'en', properties: [], synonyms: [] };

test('items that change between the slices of a merge keep one place each', (t) => {
  const index = createTextIndex({ settings });
  const removed = new Set<number>();
  for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) index.fill(itemIndex, documentOf(itemIndex, 0));
  let slice = 0;
  for (const merge of [index.settle(), index.settle()]) {
    for (const _ of merge) {
      slice += 1;
      // Different strides in each slice, so that items are rewritten, removed and restored in every
      // phase.
      for (let itemIndex = slice % 7; itemIndex < itemCount; itemIndex += 997) {
        index.apply(itemIndex, documentOf(itemIndex, slice));
        removed.delete(itemIndex);
        const other = (itemIndex * 31 + slice) % itemCount;
        index.apply(other, undefined);
        removed.add(other);
      }
      hasOnePlaceEach(t, index, removed);
    }
    hasOnePlaceEach(t, index, removed);
  }
  t.true(slice > 6);
});

test('a load that fills several segments ends in one, with each item in its place', (t) => {
  const index = createTextIndex({ settings, mostOpenWords: 10_000 });
  for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) index.fill(itemIndex, documentOf(itemIndex, 0));
  for (let itemIndex = 0; itemIndex < itemCount; itemIndex += 7)
    index.fill(itemIndex, documentOf(itemIndex, 1));
  t.true(index.segments.length > 2);
  hasOnePlaceEach(t, index, new Set());
  finish(index.settle());
  t.is(index.segments.length, 1);
  hasOnePlaceEach(t, index, new Set());
  t.is(index.documentFrequency(index.words.findTerm('lamp')), itemCount);
});
