/** Trains models and their blend on one side of a split and tests each on the other side. */

import { createBlend } from '../../ranking/models/blend.ts';
import { orderFallback } from '../../ranking/models/fallback-order.ts';
import { type Interactions, isTimed } from '../../ranking/models/interactions.ts';
import type { LearntBlend } from '../../ranking/models/learning/learn-blend.ts';
import type { Exclusion, Question } from '../../ranking/models/learning/questions.ts';
import { latestOf } from '../../ranking/models/learning/times.ts';
import { type Blended, sameOrder, trainBlended } from '../../ranking/models/learning/train-blended.ts';
import { servePortfolio, trainPortfolio } from '../../ranking/models/portfolio.ts';
import { mostRecents } from '../../ranking/models/query.ts';
import { type ModelSettings, type ModelTables, trainedEntries } from '../../ranking/models/registry.ts';
import { getOrAdd } from '../../ranking/runtime/get-or-add.ts';
import type { Dataset } from './dataset.ts';
import { traitsOf } from './item-traits.ts';
import { createMetMost } from './met-most.ts';
import {
  createTally,
  type Estimate,
  estimate,
  type IsMet,
  type ItemTraits,
  type Measures,
} from './metrics.ts';
import {
  askingOf,
  exclusionOf,
  type ProtocolOptions,
  type Split,
  sliceShareOf,
  splitBy,
} from './protocols.ts';
import { createHistories, createRanker, type Ranker } from './rank.ts';

export type Evaluation = {
  protocol: ProtocolOptions;
  itemCount: number;
  eventCount: number;
  blend: Measures;
  /** Each model alone, and the met-most baseline if lists may repeat items. */
  models: Record<string, MeasuresAlone>;
  /** The blend learned on the training side; undefined if there was too little data. */
  learnt?: LearntBlend;
  /** Model settings chosen on the training side; absent ones are defaults. */
  settings?: ModelSettings;
  /** Models significantly better alone than the blend; empty unless the blend has failed. */
  betterAlone: string[];
  fresh: FreshShare;
  /** Duration of the first round, including learning the blend. */
  trainSeconds: number;
  /** Mean duration of a request to the blend. */
  requestMilliseconds: number;
};

export type MeasuresAlone = Measures & {
  /** NDCG of the blend minus that of the model, on the questions that both answered. */
  behind: Estimate;
};

/** Share of items first seen in the test period, in the lists and in the answers. */
export type FreshShare = { recommended: number; answers: number };

export type EvaluateOptions = {
  dataset: Dataset;
  protocol: ProtocolOptions;
  /** Interests used from a history [as in the service; without times, all]. */
  maxRecents?: number;
  /** Seed for sampling surplus training questions [0]; shows how much results depend on it. */
  seed?: number;
  /** Reports progress. */
  say?: (text: string) => void;
};

export function evaluate(options: EvaluateOptions): Evaluation {
  const { dataset, protocol, seed, say = () => {} } = options;
  checkTimes(dataset, protocol);
  const splits = splitBy(dataset.interactions, protocol);
  const { maxRecents = recentsFor(splits[0].train) } = options;
  const run = createRun(dataset, splits[0]);
  let learning: Pick<Blended, 'learnt' | 'settings'> | undefined;
  let trainSeconds = 0;
  splits.forEach((split, round) => {
    say(`Round ${round + 1} of ${splits.length}: training on ${split.train.item.length} events …`);
    const startMs = performance.now();
    const trained = trainRound({ dataset, split, protocol, maxRecents, seed, learning, say });
    if (round === 0) trainSeconds = (performance.now() - startMs) / 1000;
    learning = trained;
    say(`Asking ${split.questions.length} questions …`);
    run.ask(split, trained.tables, { learnt: trained.learnt, maxRecents, excluded: exclusionOf(protocol) });
  });
  const { interactions } = dataset;
  const figures = run.finish();
  return {
    protocol,
    itemCount: interactions.itemCount,
    eventCount: interactions.item.length,
    ...figures,
    betterAlone: betterAloneOf(figures.models),
    learnt: learning?.learnt,
    settings: learning?.settings,
    trainSeconds,
  };
}

/** Uses whole histories if events have no times, since no interest is the newest. */
function recentsFor(train: Interactions): number {
  if (isTimed(train)) return mostRecents;
  const { subjectOffsets, subjectCount } = train;
  let longest = mostRecents;
  for (let subject = 0; subject < subjectCount; subject++)
    longest = Math.max(longest, subjectOffsets[subject + 1] - subjectOffsets[subject]);
  return longest;
}

/** @throws for a split by time of events without times. */
function checkTimes({ interactions: { timeSeconds } }: Dataset, options: ProtocolOptions): void {
  if (options.protocol === 'leave-last-out' || options.testFromSeconds !== undefined) return;
  if (timeSeconds.length < 2 || timeSeconds.some((time) => time !== timeSeconds[0])) return;
  throw new Error(
    `${options.protocol} predicts the latest events, but all events have the same time or none. Use leave-last-out, or a file of the events to predict.`,
  );
}

type Round = {
  dataset: Dataset;
  split: Split;
  protocol: ProtocolOptions;
  maxRecents: number;
  seed?: number;
  learning: Pick<Blended, 'learnt' | 'settings'> | undefined;
  say: (text: string) => void;
};

/** Learns the blend only in the first round, so that later questions do not leak into it. */
function trainRound({ dataset, split, protocol, maxRecents, seed, learning, say }: Round): Blended {
  const { features } = dataset;
  const interactions = split.train;
  const onModel = (name: string) => say(`  ${name}`);
  if (learning === undefined) {
    return trainBlended({
      interactions,
      features,
      maxRecents,
      nowSeconds: latestOf(interactions),
      asking: askingOf(protocol),
      sliceShare: sliceShareOf(protocol),
      seed,
      onModel,
    });
  }
  const { learnt, settings } = learning;
  const tables = trainPortfolio({ interactions, features, settings, nowSeconds: latestOf(interactions) });
  return { tables, learnt, settings };
}

/** Applies a margin of 1.96 standard errors and ignores the met-most baseline. */
function betterAloneOf(models: Evaluation['models']): string[] {
  return Object.entries(models)
    .filter(([name, { behind }]) => name !== metMostName && behind.mean + behind.margin < 0)
    .map(([name]) => name);
}

/** The baseline's row beside the models. */
const metMostName = 'met_most';

/**
 * Limits the items scored by each model alone, since some score the whole catalogue; with more
 * questions, each model answers an even sample.
 */
const mostScoredAlone = 4e8;

type AskOptions = { learnt: LearntBlend | undefined; maxRecents: number; excluded: Exclusion };

/** Collects the lists of all rounds. */
function createRun({ interactions, features }: Dataset, first: Split) {
  const isOld = new Uint8Array(interactions.itemCount);
  for (const item of first.train.item) isOld[item] = 1;
  const traits = traitsOf(first.train, features);
  const blendTally = createTally(traits);
  const models = new Map<string, ReturnType<typeof createTallyAlone>>();
  const fresh = { recommended: 0, listed: 0, answers: 0, asked: 0 };
  let spentMs = 0;

  const countFresh = (list: Int32Array, answers: Int32Array) => {
    for (const item of list) fresh.recommended += 1 - isOld[item];
    for (const item of answers) fresh.answers += 1 - isOld[item];
    fresh.listed += list.length;
    fresh.asked += answers.length;
  };
  const askedAlone = (name: string) => getOrAdd(models, name, () => createTallyAlone(traits));

  return {
    ask({ source, train, questions }: Split, tables: ModelTables, options: AskOptions): void {
      const { blend, alone } = createRankers(tables, interactions.itemCount, options);
      if (options.excluded !== 'met') alone.push([metMostName, createMetMost(source, train)]);
      const withHistory = createHistories(source, options.maxRecents, options.excluded);
      const stride = Math.max(1, Math.ceil((questions.length * interactions.itemCount) / mostScoredAlone));
      questions.forEach((question, place) => {
        const { subject, answers } = question;
        const isMet = options.excluded === 'met' ? undefined : metBefore(source, question);
        withHistory(question, (asked) => {
          const startMs = performance.now();
          const list = blend.rank(asked);
          spentMs += performance.now() - startMs;
          const ndcg = blendTally.add(subject, list, answers, isMet);
          countFresh(list, answers);
          if (place % stride !== 0) return;
          for (const [name, ranker] of alone) askedAlone(name).add(question, ranker.rank(asked), ndcg, isMet);
        });
      });
    },
    finish() {
      const blend = blendTally.finish();
      return {
        blend,
        models: Object.fromEntries(Array.from(models, ([name, tally]) => [name, tally.finish()])),
        fresh: {
          recommended: share(fresh.recommended, fresh.listed),
          answers: share(fresh.answers, fresh.asked),
        },
        requestMilliseconds: share(spentMs, blend.questionCount),
      };
    },
  };
}

/** Measures one model's lists and their loss against the blend's. */
function createTallyAlone(traits: ItemTraits) {
  const tally = createTally(traits);
  const losses: number[] = [];
  const subjects: number[] = [];
  return {
    add({ subject, answers }: Question, list: Int32Array, blendNdcg: number, isMet?: IsMet): void {
      losses.push(blendNdcg - tally.add(subject, list, answers, isMet));
      subjects.push(subject);
    },
    finish: (): MeasuresAlone => ({ ...tally.finish(), behind: estimate(losses, subjects) }),
  };
}

function metBefore({ subjectOffsets, item }: Interactions, { subject, event }: Question): IsMet {
  const met = new Set(item.subarray(subjectOffsets[subject], event));
  return (one) => met.has(one);
}

/** Creates rankers for the blend and for each model alone. */
function createRankers(tables: ModelTables, itemCount: number, { learnt, maxRecents }: AskOptions) {
  const mapping = sameOrder(itemCount);
  const { weights, profiles } = learnt ?? {};
  const alone = trainedEntries.flatMap(([key, { name, algorithm, serveAlone }]): [string, Ranker][] => {
    if (tables[key] === undefined) return [];
    const model = serveAlone?.(tables[key], mapping) ?? algorithm.serve(tables[key], mapping);
    const single = createBlend({ mapping, models: [model], weights: { [name]: 1 }, profiles });
    return [[name, createRanker(single, { maxRecents, everything: serveAlone !== undefined })]];
  });
  const blend = createBlend({ mapping, models: servePortfolio(tables, mapping), weights, profiles });
  const items = Int32Array.from({ length: itemCount }, (_, item) => item);
  const fallback = orderFallback(tables.trending?.order ?? new Int32Array(0), items);
  return { blend: createRanker(blend, { maxRecents, fallback }), alone };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
