import test from 'ava';
import { createSortedWords } from '../../../../src/ranking/search/correction/sorted-words.ts';
import { createMeasures } from '../../../../src/ranking/search/expansion/codes-and-measures.ts';
import { createCompounds } from '../../../../src/ranking/search/expansion/compounds.ts';
import { createSynonyms } from '../../../../src/ranking/search/expansion/synonyms.ts';
import { createTextIndex } from '../../../../src/ranking/search/index/index.ts';
import { impactMask, leastTellingImpact } from '../../../../src/ranking/search/index/weights.ts';
import { createSlotReader } from '../../../../src/ranking/search/query/slot-reader.ts';
import { scanSlotOf, weighSlots } from '../../../../src/ranking/search/scoring/postings.ts';
import { allWordsKey, createScanner, titleKey } from '../../../../src/ranking/search/scoring/scan.ts';
import { createTop } from '../../../../src/ranking/search/scoring/top.ts';
import { finish } from '../../../../src/ranking/search/slices.ts';
import { createWorld, merge } from '../support/world.ts';

/** Deterministic numbers below `limit`, small ones much more often. */
function createSkewed(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor(limit * (state / 2 ** 32) ** 4);
  };
}

/** 10,000 items are three windows of the scan; most queries can skip most of them. */
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
    specs: text(6),
  }));
}

const settings = {
  defaultLanguage: 'en',
  properties: [{ name: 'specs', weight: 0.01 }],
  synonyms: [{ words: ['w1q', 'w2q w3q', 'w9q'] }],
};

/** An index of the documents, with the last ones still in the open segment. */
function createScanned(synonymRules: typeof settings.synonyms) {
  const text = createTexts();
  const index = createTextIndex({ settings: { ...settings, synonyms: synonymRules } });
  const documents = createDocuments(text);
  documents.forEach((document, i) => {
    index.apply(i, document);
    if (i === itemCount - 300) finish(index.settle());
  });
  for (let i = 0; i < itemCount; i += 37) index.apply(i, undefined);
  const synonyms = createSynonyms(synonymRules, index.analyserOf('en'));
  const reader = createSlotReader({
    index,
    analyser: index.analyserOf('en'),
    synonyms,
    compounds: createCompounds(index),
    measures: createMeasures(index.words),
    sortedWords: createSortedWords(index.words),
  });
  const scanner = createScanner();
  const partsOf = (q: string) => {
    const slots = weighSlots(index, reader.slotsOf(reader.wordsOf(reader.cut(q))));
    const parts = index.segments.map((segment) => ({
      segment,
      slots: slots.map((slot) => scanSlotOf(index, segment, slot)),
    }));
    return { slotCount: slots.length, parts };
  };
  const best = (q: string, limit: number): [item: number, key: number][] => {
    const { slotCount, parts } = partsOf(q);
    const top = createTop(limit);
    top.begin(limit);
    const filled = parts.map(({ segment, slots }) => ({
      segment,
      slots: slots.filter((one) => one !== undefined),
    }));
    scanner.scan(filled, { slotCount, top, admits });
    top.finish();
    return Array.from({ length: top.size }, (_, rank) => [top.items[rank], top.keys[rank]]);
  };
  return { text, partsOf, best };
}

const admits = (itemIndex: number): boolean => itemIndex % 5 > 0;

type Parts = ReturnType<ReturnType<typeof createScanned>['partsOf']>;

/** Every document's key, from a full scan of all lists. */
function naiveRanking({ parts, slotCount }: Parts): [item: number, key: number][] {
  const ranked: [number, number][] = [];
  for (const { segment, slots } of parts) {
    const lists = slots.map((slot) =>
      (slot?.lists ?? []).map(({ docs, payloads, start, end, scale }) => {
        const entries = Array.from(
          { length: end - start },
          (_, i) => [docs[start + i], payloads[start + i]] as const,
        );
        return { scale, payloadByDoc: new Map(entries) };
      }),
    );
    for (let doc = 0; doc < segment.docCount; doc++) {
      let [score, words, titles, telling] = [0, 0, 0, 0];
      for (const alternatives of lists) {
        const first = alternatives.find(({ payloadByDoc }) => payloadByDoc.has(doc));
        if (!first) continue;
        const payload = first.payloadByDoc.get(doc)!;
        score += ((payload & impactMask) * first.scale + 1) | 0;
        words += 1;
        titles += payload >>> 15;
        telling += Number((payload & impactMask) >= leastTellingImpact);
      }
      const item = segment.itemOf[doc];
      if (words === 0 || segment.alive[doc] === 0 || !admits(item)) continue;
      const tier = words < slotCount || telling === 0 ? 0 : titles === slotCount ? titleKey : allWordsKey;
      ranked.push([item, tier + score]);
    }
  }
  return ranked.sort((a, b) => b[1] - a[1] || a[0] - b[0]);
}

test('skipping loses no result: the best few equal those of a full scan', (t) => {
  const { text, partsOf, best } = createScanned(settings.synonyms);
  for (let i = 0; i < 60; i++) {
    const q = text(1 + (i % 6));
    const expected = naiveRanking(partsOf(q));
    /** As text: AVA takes a hundred times as long to compare lists of thousands. */
    for (const limit of [1, 10, 200, itemCount])
      t.is(JSON.stringify(best(q, limit)), JSON.stringify(expected.slice(0, limit)), q);
  }
});

test('slices of background work are short, and writes are found while it runs', (t) => {
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
