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

import { grown } from '../../catalog/growth.ts';
import type { Place, TextIndex } from '../index/index.ts';
import { saturation } from '../settings.ts';
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

/**
 * Returns what the n-th occurrence of a term in a document adds: n / (n + norm) less what the ones
 * before gave.
 */
function occurrenceGain(count: number, norm: number): number {
  return count / (count + norm) - (count === 1 ? 0 : (count - 1) / (count - 1 + norm));
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

/** Reads the terms of documents, and counts them. */
function createTermReader({ fields, words }: TextIndex) {
  /** By term: its occurrences in the document so far. */
  let counts = new Uint16Array(0);
  let length = 0;
  const terms = new Int32Array(Math.max(prose.wordsRead, names.wordsRead));

  return {
    /** The terms that were read last. */
    terms,
    /** Begins a document; returns the number of its first words that were read. */
    read({ segment, ordinal }: Place, { wordsRead }: Strength): number {
      for (let i = 0; i < length; i++) counts[terms[i]] = 0;
      counts = grown(counts, words.termCount);
      const termOf = words.termsOfWords();
      const { values } = segment.streams;
      let at = segment.streamStarts[ordinal];
      length = 0;
      for (let field = 0; field < fields.length; field++) {
        const end = at + 1 + values[at];
        for (at += 1; at < end && length < wordsRead; at++) terms[length++] = termOf[values[at]];
        at = end;
      }
      return length;
    },
    /** Counts a term of the document; returns its occurrences so far. */
    countOf: (term: number): number => ++counts[term],
  };
}

/** The heaviest terms of the first hits, and the likeness of documents to them. */
function createRelevanceModel(index: TextIndex) {
  const heaviest = createTop(modelTerms);
  const { terms, read, countOf } = createTermReader(index);
  const candidates: number[] = [];
  /** By term: the documents that have it, its weight in them, and its rank in `heaviest`, plus 1. */
  let holders = new Uint8Array(0);
  let sums = new Float64Array(0);
  let ranks = new Uint8Array(0);

  return {
    add({ place, text }: FeedbackHit, strength: Strength): void {
      holders = grown(holders, index.words.termCount);
      sums = grown(sums, index.words.termCount);
      const length = read(place, strength);
      const norm = 1 + length / typicalLength;
      for (let i = 0; i < length; i++) {
        const count = countOf(terms[i]);
        if (count === 1 && holders[terms[i]]++ === 0) candidates.push(terms[i]);
        sums[terms[i]] += text * occurrenceGain(count, norm);
      }
    },
    /** Keeps the heaviest terms, weighed by rarity. */
    finish({ leastHits }: Strength): void {
      const total = Math.max(1, index.documentCount);
      heaviest.begin(modelTerms);
      for (const term of candidates) {
        const frequency = holders[term] < leastHits ? 0 : index.documentFrequency(term);
        if (frequency >= 2) {
          const rarity = Math.log(1 + Math.max(0, total - frequency + 0.5) / (frequency + 0.5));
          heaviest.offer(term, sums[term] * rarity);
        }
        sums[term] = holders[term] = 0;
      }
      candidates.length = 0;
      heaviest.finish();
      ranks = grown(ranks, index.words.termCount);
      for (let i = 0; i < heaviest.size; i++) ranks[heaviest.items[i]] = i + 1;
    },
    likeness(place: Place, strength: Strength): number {
      const length = read(place, strength);
      const norm = saturation * (1 - lengthShare + (lengthShare * length) / typicalLength);
      let sum = 0;
      for (let i = 0; i < length; i++) {
        const rank = ranks[terms[i]];
        if (rank > 0) sum += heaviest.keys[rank - 1] * occurrenceGain(countOf(terms[i]), norm);
      }
      return sum;
    },
    clear(): void {
      for (let i = 0; i < heaviest.size; i++) ranks[heaviest.items[i]] = 0;
    },
  };
}

export function createFeedback(index: TextIndex) {
  const model = createRelevanceModel(index);
  return {
    /**
     * Returns what feedback adds to each score. @param hits best first; hits beyond the scored ones
     * lose the whole share
     */
    gains(hits: readonly FeedbackHit[], wordCount: number): Float64Array {
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
