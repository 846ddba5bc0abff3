/**
 * Completions: items that hold all typed words, the last one as the beginning of a word, in any order and position.
 *
 * One word is one walk: the words that begin with it are a range, and a range-maximum tree gives the best entries of that
 * range in a few microseconds. With several words the rarest of them proposes and the others are checked in the items' own
 * words. What the visitor likes reorders the best of them. Typing errors are looked for only when too little is found.
 */
import { tokensOf } from '../analysis/analyser.ts';
import { createFuzzyWalker } from '../correction/fuzzy-walk.ts';
import type { SortedWords } from '../correction/sorted-words.ts';
import type { TextIndex } from '../index/index.ts';
import type { Segment } from '../index/segment.ts';
import type { Words } from '../index/words.ts';
import type { ItemWorth } from '../query/hits.ts';
import { longestQuery } from '../settings.ts';
import { createFreshWords, type FreshWords } from './fresh-words.ts';
import { buildTitleWords, prefixRange, type TitleWords } from './title-words.ts';

export type CompletionQuery = {
  q: string;
  limit: number;
  /** Most edits per word, 0…2. */
  fuzziness?: number;
  admits: (itemIndex: number) => boolean;
  /** 0…1; moves an item up by as much as popularity does. */
  taste?: ItemWorth;
};

export type CompletionHit = {
  itemIndex: number;
  /** The sum of the parts below; orders the answer. */
  score: number;
  /** 1 when the title begins with the first typed word. */
  start: number;
  popularity: number;
  taste: number;
  /** What was looked up for the typed words. */
  words: string[];
};

export type Completer = {
  complete(query: CompletionQuery): CompletionHit[];
  added(segment: Segment, ordinal: number): void;
  merged(segment: Segment, words: Words): Generator<void>;
};

export type CompleterOptions = {
  index: () => TextIndex;
  sortedWords: SortedWords;
  popularity: (itemIndex: number) => number;
};

const mostWords = 8;
/** Items per completion asked for that taste may bring forward. */
const tastePool = 4;
/** Entries of one request that are looked at. */
const mostEntries = 20_000;
/** Spellings that are tried per word, and together. */
const mostSpellings = 8;
const mostTries = 24;
/** A misspelt word may differ by one edit when shorter than this. */
const shortWord = 5;

export function createCompleter({ index, sortedWords, popularity }: CompleterOptions): Completer {
  const titleWords = new WeakMap<Segment, TitleWords>();
  const freshWords = new WeakMap<Segment, FreshWords>();
  const walker = createFuzzyWalker();

  /** Offers ordinals of a packed segment that hold the words, best first, until `offer` has enough. */
  const walk = (part: TitleWords, typed: readonly string[], offer: (ordinal: number) => boolean): void => {
    const ranges = typed.map((word, i) => {
      const [from, to] = prefixRange(part, word);
      if (i === typed.length - 1) return [from, to] as const;
      return part.words[from] === word ? ([from, from + 1] as const) : ([from, from] as const);
    });
    const sizes = ranges.map(([from, to]) => part.entryStarts[to] - part.entryStarts[from]);
    const rarest = sizes.indexOf(Math.min(...sizes));
    const others = ranges.filter((_, i) => i !== rarest);
    const holdsOthers = (ordinal: number): boolean =>
      others.every(([from, to]) => {
        for (let at = part.bagStarts[ordinal]; at < part.bagStarts[ordinal + 1]; at++)
          if (part.bags[at] >= from && part.bags[at] < to) return true;
        return false;
      });
    const [from, to] = ranges[rarest];
    let left = mostEntries;
    part.maximum.visit(part.entryStarts[from], part.entryStarts[to], (place) => {
      const ordinal = part.entries[place];
      left -= 1;
      return (!holdsOthers(ordinal) || offer(ordinal)) && left > 0;
    });
  };

  const walkFresh = (
    part: FreshWords,
    typed: readonly string[],
    offer: (ordinal: number) => boolean,
  ): void => {
    const sets = typed.map((word, i) => part.matches(word, i < typed.length - 1));
    sets.sort((a, b) => a.size - b.size);
    for (const ordinal of sets[0]) if (sets.every((set) => set.has(ordinal)) && !offer(ordinal)) return;
  };

  const beginsWith = (itemIndex: number, prefix: string): boolean => {
    const { segment, ordinal } = index().placeOf(itemIndex)!;
    const start = segment.streamStarts[ordinal];
    if (segment.streams.values[start] === 0) return false;
    return index()
      .words.surfaceAt(segment.streams.values[start + 1])
      .startsWith(prefix);
  };

  const hitOf = (itemIndex: number, words: string[], taste: ItemWorth | undefined): CompletionHit => {
    const start = Number(beginsWith(itemIndex, words[0]));
    const popular = Math.min(1, Math.max(0, popularity(itemIndex)));
    const liked = Math.min(1, Math.max(0, taste?.(itemIndex) ?? 0));
    return { itemIndex, score: start + popular + liked, start, popularity: popular, taste: liked, words };
  };

  /** Adds what holds exactly these words. */
  const collect = (words: string[], query: CompletionQuery, hits: Map<number, CompletionHit>): void => {
    for (const segment of index().segments) {
      const room = query.limit * (query.taste ? tastePool : 1);
      let taken = 0;
      const offer = (ordinal: number): boolean => {
        const itemIndex = segment.itemOf[ordinal];
        if (segment.alive[ordinal] === 0 || hits.has(itemIndex) || !query.admits(itemIndex)) return true;
        hits.set(itemIndex, hitOf(itemIndex, words, query.taste));
        taken += 1;
        return taken < room;
      };
      const packed = titleWords.get(segment);
      const fresh = freshWords.get(segment);
      if (packed) walk(packed, words, offer);
      if (fresh) walkFresh(fresh, words, offer);
    }
  };

  const spellingsOf = (word: string, maxDistance: number, prefix: boolean): string[] => {
    const found: { spelling: string; distance: number }[] = [];
    const visit = (spelling: string, distance: number): void => {
      if (distance > 0) found.push({ spelling, distance });
    };
    const allowed = word.length < shortWord ? Math.min(1, maxDistance) : maxDistance;
    for (const list of sortedWords.lists())
      walker.walk(list, { query: word, maxDistance: allowed, prefix, visit });
    found.sort((a, b) => a.distance - b.distance || a.spelling.length - b.spelling.length);
    return [word, ...found.slice(0, mostSpellings).map(({ spelling }) => spelling)];
  };

  /** Combinations of spellings, those nearest to what was typed first. */
  const triesOf = (words: readonly string[], fuzziness: number): string[][] => {
    let tries: string[][] = [[]];
    words.forEach((word, i) => {
      const spellings = spellingsOf(word, fuzziness, i === words.length - 1);
      tries = spellings.flatMap((spelling) => tries.map((before) => [...before, spelling]));
      tries = tries.slice(0, mostTries);
    });
    return tries;
  };

  return {
    complete(query) {
      const words = tokensOf(query.q.slice(0, longestQuery), mostWords).map(({ text }) => text);
      if (words.length === 0 || query.limit <= 0) return [];
      const hits = new Map<number, CompletionHit>();
      collect(words, query, hits);
      if (query.fuzziness && hits.size < query.limit)
        for (const tried of triesOf(words, query.fuzziness)) {
          if (hits.size >= query.limit) break;
          collect(tried, query, hits);
        }
      const ordered = [...hits.values()].sort((a, b) => b.score - a.score || a.itemIndex - b.itemIndex);
      return ordered.slice(0, query.limit);
    },
    added(segment, ordinal) {
      const part = freshWords.get(segment) ?? createFreshWords(segment);
      freshWords.set(segment, part);
      part.add(ordinal, index().words, index().fields.length);
    },
    *merged(segment, words) {
      const sorted = yield* sortedWords.all();
      const fieldCount = index().fields.length;
      titleWords.set(segment, yield* buildTitleWords({ segment, sorted, words, popularity, fieldCount }));
    },
  };
}
