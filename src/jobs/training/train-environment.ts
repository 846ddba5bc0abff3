/**
 * Trains all models of one environment from what the database holds, into one artefact, and judges them by those in use.
 *
 * Runs in a worker thread. Memory is bounded by the number of items and by that of events, of which the newest count.
 */

import {
  declaredProperties,
  defaultFallbacks,
  type FallbackSettings,
  fallsBackOnAge,
} from '../../deployment/deployment.ts';
import { createStringTable } from '../../ranking/models/arrays/string-table.ts';
import { packModels, type TrainedModels } from '../../ranking/models/artefact.ts';
import { completeWeights, type EventWeights } from '../../ranking/models/event-weights.ts';
import { createFeatureMatrixBuilder, featuresOf } from '../../ranking/models/features.ts';
import { createInteractionsBuilder, type Interactions } from '../../ranking/models/interactions.ts';
import { categoryOf, contentOf } from '../../ranking/models/item-content.ts';
import { createItemKeys, type ItemKeys } from '../../ranking/models/item-keys.ts';
import type { LearntBlend } from '../../ranking/models/learning/learn-blend.ts';
import { packLearnt } from '../../ranking/models/learning/learnt-blends.ts';
import type { Asking } from '../../ranking/models/learning/questions.ts';
import { latestOf } from '../../ranking/models/learning/times.ts';
import { trainBlended } from '../../ranking/models/learning/train-blended.ts';
import type { ModelTables } from '../../ranking/models/registry.ts';
import type { RunRows } from '../../ranking/models/row-stages.ts';
import type { Database } from '../../repository/database.ts';
import { copyEvents } from '../../repository/events/event-copy.ts';
import { findNewestEvents, type NewestEvents } from '../../repository/events/event-ranges.ts';
import { positionOf } from '../../repository/feeds.ts';
import { type ItemRow, listItemFeedEnds, streamItems } from '../../repository/items/items.ts';
import type { Watermark } from '../../repository/training/training-history.ts';
import type { BlendFigures } from '../../repository/training/trainings.ts';
import { admit, judge, judgeEvery, type Verdict } from './judge.ts';
import type { Progress } from './progress.ts';

/** Items that events name and the catalogue does not hold (yet), categories and groups among them. */
const mostUnknownItems = 200_000;

/** Categories that get a ranking of their own. */
const mostCategories = 5_000;

/**
 * What people do next, again too: what must not come again is excluded from lists later, and the item they did last is the
 * one on display.
 */
const asking: Asking = { per: 'event', excluded: 'last', horizon: 5, maxQuestions: 1_000, byVisit: true };

/** Of the events: what comes between two trainings of a service that is in use. */
const sliceShare = 0.06;

export type TrainingOptions = {
  environment: string;
  nowMs: number;
  /** False: quickly, with the blend that a new environment begins with, and judged by nobody. */
  learns: boolean;
  /** Of the events; the newest are read. */
  mostEvents: number;
} & TrainedBy;

/** What the environment sets; what is absent keeps its default. */
export type TrainedBy = { eventWeights?: EventWeights; fallbacks?: FallbackSettings };

export type TrainingTools = {
  progress: Progress;
  /** Who makes the rows of tables that are made row by row. */
  runRows: RunRows;
  /** The models in use, to judge the new ones by; undefined when there are none, or none that can be read. */
  findServed(): Promise<TrainedModels | undefined>;
};

export type TrainingResult = {
  /** Undefined when the verdict is to keep the models in use. */
  buffer: SharedArrayBuffer | undefined;
  verdict: Verdict;
  itemCount: number;
  /** Events that were evidence for a model. */
  eventCount: number;
  watermark: Watermark;
  /** Null when too little was known to learn from. */
  learntBlend: BlendFigures | null;
};

export async function trainEnvironment(
  db: Database,
  options: TrainingOptions,
  tools: TrainingTools,
): Promise<TrainingResult> {
  const { environment, nowMs, learns, fallbacks = defaultFallbacks } = options;
  const { progress, runRows } = tools;
  const itemKeys = createItemKeys();
  const itemsUntil = positionOf(await listItemFeedEnds(db));
  const newest = await findNewestEvents(db, environment, options.mostEvents);
  progress.enter('items');
  const items = await readItems(db, environment, itemKeys);
  progress.enter('events');
  const interactions = await readEvents(db, options, { itemKeys, newest, progress });
  const itemCount = itemKeys.keys.length;
  const served = learns ? await tools.findServed() : undefined;
  let verdict = admit(
    served ? 'Too little is known to compare by; published.' : 'The first models; published.',
  );
  const { tables, learnt } = trainBlended({
    interactions,
    asking,
    sliceShare,
    learns,
    judgeEvery: served && judgeEvery,
    judge(judging) {
      if (served) verdict = judge(judging, served, itemKeys);
      return verdict.isPublished;
    },
    nowSeconds: nowMs / 1000,
    features: items.features(itemCount),
    categories: { keys: items.categoryKeys, ofItem: items.categories(itemCount) },
    publishedAt: items.publicationSeconds(itemCount),
    onModel: progress.enter,
    runRows,
  });
  const common = {
    ...{ verdict, itemCount, eventCount: interactions.item.length },
    learntBlend: learnt ? figuresOf(learnt) : null,
  };
  const watermark = { eventsUntil: newest.until, itemsUntil };
  if (!verdict.isPublished) return { ...common, watermark, buffer: undefined };
  const models: TrainedModels = { itemKeys: createStringTable(itemKeys.keys), ...tables };
  if (learnt !== undefined) models.learnt = packLearnt(learnt);
  models.trainedUntil = Float64Array.of(latestOf(interactions));
  const publishedAt = items.publishedAt(itemCount);
  models.fallbackOrder = orderFallback(models, publishedAt);
  if (fallsBackOnAge(fallbacks.steps)) models.newestOrder = orderByAge(publishedAt);
  return { ...common, watermark, buffer: packModels(models) };
}

/** Models that were never asked alone, as those of new items, have a weight and no worth that is known. */
function figuresOf({ weights, pageTypes, report }: LearntBlend): BlendFigures {
  const worths = Object.entries(report.models).map(([name, worth]) => [
    name,
    { weight: weights[name] ?? 0, ...worth },
  ]);
  const { questionCount, blend: quality } = report;
  return { questionCount, quality, models: Object.fromEntries(worths), pageTypes };
}

async function readItems(db: Database, environment: string, itemKeys: ItemKeys) {
  const features = createFeatureMatrixBuilder();
  const categoryIds = new Map<string, number>();
  const itemCategories: number[] = [];
  const published: number[] = [];
  const declared: number[] = [];
  const add = ({ itemType, itemId, document, createdAt }: ItemRow) => {
    const item = document as Record<string, unknown>;
    const local = itemKeys.intern(itemType, itemId);
    features.add(local, featuresOf(contentOf(item)));
    const category = categoryOf(item);
    if (category !== undefined && !categoryIds.has(category) && categoryIds.size < mostCategories) {
      categoryIds.set(category, categoryIds.size);
    }
    itemCategories[local] = category === undefined ? -1 : (categoryIds.get(category) ?? -1);
    const publication = Date.parse(String(item.publication_datetime));
    published[local] = Number.isNaN(publication) ? createdAt.getTime() : publication;
    declared[local] = publication / 1000;
  };
  for await (const rows of streamItems(db, environment)) rows.forEach(add);
  return {
    features: (itemCount: number) => features.finish(itemCount),
    categoryKeys: [...categoryIds.keys()],
    /** Items that only events know have no category and no moment. */
    categories: (itemCount: number) =>
      Int32Array.from({ length: itemCount }, (_, i) => itemCategories[i] ?? -1),
    publicationSeconds: (itemCount: number) =>
      Float64Array.from({ length: itemCount }, (_, i) => declared[i] ?? Number.NaN),
    publishedAt: (itemCount: number) => Float64Array.from({ length: itemCount }, (_, i) => published[i] ?? 0),
  };
}

type Reading = { itemKeys: ItemKeys; newest: NewestEvents; progress: Progress };

/** Events without an identity belong to nobody: each is a subject of its own, and no two of them a pair. */
async function readEvents(
  db: Database,
  { environment, eventWeights, fallbacks = defaultFallbacks }: TrainingOptions,
  { itemKeys, newest, progress }: Reading,
): Promise<Interactions> {
  const knownCount = itemKeys.keys.length;
  const resolveItem = (itemId: string, itemType?: string): number => {
    const known = itemKeys.find(itemId, itemType || undefined);
    if (known >= 0 || itemKeys.keys.length - knownCount >= mostUnknownItems) return known;
    return itemKeys.intern(itemType ?? '', itemId);
  };
  const properties = declaredProperties(fallbacks.segments);
  const builder = createInteractionsBuilder({
    itemKeys,
    resolveItem,
    properties,
    eventWeights: completeWeights(eventWeights),
  });
  await copyEvents(db, environment, { ...newest, properties, onProgress: progress.advance }, builder.add);
  return builder.finish();
}

/** A trend counts up to half as much again, or half as much, as people turn to the item when it is shown or do not. */
function orderTrend({ trending, clickThrough }: ModelTables): Int32Array {
  const { order, scores } = trending!;
  if (clickThrough === undefined) return order;
  const worth = scores.map((score, item) => score * (1 + clickThrough.scores[item] / 2));
  return order.slice().sort((a, b) => worth[b] - worth[a] || a - b);
}

function orderByAge(publishedAt: Float64Array): Int32Array {
  const order = Int32Array.from(publishedAt.keys());
  return order.sort((a, b) => publishedAt[b] - publishedAt[a] || a - b);
}

/** What everybody gets when nothing personal is left: trending items, then the newest ones. */
function orderFallback(models: ModelTables, publishedAt: Float64Array): Int32Array {
  const trendingOrder = orderTrend(models);
  const isTrending = new Uint8Array(publishedAt.length);
  for (const item of trendingOrder) isTrending[item] = 1;
  const rest = orderByAge(publishedAt).filter((item) => !isTrending[item]);
  const order = new Int32Array(publishedAt.length);
  order.set(trendingOrder);
  order.set(rest, trendingOrder.length);
  return order;
}
