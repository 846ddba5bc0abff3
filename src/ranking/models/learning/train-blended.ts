/** Trains all models and their blend: without held-out events to learn it, then on all. */

import { type Interactions, isTimed } from '../interactions.ts';
import { type PortfolioInput, servePortfolio, trainPortfolio } from '../portfolio.ts';
import { mostRecents } from '../query.ts';
import { type ModelSettings, type ModelTables, trainedEntries } from '../registry.ts';
import { interestCategories } from '../trends/trends.ts';
import { type ChooseOptions, chooseSettings } from './choose-settings.ts';
import { type HeldOut, holdOut } from './held-out.ts';
import { type LearntBlend, learnBlend } from './learn-blend.ts';
import { type Asking, type Exclusion, selectEvents } from './questions.ts';
import type { Fold } from './score-cache.ts';
import { latestOf } from './times.ts';
import { createTrendReplay } from './trend-replay.ts';

export type BlendedInput = PortfolioInput & {
  /** Questions that the blend is optimised for. */
  asking: Asking;
  maxRecents?: number;
  /** See HoldOutOptions. */
  sliceShare?: number;
  /** False trains quickly, with the initial blend and default settings [true]. */
  learns?: boolean;
  /** Selects the subjects and questions if there are too many [0]. */
  seed?: number;
  /** Stride of questions reserved for judging; at least 2 [none]. */
  judgeEvery?: number;
  /**
   * Judges the learnt blend with models trained without held-out events. If false, nothing is
   * trained on all events and the tables are empty.
   */
  judge?: (judging: Judging) => boolean;
};

/** Questions unseen by models and weights. Without a learnt blend, the initial one applies. */
export type Judging = {
  learnt?: LearntBlend;
  folds: Fold[];
  excluded: Exclusion;
  maxRecents: number;
};

export type Blended = {
  tables: ModelTables;
  /** Undefined with too few data. */
  learnt?: LearntBlend;
  settings?: ModelSettings;
};

/** Fewer answers give random weights. */
const fewestQuestions = 30;
/** Enough for stable weights; more cost time. */
// Four times as many changed nothing on Serenade (0.4607 and 0.4609) in 1.5 times the time.
const mostQuestions = 1200;
const wantedQuestions = 400;

/** Beyond this, learning samples subjects, which bounds the added training time. */
const mostLearningEvents = 1_000_000;

export function trainBlended(input: BlendedInput): Blended {
  const { interactions, asking, maxRecents = mostRecents, learns = true, seed = 0 } = input;
  if (!learns) return { tables: trainPortfolio({ ...input, nowSeconds: momentOfTrend(input) }) };
  const sample = sampleSubjects(interactions, mostLearningEvents, seed);
  const heldOut = holdOut(sample, {
    asking: { maxQuestions: mostQuestions, seed, ...asking },
    wantedQuestions: wantedQuestions,
    sliceShare: input.sliceShare,
  });
  const mapping = sameOrder(interactions.itemCount);
  const { learnt: known, judged } = splitQuestions(heldOut, input.judgeEvery);
  const found = known.reduce((sum, { questions }) => sum + questions.length, 0);
  const isEnough = found >= fewestQuestions;
  const learning = { heldOut: known, mapping, excluded: asking.excluded, maxRecents, seed };
  input.onModel?.('settings');
  const settings = isEnough ? { ...chooseSettings(learning), ...input.settings } : input.settings;
  const chosen = { ...input, settings };
  const { learnt, kept, folds = [] } = isEnough ? learnFrom(chosen, learning) : {};
  if (folds.length > 0 && input.judge) {
    input.onModel?.('judging');
    const asked = folds.map((fold, at) => ({ ...fold, questions: judged[at] }));
    if (!input.judge({ learnt, folds: asked, excluded: asking.excluded, maxRecents }))
      return { tables: {}, learnt, settings };
  }
  input.onModel?.('all_events');
  const tables = trainPortfolio({ ...chosen, nowSeconds: momentOfTrend(input), kept });
  return { tables, learnt, settings };
}

/** Returns the trend's time. Old logs end it early: by now all events would have decayed. */
function momentOfTrend({ interactions, nowSeconds }: BlendedInput): number {
  return Math.min(latestOf(interactions), nowSeconds);
}

/** Reserves every n-th question of each slice for judging. */
function splitQuestions(heldOut: HeldOut[], judgeEvery = Number.POSITIVE_INFINITY) {
  const isJudged = (place: number) => (place + 1) % judgeEvery === 0;
  return {
    learnt: heldOut.map((slice) => ({
      ...slice,
      questions: slice.questions.filter((_, place) => !isJudged(place)),
    })),
    judged: heldOut.map(({ questions }) => questions.filter((_, place) => isJudged(place))),
  };
}

/** Share of events: if less is held out, slow models are not retrained. */
const negligibleShare = 0.02;

function learnFrom(input: BlendedInput, { heldOut, ...learning }: ChooseOptions) {
  const trained = heldOut.map(({ train }) =>
    trainPortfolio({ ...input, interactions: train, nowSeconds: latestOf(train) }),
  );
  const folds = heldOut.map(({ source, questions, parts }, fold): Fold => {
    const served = servePortfolio(trained[fold], learning.mapping);
    const asked = { source, questions, parts, recents: new Map() };
    if (!input.asking.byVisit || !isTimed(source)) return { models: served, ...asked };
    const trends = createTrendReplay(source, input);
    return { models: [...served, ...trends.modelsFor(learning.mapping)], ...asked, trends };
  });
  input.onModel?.('blend');
  const known = heldOut[0].train.item.length;
  const isNearlyAll = known >= (1 - negligibleShare) * input.interactions.item.length;
  const categoryOf = input.categories && interestCategories(input.categories);
  const learnt = learnBlend({ folds, ...learning, byVisit: input.asking.byVisit, categoryOf });
  // Without any answer found, nothing is learnt.
  return {
    learnt: learnt.report.blend > 0 ? learnt : undefined,
    kept: isNearlyAll ? slowOnes(trained[0]) : {},
    folds,
  };
}

function slowOnes(tables: ModelTables): ModelTables {
  const slow = trainedEntries.filter(([, { isSlow }]) => isSlow).map(([key]) => [key, tables[key]]);
  return Object.fromEntries(slow);
}

/** Returns all events of evenly chosen subjects. */
function sampleSubjects(interactions: Interactions, mostEvents: number, seed: number): Interactions {
  const { subjectOffsets, subjectCount, item } = interactions;
  if (item.length <= mostEvents) return interactions;
  const stride = Math.ceil(item.length / mostEvents);
  const isChosen = new Uint8Array(item.length);
  for (let subject = seed % stride; subject < subjectCount; subject += stride) {
    isChosen.fill(1, subjectOffsets[subject], subjectOffsets[subject + 1]);
  }
  const { exposures } = interactions;
  return { ...selectEvents(interactions, (event) => isChosen[event] === 1), exposures };
}

/** Maps a catalogue that equals the trained items. */
export function sameOrder(itemCount: number) {
  const indexes = Int32Array.from({ length: itemCount }, (_, item) => item);
  return { localOf: indexes, itemIndexOf: indexes };
}
