/**
 * Relevance feedback for queries in prose: what the best hits have in common is what the query is about.
 *
 * A relevance model (Lavrenko and Croft, "Relevance-based language models", SIGIR 2001; RM3's mixture with the query) is
 * estimated from the first hits, and only the hits themselves are scored by it again, from their streams; so nothing new is
 * read from postings. Short queries name things rather than describe them, and are left as they are.
 */
import type { Place, TextIndex } from '../index/index.ts';
import { streamEnd } from '../index/merge.ts';

/** Words from which on a query is prose. */
export const feedbackWords = 5;

/** Chosen on halves of Cranfield: flat between 5 and 20 hits, 30 and 60 terms, 0.3 and 0.6. */
const modelHits = 10;
const modelTerms = 50;
const feedbackShare = 0.5;
const scoredHits = 300;

/** Length at which a document's counts are taken as they are; BM25's usual constants. */
const typicalLength = 100;
const termSaturation = 1.2;
const lengthShare = 0.75;

type Bag = { counts: Map<number, number>; length: number };

function bagOf({ fields, words }: TextIndex, { segment, ordinal }: Place): Bag {
  const { values } = segment.streams;
  const start = segment.streamStarts[ordinal];
  const end = streamEnd(values, start, fields.length);
  const counts = new Map<number, number>();
  let at = start;
  for (let field = 0; field < fields.length; field++) {
    const fieldEnd = at + 1 + values[at];
    for (at += 1; at < fieldEnd; at++) {
      const term = words.termAt(values[at]);
      counts.set(term, (counts.get(term) ?? 0) + 1);
    }
  }
  return { counts, length: end - start - fields.length };
}

function saturated(count: number, length: number): number {
  const norm = 1 - lengthShare + (lengthShare * length) / typicalLength;
  return (count * (termSaturation + 1)) / (count + termSaturation * norm);
}

/** The heaviest terms of the first hits, their weights adding up to 1. */
function relevanceModel(
  index: TextIndex,
  bags: readonly Bag[],
  scores: readonly number[],
): Map<number, number> {
  const weights = new Map<number, number>();
  const total = Math.max(1, index.documentCount);
  bags.forEach(({ counts, length }, hit) => {
    for (const [term, count] of counts) {
      const frequency = index.documentFrequency(term);
      if (frequency < 2) continue;
      const rarity = Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5));
      const weight = scores[hit] * rarity * (count / (count + 1 + length / typicalLength));
      weights.set(term, (weights.get(term) ?? 0) + weight);
    }
  });
  const heaviest = [...weights].sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, modelTerms);
  const sum = heaviest.reduce((all, [, weight]) => all + weight, 0);
  return new Map(heaviest.map(([term, weight]) => [term, weight / sum]));
}

function likeness(model: Map<number, number>, { counts, length }: Bag): number {
  let sum = 0;
  for (const [term, weight] of model) {
    const count = counts.get(term);
    if (count) sum += weight * saturated(count, length);
  }
  return sum;
}

/**
 * What feedback adds to (or takes from) each hit's score.
 *
 * @param hits best first, with their scores; hits beyond the first 300 share the loss of the last one
 */
export function feedback(index: TextIndex, hits: readonly (Place & { score: number })[]): Float64Array {
  const gains = new Float64Array(hits.length);
  const scored = hits.slice(0, scoredHits);
  if (scored.length < 2) return gains;
  const bags = scored.map((hit) => bagOf(index, hit));
  const best = Math.max(...scored.map(({ score }) => score));
  const model = relevanceModel(
    index,
    bags.slice(0, modelHits),
    scored.map(({ score }) => score),
  );
  const likenesses = bags.map((bag) => likeness(model, bag));
  const nearest = Math.max(...likenesses, Number.MIN_VALUE);
  for (let i = 0; i < hits.length; i++) {
    const like = i < scored.length ? likenesses[i] : 0;
    gains[i] = feedbackShare * ((best * like) / nearest - hits[i].score);
  }
  return gains;
}
