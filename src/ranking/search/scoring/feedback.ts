/**
 * Relevance feedback: what the best hits have in common is what the query is about.
 *
 * A relevance model (Lavrenko and Croft, "Relevance-based language models", SIGIR 2001; RM3's mixture with the query) is
 * estimated from the first hits, and only the hits themselves are scored by it again, from their streams; so nothing new is
 * read from postings. A query in prose describes a subject that its very first hits show best, and gains much. A short
 * query names a thing; a hundred hits show what kind of thing that mostly is (`notebook`: computers rather than sleeves),
 * which settles order among about equal texts. Three or four words say enough by themselves.
 */

import type { Place, TextIndex } from '../index/index.ts';
import { saturation } from '../settings.ts';
import { createTermSums, occurrenceGain, type TermSums } from './term-sums.ts';
import { createTermTable } from './term-table.ts';
import { createTop } from './top.ts';

type Strength = {
  /** Hits that make the model, and hits that are scored by it. */
  modelHits: number;
  scoredHits: number;
  /** Hits that must have a term for it to be in the model. */
  leastHits: number;
  /** Words of a document that are read, the title first. */
  wordsRead: number;
  /** Part of the score that comes from the model. */
  share: number;
};

/** Words up to which a query is a name that may mean several things, and from which on it is prose. */
const nameWords = 2;
const proseWords = 5;

/** Chosen on halves of Cranfield (prose) and Icecat (names): flat within a factor of two of each. */
// For names, 150 hits took 1.2 times as long for the same nDCG. A share of 0.2 loses 0.014. Feedback
// for three and four words changes nothing.
const prose: Strength = { modelHits: 10, scoredHits: 300, leastHits: 1, wordsRead: 512, share: 0.65 };
const names: Strength = { modelHits: 120, scoredHits: 50, leastHits: 3, wordsRead: 48, share: 0.1 };

const modelTerms = 50;

/** Length at which a document's counts are taken as they are. */
const typicalLength = 100;
const lengthShare = 0.75;

/** Whether feedback says anything of a query of so many words. */
export function gainsFrom(wordCount: number): boolean {
  return wordCount <= nameWords || wordCount >= proseWords;
}

export type FeedbackHit = { place: Place; text: number };

/** Hits that are compared with the best one, and how near to its score they are where a subject begins, and is shared by all. */
const followers = 9;
const lonely = 0.3;
const accompanied = 0.5;

/**
 * How much the best hits have in common a subject, 0…1: none where the first stands far above the next, as then that one thing
 * was meant.
 */
function sharedSubject(hits: readonly FeedbackHit[], best: number): number {
  const following = hits.slice(1, 1 + followers);
  const mean = following.reduce((sum, { text }) => sum + text, 0) / following.length / best;
  return Math.min(1, Math.max(0, (mean - lonely) / (accompanied - lonely)));
}

/** Distinct terms that the model's hits may have; further ones are not in it. */
const mostTerms = 8_192;

/** How many words of a document are read. */
function readLength({ segment, ordinal }: Place, { wordsRead }: Strength, fieldCount: number): number {
  const { values } = segment.streams;
  let at = segment.streamStarts[ordinal];
  let length = 0;
  for (let field = 0; field < fieldCount; field++) {
    length += values[at];
    at += values[at] + 1;
  }
  return Math.min(length, wordsRead);
}

/** The heaviest terms of the first hits, and how like them a document is. */
type RelevanceModel = {
  add(hit: FeedbackHit, strength: Strength): void;
  /** Leaves the heaviest terms, rare ones weighing more. */
  finish(strength: Strength): void;
  likeness(place: Place, strength: Strength): number;
  clear(): void;
};

function createRelevanceModel(index: TextIndex): RelevanceModel {
  const { fields, words } = index;
  const heaviest = createTop(modelTerms);
  /** Of the model's hits; half a megabyte, from the first request that has some. */
  let candidates: TermSums | undefined;
  /** The terms that are left in the model, in the order of `heaviest`; then how often the document being read has each. */
  const model = createTermTable(64);
  const lastDocument = new Int32Array(modelTerms);
  const counts = new Int32Array(modelTerms);
  let document = 0;

  return {
    add({ place, text }, strength) {
      const terms = words.termsOfWords();
      const { values } = place.segment.streams;
      const length = readLength(place, strength, fields.length);
      candidates ??= createTermSums(mostTerms);
      candidates.begin(text, 1 + length / typicalLength);
      let at = place.segment.streamStarts[place.ordinal];
      for (let left = length; left > 0; ) {
        const count = Math.min(values[at], left);
        candidates.read(terms, values, at + 1, at + 1 + count);
        left -= count;
        at += values[at] + 1;
      }
    },
    finish({ leastHits }) {
      const total = Math.max(1, index.documentCount);
      heaviest.begin(modelTerms);
      candidates?.visit((term, weight, holders) => {
        const frequency = holders < leastHits ? 0 : index.documentFrequency(term);
        if (frequency < 2) return;
        const rarity = Math.log(1 + Math.max(0, total - frequency + 0.5) / (frequency + 0.5));
        heaviest.offer(term, weight * rarity);
      });
      heaviest.finish();
      candidates?.clear();
      for (let i = 0; i < heaviest.size; i++) model.add(heaviest.items[i]);
    },
    likeness(place, strength) {
      document += 1;
      const terms = words.termsOfWords();
      const { values } = place.segment.streams;
      const length = readLength(place, strength, fields.length);
      const norm = saturation * (1 - lengthShare + (lengthShare * length) / typicalLength);
      let at = place.segment.streamStarts[place.ordinal];
      let sum = 0;
      for (let left = length; left > 0; ) {
        const count = Math.min(values[at], left);
        for (let i = 1; i <= count; i++) {
          const id = model.find(terms[values[at + i]]);
          if (id < 0) continue;
          counts[id] = lastDocument[id] === document ? counts[id] + 1 : 1;
          lastDocument[id] = document;
          sum += heaviest.keys[id] * occurrenceGain(counts[id], norm);
        }
        left -= count;
        at += values[at] + 1;
      }
      return sum;
    },
    clear() {
      model.clear();
      document = 0;
      lastDocument.fill(0);
    },
  };
}

export type Feedback = {
  /**
   * What feedback adds to (or takes from) each hit's score.
   *
   * @param hits best first; hits beyond those scored lose the whole share
   */
  gains(hits: readonly FeedbackHit[], wordCount: number): Float64Array;
};

export function createFeedback(index: TextIndex): Feedback {
  const model = createRelevanceModel(index);
  return {
    gains(hits, wordCount) {
      const gains = new Float64Array(hits.length);
      if (hits.length < 2 || !gainsFrom(wordCount)) return gains;
      const strength = wordCount >= proseWords ? prose : names;
      const { modelHits, scoredHits, share } = strength;
      for (let i = 0; i < Math.min(modelHits, hits.length); i++) model.add(hits[i], strength);
      model.finish(strength);
      const likenesses = new Float64Array(hits.length);
      for (let i = 0; i < Math.min(scoredHits, hits.length); i++)
        likenesses[i] = model.likeness(hits[i].place, strength);
      model.clear();
      const best = hits.reduce((most, { text }) => Math.max(most, text), 0);
      const nearest = likenesses.reduce((most, one) => Math.max(most, one), Number.MIN_VALUE);
      const used = wordCount >= proseWords ? share * sharedSubject(hits, best) : share;
      for (let i = 0; i < hits.length; i++)
        gains[i] = used * ((best * likenesses[i]) / nearest - hits[i].text);
      return gains;
    },
  };
}
