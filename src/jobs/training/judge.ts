/**
 * Decides whether new models may replace those in use. Both answer the same questions about events
 * that neither has seen; new models that are significantly worse are refused.
 *
 * The models of the learning stage represent the new ones: they know nothing of the held-out slice
 * and a little less than the published models. The served models know everything before their own
 * training, so only later events are questions.
 */

import { meanOf } from '../../ranking/models/arrays/statistics.ts';
import { stringAt, stringCount } from '../../ranking/models/arrays/string-table.ts';
import type { TrainedModels } from '../../ranking/models/artefact.ts';
import { type BlendWeights, defaultBlendWeights, type SeedProfiles } from '../../ranking/models/blend.ts';
import { type ItemKeys, keySeparator } from '../../ranking/models/item-keys.ts';
import { scoreQuestions } from '../../ranking/models/learning/cached-ndcg.ts';
import { unpackLearnt } from '../../ranking/models/learning/learnt-blends.ts';
import { isReturn } from '../../ranking/models/learning/questions.ts';
import { cacheScores, type Fold } from '../../ranking/models/learning/score-cache.ts';
import { type Judging, sameOrder } from '../../ranking/models/learning/train-blended.ts';
import type { IndexMapping } from '../../ranking/models/model.ts';
import { servePortfolio } from '../../ranking/models/portfolio.ts';

export type Verdict = {
  isPublished: boolean;
  /** The reason as a readable sentence. */
  decision: string;
  /** Null if no comparison was possible. */
  questionCount: number | null;
  /** Mean NDCG@20. */
  quality: number | null;
  servedQuality: number | null;
  /** Questions with a right item among the first 20. */
  hitCount: number | null;
  servedHitCount: number | null;
};

/** Minimum number of questions for a comparison. */
const fewestQuestions = 30;

/** Tolerated loss, in standard errors of the difference by question. */
const toleratedErrors = 2;

/** One in this many held-out questions judges; the others teach. */
export const judgeEvery = 4;

/** Accepts models without a comparison. */
export function admit(decision: string): Verdict {
  const figures = { questionCount: null, quality: null, servedQuality: null };
  return { isPublished: true, decision, ...figures, hitCount: null, servedHitCount: null };
}

export function judge(judging: Judging, served: TrainedModels, itemKeys: ItemKeys): Verdict {
  const servedUntil = served.trainedUntil?.[0] ?? Number.POSITIVE_INFINITY;
  const folds = judging.folds.map(({ source, questions, ...fold }) => ({
    ...fold,
    source,
    questions: questions.filter(({ event }) => source.timeSeconds[event] > servedUntil),
  }));
  const questionCount = folds.reduce((sum, { questions }) => sum + questions.length, 0);
  if (questionCount < fewestQuestions) {
    return admit(`Too few events (${questionCount}) since the models in use for a comparison; published.`);
  }
  const here = sameOrder(itemKeys.keys.length);
  const scores = answer({ ...judging, folds, mapping: here, blend: judging.learnt ?? newBlend });
  const mapping = mappingOf(served, itemKeys);
  const models = servePortfolio(served, mapping);
  const blend = served.learnt ? unpackLearnt(served.learnt) : newBlend;
  const servedFolds = folds.map((fold) => ({
    ...fold,
    models: [...models, ...(fold.trends?.modelsFor(mapping) ?? [])],
  }));
  const servedScores = answer({ ...judging, folds: servedFolds, mapping, blend });
  return compareKinds(scores, servedScores);
}

/** The default blend of a new environment. */
const newBlend = { weights: defaultBlendWeights, profiles: {} };

type Blend = { weights: BlendWeights; profiles: SeedProfiles };

type Answering = Pick<Judging, 'excluded' | 'maxRecents'> & {
  folds: Fold[];
  mapping: IndexMapping;
  blend: Blend & { returning?: Blend };
};

/** NDCG@20 of each question, by kind. */
type Answers = { 'the first list of a visit': Float64Array; 'lists within a visit': Float64Array };

function answer({ blend, folds, ...options }: Answering): Answers {
  const ask = (wanted: boolean, { weights, profiles }: Blend) => {
    const asked = folds.map((fold) => ({
      ...fold,
      questions: fold.questions.filter((question) => isReturn(fold.source, question) === wanted),
    }));
    const cache = cacheScores({ ...options, profiles, folds: asked });
    return scoreQuestions(
      cache,
      Float64Array.from(cache.models, (name) => weights[name] ?? 0),
    );
  };
  return {
    'the first list of a visit': ask(true, blend.returning ?? blend),
    'lists within a visit': ask(false, blend),
  };
}

/** Refuses new models that are worse for any kind of list with enough questions. */
function compareKinds(answers: Answers, served: Answers): Verdict {
  const kinds = Object.keys(answers) as (keyof Answers)[];
  const all = (of: Answers) => Float64Array.from(kinds.flatMap((kind) => [...of[kind]]));
  const verdict = compare(all(answers), all(served));
  for (const kind of kinds.filter((one) => answers[one].length >= fewestQuestions)) {
    const { isPublished, decision } = compare(answers[kind], served[kind]);
    if (!isPublished) return { ...verdict, isPublished, decision: `For ${kind}: ${decision}` };
  }
  return verdict;
}

export function compare(scores: Float64Array, servedScores: Float64Array): Verdict {
  const differences = scores.map((score, question) => score - servedScores[question]);
  const difference = meanOf(differences);
  const squares = differences.reduce((sum, one) => sum + (one - difference) ** 2, 0);
  const error = Math.sqrt(squares) / scores.length;
  const isPublished = difference + toleratedErrors * error >= 0;
  const figures = `NDCG@20 ${meanOf(scores).toFixed(4)} against ${meanOf(servedScores).toFixed(4)} in use`;
  const range = `±${(toleratedErrors * error).toFixed(4)} on ${scores.length} questions`;
  const decision = isPublished ? 'Not worse; published' : 'Worse; the models in use are kept';
  return {
    isPublished,
    decision: `${decision}: ${figures}, ${range}.`,
    questionCount: scores.length,
    quality: meanOf(scores),
    servedQuality: meanOf(servedScores),
    hitCount: hitsOf(scores),
    servedHitCount: hitsOf(servedScores),
  };
}

/** NDCG@20 is 0 exactly if no right item is among the first 20. */
const hitsOf = (scores: Float64Array): number => scores.filter((score) => score > 0).length;

/** Maps the served models' items to this training's order; removed items have no place. */
function mappingOf({ itemKeys: table }: TrainedModels, itemKeys: ItemKeys): IndexMapping {
  const itemIndexOf = new Int32Array(stringCount(table));
  const localOf = new Int32Array(itemKeys.keys.length).fill(-1);
  for (let local = 0; local < itemIndexOf.length; local++) {
    const [itemType, itemId] = stringAt(table, local).split(keySeparator);
    const itemIndex = itemKeys.find(itemId, itemType);
    itemIndexOf[local] = itemIndex;
    if (itemIndex >= 0) localOf[itemIndex] = local;
  }
  return { localOf, itemIndexOf };
}
