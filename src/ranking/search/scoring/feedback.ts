/**
 * Relevance feedback: what the best hits have in common is what the query is about.
 *
 * A relevance model (Lavrenko and Croft, "Relevance-based language models", SIGIR 2001; RM3's
 * mixture with the query) is estimated from the first hits and scores the hits again from their
 * streams, so no further postings are read. A query in prose describes a subject that its first
 * hits show well, and gains much. One or two words name a thing; a hundred hits show which kind of
 * thing it mostly is (`notebook`: computers rather than sleeves). Three or four words say enough by
 * themselves.
 */

import type { Place, TextIndex } from '../index/index.ts';
import { saturation } from '../settings.ts';
import { createTermSums, occurrenceGain, type TermSums } from './term-sums.ts';
import { createTermTable } from './term-table.ts';
import { createTop } from './top.ts';

type Strength = {
  /** Hits that make the model, and hits that it scores. */
  modelHits: number;
  scoredHits: number;
  /** A term is in the model when at least this many of its hits have it. */
  leastHits: number;
  /** Words read of each document, the title first. */
  wordsRead: number;
  /** Share of the score that comes from the model. */
  share: number;
};

/** A query of up to `nameWords` is a name with several meanings; one of `proseWords` or more is prose. */
const nameWords = 2;
const proseWords = 5;

// Chosen on halves of Cranfield (prose) and Icecat (names); flat within a factor of two of each.
// For names, 150 hits took 1.2 times as long for the same nDCG, and a share of 0.2 loses 0.014.
// Feedback for three or four words changes nothing.
const prose: Strength = { modelHits: 10, scoredHits: 300, leastHits: 1, wordsRead: 512, share: 0.65 };
const names: Strength = { modelHits: 120, scoredHits: 50, leastHits: 3, wordsRead: 48, share: 0.1 };

const modelTerms = 50;

/** Length in words at which a document's counts are taken as they are. */
const typicalLength = 100;
const lengthShare = 0.75;

/** Whether feedback applies to a query of this many words. */
export function gainsFrom(wordCount: number): boolean {
  return wordCount <= nameWords || wordCount >= proseWords;
}

export type FeedbackHit = { place: Place; text: number };

/**
 * Hits compared with the best one, and their mean score, as a share of it, between which a shared
 * subject fades in.
 */
const followers = 9;
const lonely = 0.3;
const accompanied = 0.5;

/**
 * Returns how far the best hits share a subject, 0…1; 0 where the first is far above the next, so
 * that it alone was meant.
 */
function sharedSubject(hits: readonly FeedbackHit[], best: number): number {
  const following = hits.slice(1, 1 + followers);
  const mean = following.reduce((sum, { text }) => sum + text, 0) / following.length / best;
  return Math.min(1, Math.max(0, (mean - lonely) / (accompanied - lonely)));
}

/** Distinct terms of the model's hits that are counted. */
const mostTerms = 8_192;

/** Returns the number of words of a document that are read. */
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

/** The heaviest terms of the first hits, and the likeness of documents to them. */
type RelevanceModel = {
  add(hit: FeedbackHit, strength: Strength): void;
  /** Keeps the heaviest terms, weighed by rarity. */
  finish(strength: Strength): void;
  likeness(place: Place, strength: Strength): number;
  clear(): void;
};

function createRelevanceModel(index: TextIndex): RelevanceModel {
  const { fields, words } = index;
  const heaviest = createTop(modelTerms);
  /** Terms of the model's hits; half a megabyte, allocated by the first request that needs it. */
  let candidates: TermSums | undefined;
  /**
   * Terms of the model in the order of `heaviest`, then the occurrences of each in the document
   * being read.
   */
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
   * Returns what feedback adds to each score. @param hits best first; hits beyond the scored ones
   * lose the whole share
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
