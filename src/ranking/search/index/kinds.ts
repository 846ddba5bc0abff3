/**
 * Learns which words name kinds of things, from titles that go on with `for` or `with`.
 *
 * `Leather case for laptop` and `charger with cable` show that case and charger are kinds; no title
 * says `black for`. So in `laptop case` the laptop is a modifier, and in `laptop black` it is what
 * is sold. Only the relation words of each language are listed; a catalogue without such titles has
 * no kinds.
 */

import { grown } from '../../catalog/growth.ts';
import type { Analyser } from '../analysis/analyser.ts';
import { inSlices } from '../slices.ts';
import type { Documents } from './segment.ts';
import type { Streams } from './streams.ts';
import type { Words } from './words.ts';

export const wordMarks = { relation: 1, headFirst: 2, figure: 4 } as const;

/** By term: the titles that have it, and those where a relation word follows it. */
export type KindCounts = { titles: Int32Array; related: Int32Array };

/**
 * Share of its titles that a relation word follows, above which a term is a kind; terms in few
 * titles need more.
 */
const leastRelated = 0.02;
const unseenTitles = 2;

/** Documents read between two yields: about 1 ms. */
const documentsPerSlice = 2_000;

const noCounts = (): KindCounts => ({ titles: new Int32Array(0), related: new Int32Array(0) });

export function createKinds(words: Words, analyserOf: (language: unknown) => Analyser) {
  let known = new Uint8Array(0);
  let read = 0;
  let counts = noCounts();

  const marksOf = (word: number): number => {
    const { isHeadFirst, isRelation } = analyserOf(words.languageAt(word));
    const surface = words.surfaceAt(word);
    const relation = isRelation(surface) ? wordMarks.relation : 0;
    const figure = /\d/.test(surface) ? wordMarks.figure : 0;
    return relation | figure | (isHeadFirst ? wordMarks.headFirst : 0);
  };

  /** Returns bits of `wordMarks` by word; the array may be longer than the vocabulary. */
  const marks = (): Uint8Array => {
    known = grown(known, words.wordCount);
    for (; read < words.wordCount; read++) known[read] = marksOf(read);
    return known;
  };

  const addTo = (
    added: KindCounts,
    { streamStarts, streams: { values } }: Streams,
    ordinal: number,
  ): void => {
    const marked = marks();
    const terms = words.termsOfWords();
    added.titles = grown(added.titles, words.termCount);
    added.related = grown(added.related, words.termCount);
    const start = streamStarts[ordinal] + 1;
    const end = start + values[start - 1];
    for (let at = start; at < end; at++) {
      if (marked[values[at]] & wordMarks.relation) continue;
      const term = terms[values[at]];
      added.titles[term] += 1;
      if (at + 1 < end && marked[values[at + 1]] & wordMarks.relation) added.related[term] += 1;
    }
  };

  return {
    marks,
    isKind: (term: number): boolean =>
      counts.related[term] > leastRelated * (counts.titles[term] + unseenTitles),
    /** Counts the title of a new document. */
    add: (documents: Streams, ordinal: number) => addTo(counts, documents, ordinal),
    /** Replaces the counts. */
    use(learnt: KindCounts): void {
      counts = learnt;
    },
    /** Counts the titles of living documents, in slices. */
    *count(documents: Documents): Generator<void, KindCounts> {
      const counted = noCounts();
      yield* inSlices(documents.docCount, documentsPerSlice, (ordinal) => {
        if (documents.alive[ordinal] === 1) addTo(counted, documents, ordinal);
      });
      return counted;
    },
  };
}
