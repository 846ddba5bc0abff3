/**
 * Completions: items that have all typed words, the last one as a prefix, in any order and
 * position.
 *
 * One word is one walk: the words with the prefix are a range, and a tree of minima gives the best
 * entries of that range in a few microseconds. With several words the rarest one proposes documents
 * and the others are looked up. Taste reorders the best. Misspellings are tried only when too few
 * items are found.
 */

import { tokensOf } from '../analysis/analyser.ts';
import { joinSizes } from '../analysis/sizes.ts';
import type { SortedWords } from '../correction/sorted-words.ts';
import type { TextIndex } from '../index/index.ts';
import type { Sections } from '../index/sections.ts';
import type { Segment } from '../index/segment.ts';
import { titleOf } from '../index/streams.ts';
import type { Words } from '../index/words.ts';
import type { ItemWorth } from '../query/hits.ts';
import { longestQuery, mostQueryWords } from '../settings.ts';
import { createFreshWords, type FreshWords } from './fresh-words.ts';
import { createSpellings, hasCut, type Writing, writingsOf } from './spellings.ts';
import {
  type Bags,
  orderTitleWords,
  placeOfFirstWhole,
  readBags,
  restoreBags,
  saveBags,
  type TitleWords,
} from './title-words.ts';
import { walkTitles } from './walk.ts';

export type CompletionQuery = {
  q: string;
  limit: number;
  /** Maximum edits per word, 0…2. */
  fuzziness?: number;
  admits: (itemIndex: number) => boolean;
  /** 0…1; counts as much as popularity. */
  taste?: ItemWorth;
  /** Whether an earlier round found the typed words, so that no others stand in for them [false]. */
  hasTyped?: boolean;
};

export type CompletionHit = {
  itemIndex: number;
  /** The sum of `start`, `popularity` and `taste`; orders the answer. */
  score: number;
  /** 1 when the title begins with the first typed word. */
  start: number;
  popularity: number;
  taste: number;
  /** The words that were looked up. */
  words: string[];
};

export type Completer = ReturnType<typeof createCompleter>;

export type CompleterOptions = {
  index: () => TextIndex;
  sortedWords: SortedWords;
  popularity: (itemIndex: number) => number;
  /** Returns other words by which items may have the typed ones: other spellings and compounds. */
  otherWords: (words: readonly string[]) => string[][];
};

/** With taste, this many times the limit are candidates. */
const tastePool = 4;

function isHeld({ words, documentFrequency }: TextIndex, word: string): boolean {
  return words.find(word).some((number) => documentFrequency(words.termAt(number)) > 0);
}

function createHits({ index, popularity }: Pick<CompleterOptions, 'index' | 'popularity'>) {
  const popularityOf = (itemIndex: number): number => Math.min(1, Math.max(0, popularity(itemIndex)));

  const startOf = (itemIndex: number, [prefix]: string[]): number => {
    const { words, placeOf } = index();
    const { segment, ordinal } = placeOf(itemIndex)!;
    const { values, start, end } = titleOf(segment, ordinal);
    const beginsAt = (at: number): boolean => words.surfaceAt(values[at]).startsWith(prefix);
    if (start === end) return 0;
    return Number(beginsAt(start) || beginsAt(start + placeOfFirstWhole(segment, ordinal, words)));
  };

  return {
    /** The score without taste. */
    usualWorthOf: (itemIndex: number, words: string[]) => startOf(itemIndex, words) + popularityOf(itemIndex),
    hitOf(itemIndex: number, words: string[], taste: ItemWorth | undefined): CompletionHit {
      const start = startOf(itemIndex, words);
      const popular = popularityOf(itemIndex);
      const liked = Math.min(1, Math.max(0, taste?.(itemIndex) ?? 0));
      return { itemIndex, score: start + popular + liked, start, popularity: popular, taste: liked, words };
    },
  };
}

/** The words of the titles of merged segments. */
function createPackedTitles({ index, sortedWords, popularity }: CompleterOptions) {
  const bagsOf = new WeakMap<Segment, Bags>();
  const titleWords = new WeakMap<Segment, TitleWords>();

  /** Orders the documents of a merged segment by the present popularity. */
  function* reorder(segment: Segment): Generator<void> {
    const bags = bagsOf.get(segment);
    if (bags) titleWords.set(segment, yield* orderTitleWords(segment, bags, popularity));
  }

  return {
    titleWords,
    *merged(segment: Segment, words: Words): Generator<void> {
      const sorted = yield* sortedWords.all();
      const fieldCount = index().fields.length;
      bagsOf.set(segment, yield* readBags({ segment, sorted, words, fieldCount }));
      yield* reorder(segment);
    },
    reorder,
    *save(segment: Segment): Generator<void, Sections> {
      const bags = bagsOf.get(segment);
      return bags ? yield* saveBags(bags, index().words) : {};
    },
    *restore(segment: Segment, saved: Sections): Generator<void> {
      const bags = yield* restoreBags(saved, index().words);
      if (!bags) return;
      yield* sortedWords.restore(bags.sorted);
      bagsOf.set(segment, bags);
    },
  };
}

export function createCompleter(options: CompleterOptions) {
  const { index, sortedWords, otherWords } = options;
  const { titleWords, ...packing } = createPackedTitles(options);
  const freshWords = new WeakMap<Segment, FreshWords>();
  const { hitOf, usualWorthOf } = createHits(options);
  const spellings = createSpellings({ sortedWords, isHeld: (word) => isHeld(index(), word) });

  /** Adds the items that have exactly these words. */
  const collect = (
    { words, cutAt }: Writing,
    query: CompletionQuery,
    hits: Map<number, CompletionHit>,
  ): void => {
    const room = query.limit * (query.taste ? tastePool : 1);
    const put = (itemIndex: number) => hits.set(itemIndex, hitOf(itemIndex, words, query.taste));
    for (const segment of index().segments) {
      const isNew = (ordinal: number): boolean => {
        const itemIndex = segment.itemOf[ordinal];
        if (segment.alive[ordinal] === 0 || hits.has(itemIndex) || !query.admits(itemIndex)) return false;
        return cutAt === undefined || hasCut(titleOf(segment, ordinal), { words, cutAt }, index().words);
      };
      let left = room;
      const take = (ordinal: number): boolean => {
        if (!isNew(ordinal)) return true;
        put(segment.itemOf[ordinal]);
        return --left > 0;
      };
      const worthOf = (itemIndex: number) => usualWorthOf(itemIndex, words);
      const packed = titleWords.get(segment);
      if (packed) walkTitles(packed, words, take);
      freshWords.get(segment)?.bestOf(words, { room, isNew, worthOf }).forEach(put);
    }
  };

  return {
    complete(query: CompletionQuery): { hits: CompletionHit[]; hasTyped: boolean } {
      const typed = joinSizes(tokensOf(query.q.slice(0, longestQuery), mostQueryWords));
      const words = typed.map(({ text }) => text);
      if (words.length === 0 || query.limit <= 0) return { hits: [], hasTyped: false };
      const hits = new Map<number, CompletionHit>();
      collect({ words }, query, hits);
      const hasTyped = query.hasTyped || hits.size > 0;
      const collectWhileFew = (writings: Iterable<Writing>): void => {
        for (const writing of writings) {
          if (hits.size >= query.limit) break;
          collect(writing, query, hits);
        }
      };
      if (!hasTyped) collectWhileFew(otherWords(words).map((others) => ({ words: others })));
      if (!hasTyped && hits.size === 0) collectWhileFew(writingsOf(typed, (word) => isHeld(index(), word)));
      if (query.fuzziness && hits.size < query.limit)
        collectWhileFew(spellings.triesOf(words, query.fuzziness).map((tried) => ({ words: tried })));
      const ordered = [...hits.values()].sort((a, b) => b.score - a.score || a.itemIndex - b.itemIndex);
      return { hits: ordered.slice(0, query.limit), hasTyped };
    },
    added(segment: Segment, ordinal: number): void {
      const part = freshWords.get(segment) ?? createFreshWords(segment);
      freshWords.set(segment, part);
      part.add(ordinal, index().words, index().fields.length);
    },
    ...packing,
  };
}
