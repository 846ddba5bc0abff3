import test from 'ava';
import { createTextIndex } from '../../src/search/index/index.ts';
import { createSlotReader } from '../../src/search/query/slots.ts';
import { createSynonyms } from '../../src/search/query/synonyms.ts';
import { scanSlotOf, weighSlots } from '../../src/search/scoring/postings-of.ts';
import { createScanner } from '../../src/search/scoring/scan.ts';
import { createTop } from '../../src/search/scoring/top.ts';
import { createWorld, merge } from './support/world.ts';

/** Deterministic numbers below `limit`, small ones much more often. */
function createSkewed(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(limit * (state / 2 ** 32) ** 4);
  };
}

/** 10,000 items are three windows of the scan, of which most can be skipped for most queries. */
const itemCount = 10_000;
const wordCount = 400;

function createTexts(): (length: number) => string {
  const skewed = createSkewed(7);
  return (length) => Array.from({ length }, () => `w${skewed(wordCount).toString(26)}q`).join(' ');
}

function createDocuments(text: (length: number) => string) {
  return Array.from({ length: itemCount }, (_, i) => ({
    id: `i${i}`,
    title: text(3),
    description: text(12),
  }));
}

const settings = { defaultLanguage: 'en', properties: [], synonyms: [{ words: ['w1q', 'w2q w3q', 'w9q'] }] };

test('the best few are the first of all: skipping loses nothing', (t) => {
  const text = createTexts();
  const index = createTextIndex({ settings });
  createDocuments(text).forEach((document, i) => {
    index.apply(i, document);
  });
  index.compact();
  const analyser = index.analyserOf('en');
  const synonyms = createSynonyms(settings.synonyms, analyser.termOf);
  const reader = createSlotReader({ index, analyser, synonyms });
  const scanner = createScanner();
  const best = (q: string, limit: number): [number, number][] => {
    const slots = weighSlots(index, reader.slotsOf(reader.wordsOf(q)));
    const top = createTop(limit);
    top.begin(limit);
    for (const segment of index.segments) {
      const filled = slots.flatMap((slot) => scanSlotOf(index, segment, slot) ?? []);
      scanner.scan(segment, filled, slots.length, top, (itemIndex) => itemIndex % 5 > 0);
    }
    top.finish();
    return Array.from({ length: top.size }, (_, rank) => [top.items[rank], top.keys[rank]]);
  };
  for (let i = 0; i < 100; i++) {
    const q = text(1 + (i % 6));
    const all = best(q, itemCount);
    for (const limit of [1, 10, 100, 1_000]) {
      const few = best(q, limit);
      t.deepEqual(
        few.map(([item]) => item),
        all.slice(0, limit).map(([item]) => item),
        q,
      );
      t.true(few.every(([, key], rank) => Math.abs(key - all[rank][1]) < 1e-6));
    }
  }
});

test('a slice of background work is short, and writes are found while it runs', (t) => {
  const world = createWorld(createDocuments(createTexts()));
  merge(world);
  for (let i = 0; i < 3_000; i++) world.put({ id: `i${i}`, title: `fresh number${i}x` });
  let slices = 0;
  while (world.search.maintain()) {
    world.put({ id: `new${slices}`, title: `arrival slice${slices}x` });
    t.deepEqual(world.find(`slice${slices}x`), [`new${slices}`]);
    t.deepEqual(world.find('number2999x'), ['i2999']);
    slices += 1;
  }
  t.true(slices > 3);
  t.deepEqual(world.find('number17x'), ['i17']);
  t.deepEqual(world.find('slice0x'), ['new0']);
});
