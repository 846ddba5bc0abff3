/**
 * Caches each model's scores of each question's candidates, so that trying weights takes
 * milliseconds.
 *
 * Candidates are the best of every model, without excluded items.
 */

import { type Accumulator, add, begin, createAccumulator, isTouched } from '../arrays/accumulator.ts';
import { grow } from '../arrays/rows.ts';
import { beginTopN, createTopN, offer } from '../arrays/top-n.ts';
import { profileOf, type SeedProfiles } from '../blend.ts';
import type { Interactions } from '../interactions.ts';
import { type IndexMapping, itemOfSum, type Model, sumIndexOf } from '../model.ts';
import { createQuery, fillQuery, type Recent, weighSeeds } from '../query.ts';
import { isTrendName } from '../trends/trends.ts';
import type { PartsToAsk } from './list-order.ts';
import { type Exclusion, excludedAt, type Question, recentsBefore } from './questions.ts';
import { ignoredBefore } from './showings.ts';
import type { TrendReplay } from './trend-replay.ts';

export type ScoreCache = {
  models: readonly string[];
  questions: readonly Question[];
  /** Candidates of question q: offsets[q] … offsets[q + 1]. */
  offsets: Int32Array;
  items: Int32Array;
  /** Per model, per candidate. */
  scores: Float32Array[];
  /** Per question: positions of the answers among all candidates, without unproposed ones. */
  answers: Int32Array[];
  /** Per question: weight of its NDCG [1]. */
  worth?: Float64Array;
};

/** Models and questions they were not trained on. */
export type Fold = {
  models: readonly Model[];
  source: Interactions;
  questions: readonly Question[];
  /** Parts of lists without times that the questions cover. */
  parts?: PartsToAsk;
  /** Trends that some models read, as of the question's time. */
  trends?: TrendReplay;
  /** Interests by question, kept for further trials of the same questions. */
  recents: Map<Question, readonly Recent[]>;
};

export type CacheOptions = {
  /** All with equal models in equal order. */
  folds: readonly Fold[];
  mapping: IndexMapping;
  profiles: SeedProfiles;
  excluded: Exclusion;
  maxRecents: number;
  /** Names of models that propose candidates [all]. */
  proposers?: ReadonlySet<string>;
  /** Names of models that score them [all]. */
  scorers?: ReadonlySet<string>;
  /** Candidates per model. */
  depth?: number;
};

/** Scores lie near 0…1; lower ones are negligible, also for a model alone. */
const leastScore = 1e-6;

/** Five lists of twenty. */
const defaultDepth = 100;

export function cacheScores(options: CacheOptions): ScoreCache {
  const { folds, mapping, scorers } = options;
  const scoring = (models: readonly Model[]) =>
    models.filter(({ name }) => scorers === undefined || scorers.has(name));
  const names = scoring(folds[0].models).map(({ name }) => name);
  const questions = folds.flatMap((fold) => fold.questions);
  const cache: ScoreCache = {
    models: names,
    questions,
    offsets: new Int32Array(questions.length + 1),
    items: new Int32Array(4096),
    scores: names.map(() => new Float32Array(4096)),
    answers: [],
  };
  const accumulator = createAccumulator(mapping.itemIndexOf.length + mapping.localOf.length);
  for (const fold of folds) {
    const asked = createAsked(fold, accumulator, options);
    const models = scoring(fold.models);
    for (const question of fold.questions) appendQuestion(cache, question, models, asked);
  }
  return cache;
}

type Asked = ReturnType<typeof createAsked>;

function appendQuestion(cache: ScoreCache, question: Question, models: readonly Model[], asked: Asked): void {
  const place = cache.answers.length;
  const candidates = asked.candidatesOf(question);
  const start = cache.offsets[place];
  const end = start + candidates.length;
  cache.offsets[place + 1] = end;
  cache.items = grow(cache.items as Int32Array<ArrayBuffer>, end);
  cache.items.set(candidates, start);
  models.forEach((model, m) => {
    cache.scores[m] = grow(cache.scores[m] as Float32Array<ArrayBuffer>, end);
    asked.scoreAll(model, candidates, cache.scores[m].subarray(start, end));
  });
  const expected = new Set(question.answers);
  const places: number[] = [];
  for (let at = start; at < end; at++) if (expected.has(cache.items[at])) places.push(at);
  cache.answers.push(Int32Array.from(places));
}

function createAsked(
  { models, source, trends, recents: known }: Fold,
  accumulator: Accumulator,
  options: CacheOptions,
) {
  const { mapping, profiles, excluded, maxRecents, proposers, scorers, depth = defaultDepth } = options;
  const query = createQuery(maxRecents);
  const proposing = models.filter(({ name }) => proposers === undefined || proposers.has(name));
  const isUsed = ({ name }: Model) =>
    [proposers, scorers].some((names) => names === undefined || names.has(name));
  const readsTrends = models.some((model) => isTrendName(model.name) && isUsed(model));
  const ordered = proposing.sort((a, b) => Number(a.role === 'lifts') - Number(b.role === 'lifts'));
  const { found, isKnown, findBest, take } = createFinder(accumulator, mapping, depth);
  /** Model of the sums in the accumulator, if independent of the candidates. */
  let summed: Model | undefined;
  const touch = (candidates: Iterable<number>) => {
    for (const item of candidates) add(accumulator, sumIndexOf(mapping, item), 0);
  };
  const run = (model: Model, candidates: Iterable<number>) => {
    if (model === summed) return;
    begin(accumulator);
    if (model.role === 'lifts') touch(candidates);
    weighSeeds(query, profileOf(model.name, profiles));
    model.accumulate(query, 1, accumulator);
    summed = model.role === 'lifts' ? undefined : model;
  };
  const markKnown = (question: Question, value: number) => {
    for (const item of excludedAt(source, question, excluded)) isKnown[item] = value;
  };
  return {
    candidatesOf(question: Question): Int32Array {
      const recents = known.get(question) ?? recentsBefore(source, question, maxRecents);
      known.set(question, recents);
      if (readsTrends) trends?.moveTo(source.timeSeconds[question.event], recents);
      fillQuery(query, { recents, ignored: ignoredBefore(source, question) }, mapping);
      summed = undefined;
      markKnown(question, 1);
      for (const model of ordered) {
        run(model, found);
        findBest();
      }
      markKnown(question, 0);
      return take();
    },
    scoreAll(model: Model, candidates: Int32Array, into: Float32Array): void {
      run(model, candidates);
      for (let place = 0; place < candidates.length; place++) {
        const index = sumIndexOf(mapping, candidates[place]);
        into[place] = isTouched(accumulator, index) ? accumulator.scores[index] : 0;
      }
    },
  };
}

/** Finds candidates among the sums of one model after the other. */
function createFinder(accumulator: Accumulator, mapping: IndexMapping, depth: number) {
  const top = createTopN(depth);
  /** Items that are no candidates. */
  const isKnown = new Uint8Array(mapping.localOf.length);
  const isFound = new Uint8Array(mapping.localOf.length);
  const found: number[] = [];
  return {
    found,
    isKnown,
    /** Adds the best sums that no other model proposed. */
    findBest() {
      const { scores, touched, touchedCount } = accumulator;
      beginTopN(top);
      let floor = leastScore;
      for (let place = 0; place < touchedCount; place++) {
        const score = scores[touched[place]];
        if (!(score >= floor)) continue;
        const item = itemOfSum(mapping, touched[place]);
        if (item >= 0 && isKnown[item] === 0) offer(top, item, score);
        if (top.size === top.limit) floor = Math.max(floor, top.scores[0]);
      }
      for (let place = 0; place < top.size; place++) {
        const item = top.items[place];
        if (isFound[item] === 0) found.push(item);
        isFound[item] = 1;
      }
    },
    /** Returns all that were found, ascending, and forgets them. */
    take(): Int32Array {
      const candidates = Int32Array.from(found).sort();
      for (const item of found) isFound[item] = 0;
      found.length = 0;
      return candidates;
    },
  };
}
