/** Trains on one side of a split, learns the blend there too, and asks every model and the blend about the other side. */

import { createBlend } from '../../ranking/models/blend.ts';
import { type Interactions, isTimed } from '../../ranking/models/interactions.ts';
import type { LearntBlend } from '../../ranking/models/learning/learn-blend.ts';
import type { Exclusion, Question } from '../../ranking/models/learning/questions.ts';
import { latestOf } from '../../ranking/models/learning/times.ts';
import { type Blended, sameOrder, trainBlended } from '../../ranking/models/learning/train-blended.ts';
import { servePortfolio, trainPortfolio } from '../../ranking/models/portfolio.ts';
import { mostRecents } from '../../ranking/models/query.ts';
import { type ModelSettings, type ModelTables, trainedEntries } from '../../ranking/models/registry.ts';
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
import { createHistories, createRanker, orderFallback, type Ranker } from './rank.ts';

export type Evaluation = {
  protocol: ProtocolOptions;
  itemCount: number;
  eventCount: number;
  blend: Measures;
  /** Each model alone, and beside them what each subject met most, where that may be met again. */
  models: Record<string, MeasuresAlone>;
  /** What learning the blend saw on its own side of the split; undefined when there was too little to learn from. */
  learnt?: LearntBlend;
  /** What was chosen there for the models; for what is absent their defaults were used. */
  settings?: ModelSettings;
  /** Models that are better alone than the blend by more than chance explains: none where the blend is what it should be. */
  betterAlone: string[];
  fresh: FreshShare;
  /** Of the first round, with learning the blend. */
  trainSeconds: number;
  /** One request of the blend, in the mean. */
  requestMilliseconds: number;
};

export type MeasuresAlone = Measures & {
  /** NDCG of the blend less that of the model, on the questions that both were asked. */
  behind: Estimate;
};

/** Items that were first met in the test time: their share of what was recommended, and of the answers. */
export type FreshShare = { recommended: number; answers: number };

export type EvaluateOptions = {
  dataset: Dataset;
  protocol: ProtocolOptions;
  /** Interests of a history that count [as in the service; all where nothing has a time, as no part of a history is later]. */
  maxRecents?: number;
  /** Which part of what can be learnt from is, where there is more than enough [0]: how much figures depend on that. */
  seed?: number;
  /** Says what is being done. */
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

/** Without times no interest is the newest, so whole histories count. */
function recentsFor(train: Interactions): number {
  if (isTimed(train)) return mostRecents;
  const { subjectOffsets, subjectCount } = train;
  let longest = mostRecents;
  for (let subject = 0; subject < subjectCount; subject++)
    longest = Math.max(longest, subjectOffsets[subject + 1] - subjectOffsets[subject]);
  return longest;
}

/** @throws for a split by time of events that have none. */
function checkTimes({ interactions: { timeSeconds } }: Dataset, options: ProtocolOptions): void {
  if (options.protocol === 'leave-last-out' || options.testFromSeconds !== undefined) return;
  if (timeSeconds.length < 2 || timeSeconds.some((time) => time !== timeSeconds[0])) return;
  throw new Error(
    `${options.protocol} asks about the last events by time, and all of these have the same or none: take leave-last-out, or a file of what is asked about.`,
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

/** The blend is learnt in the first round and kept: what it is asked later must not teach it. */
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

/** By 1.96 standard errors of the difference. What each subject met most is no model of the blend. */
function betterAloneOf(models: Evaluation['models']): string[] {
  return Object.entries(models)
    .filter(([name, { behind }]) => name !== metMostName && behind.mean + behind.margin < 0)
    .map(([name]) => name);
}

/** The row beside the models. */
const metMostName = 'met_most';

/**
 * Some models score every item of the catalogue when they are alone, so at most so many items are scored by each; of more
 * questions they are asked some, evenly chosen.
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
  const askedAlone = (name: string) => {
    const tally = models.get(name) ?? createTallyAlone(traits);
    models.set(name, tally);
    return tally;
  };

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

/** Counts the lists of one model, and how far they are behind the blend's. */
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

/** The blend, and each model alone. */
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
  const fallback = orderFallback(tables.trending?.order ?? new Int32Array(0), itemCount);
  return { blend: createRanker(blend, { maxRecents, fallback }), alone };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}
