/**
 * Measures of ranked lists, each per question and then as a mean with its 95 % interval.
 *
 *   Recall@k  = hits / answers                 HitRate@k = 1 if there is a hit
 *   MRR@k     = 1 / rank of the first hit       (Voorhees, "The TREC-8 Question Answering Track Report", 1999)
 *   NDCG@k    = Σ_hits 1 / log2(rank + 1) / ideal  (Järvelin, Kekäläinen, TOIS 2002; the ideal list has min(answers, k) hits)
 *   novelty   = mean of -log2(share of subjects with events of the item)  (Zhou et al., PNAS 2010)
 *   diversity = mean of 1 - cosine over the list's pairs  (Smyth, McClave, ICCBR 2001; Ziegler et al., WWW 2005)
 *   coverage  = share of items recommended at least once  (Ge, Delgado-Battenfeld, Jannach, RecSys 2010)
 */

import { meanOf, standardError } from '../../ranking/models/arrays/statistics.ts';
import { discounts, idealGain } from '../../ranking/models/learning/ranking-metrics.ts';

export const listDepth = 20;
/** Measures diversity of one in this many lists: all pairs take longer than the list itself. */
const diversityStride = 8;

export const accuracyMeasures = ['recall', 'ndcg', 'mrr', 'hitrate'] as const;
export const listMeasures = ['novelty', 'diversity'] as const;
export type Measure = (typeof accuracyMeasures)[number] | (typeof listMeasures)[number];

/** `margin` is half of the 95 % interval. */
export type Estimate = { mean: number; margin: number };

export type Measures = Record<Measure, Estimate> & {
  /** Share of all items in any list. */
  coverage: number;
  questionCount: number;
  /** Recall of answers known and new to the subject; absent if lists exclude known ones. */
  recallAgain?: Estimate;
  recallNew?: Estimate;
};

export type ItemTraits = {
  itemCount: number;
  /** -log2 of the share of subjects, per local item. */
  novelty: Float32Array;
  /** 1 - cosine of two items. */
  distance(a: number, b: number): number;
};

export type IsMet = (item: number) => boolean;

export type Tally = {
  /**
   * Counts one list of at most listDepth items, best first, and returns its NDCG.
   * @param isMet Whether an item is known to the subject, if lists may contain known items.
   */
  add(subject: number, list: Int32Array, answers: Int32Array, isMet?: IsMet): number;
  finish(): Measures;
};

export function createTally({ itemCount, novelty, distance }: ItemTraits): Tally {
  const values: Record<Measure, number[]> = {
    recall: [],
    ndcg: [],
    mrr: [],
    hitrate: [],
    novelty: [],
    diversity: [],
  };
  const subjects: number[] = [];
  const diverse: number[] = [];
  const recommended = new Uint8Array(itemCount);
  const again = createRecall();
  const unmet = createRecall();
  return {
    add(subject, list, answers, isMet) {
      const { found, gain, firstRank } = matchList(list, new Set(answers));
      const hits = found.length;
      subjects.push(subject);
      if (isMet !== undefined) {
        const known = { hits: countOf(found, isMet), answers: countOf(answers, isMet) };
        again.add(subject, known);
        unmet.add(subject, { hits: hits - known.hits, answers: answers.length - known.answers });
      }
      values.recall.push(hits / answers.length);
      const ndcg = gain / idealGain(answers.length, listDepth);
      values.ndcg.push(ndcg);
      values.mrr.push(firstRank === 0 ? 0 : 1 / firstRank);
      values.hitrate.push(hits > 0 ? 1 : 0);
      values.novelty.push(meanOf(Float64Array.from(list, (item) => novelty[item])));
      if (subjects.length % diversityStride === 1) {
        values.diversity.push(diversityOf(list, distance));
        diverse.push(subject);
      }
      for (const item of list) recommended[item] = 1;
      return ndcg;
    },
    finish() {
      const estimates = Object.fromEntries(
        Object.entries(values).map(([name, of]) => [
          name,
          estimate(of, name === 'diversity' ? diverse : subjects),
        ]),
      ) as Record<Measure, Estimate>;
      const coverage = recommended.reduce((sum, one) => sum + one, 0) / Math.max(1, itemCount);
      const parts = { recallAgain: again.finish(), recallNew: unmet.finish() };
      return { ...estimates, ...parts, coverage, questionCount: subjects.length };
    },
  };
}

/** Recall of a subset of the answers, over the questions that have some. */
function createRecall() {
  const values: number[] = [];
  const subjects: number[] = [];
  return {
    add(subject: number, { hits, answers }: { hits: number; answers: number }): void {
      if (answers === 0) return;
      values.push(hits / answers);
      subjects.push(subject);
    },
    finish: () => (values.length > 0 ? estimate(values, subjects) : undefined),
  };
}

function countOf(items: Int32Array | readonly number[], isMet: IsMet): number {
  let count = 0;
  for (const item of items) count += Number(isMet(item));
  return count;
}

/** Returns the answers in the list, their gain, and the first one's rank (0 if there is none). */
function matchList(list: Int32Array, answers: ReadonlySet<number>) {
  const found: number[] = [];
  let gain = 0;
  let firstRank = 0;
  for (let place = 0; place < list.length && place < listDepth; place++) {
    if (!answers.has(list[place])) continue;
    found.push(list[place]);
    gain += discounts[place];
    firstRank ||= place + 1;
  }
  return { found, gain, firstRank };
}

function diversityOf(list: Int32Array, distance: ItemTraits['distance']): number {
  let sum = 0;
  let pairs = 0;
  for (let one = 0; one < list.length; one++) {
    for (let other = one + 1; other < list.length; other++, pairs++) sum += distance(list[one], list[other]);
  }
  return pairs === 0 ? 0 : sum / pairs;
}

/** Returns the mean and 1.96 standard errors. */
export function estimate(values: readonly number[], subjects: readonly number[]): Estimate {
  return { mean: meanOf(values), margin: 1.96 * standardError(values, subjects) };
}
