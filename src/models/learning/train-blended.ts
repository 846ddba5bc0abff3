/** Trains all models and how they are blended: first on what is not held back, to learn the blend, then on everything. */

import {
  type PortfolioInput,
  type PortfolioSettings,
  type PortfolioTables,
  servePortfolio,
  trainPortfolio,
} from '../portfolio.ts';
import { MAX_RECENTS } from '../query.ts';
import { type ChooseOptions, chooseSettings } from './choose-settings.ts';
import { holdOut } from './held-out.ts';
import { type LearntBlend, learnBlend } from './learn-blend.ts';
import type { Asking } from './questions.ts';
import type { Fold } from './score-cache.ts';
import { latestOf } from './times.ts';

export type BlendedInput = Omit<PortfolioInput, 'nowSeconds'> & {
  /** What the blend shall be good at. */
  asking: Asking;
  maxRecents?: number;
};

export type Blended = {
  tables: PortfolioTables;
  /** Undefined when too little was known to learn from. */
  learnt?: LearntBlend;
  settings?: PortfolioSettings;
};

/** Weights from fewer answers than this would be chance. */
const FEWEST_QUESTIONS = 30;
/** Enough for weights that hold; more cost time. */
const MOST_QUESTIONS = 1500;
const WANTED_QUESTIONS = 400;

export function trainBlended(input: BlendedInput): Blended {
  const { interactions, asking, maxRecents = MAX_RECENTS } = input;
  const heldOut = holdOut(interactions, { maxQuestions: MOST_QUESTIONS, ...asking }, WANTED_QUESTIONS);
  const mapping = sameOrder(interactions.itemCount);
  const found = heldOut.reduce((sum, { questions }) => sum + questions.length, 0);
  const isEnough = found >= FEWEST_QUESTIONS;
  const learning = { heldOut, mapping, repeats: asking.repeats, maxRecents };
  input.onModel?.('settings');
  const settings = isEnough ? { ...chooseSettings(learning), ...input.settings } : input.settings;
  const chosen = { ...input, settings };
  const learnt = isEnough ? learnFrom(chosen, learning) : undefined;
  return { tables: trainPortfolio({ ...chosen, nowSeconds: latestOf(interactions) }), learnt, settings };
}

function learnFrom(input: BlendedInput, { heldOut, ...learning }: ChooseOptions): LearntBlend {
  const folds = heldOut.map(({ train, source, questions }): Fold => {
    const tables = trainPortfolio({ ...input, interactions: train, nowSeconds: latestOf(train) });
    return { models: servePortfolio(tables, learning.mapping), source, questions };
  });
  input.onModel?.('blend');
  return learnBlend({ folds, ...learning });
}

/** A catalogue that is what was trained on. */
export function sameOrder(itemCount: number) {
  const indexes = Int32Array.from({ length: itemCount }, (_, item) => item);
  return { localOf: indexes, itemIndexOf: indexes };
}
