/**
 * Trains and judges all models of one environment from the database, into one artefact.
 *
 * Runs in a worker thread. Memory is bounded by the numbers of items and of events, newest first.
 */

import {
  declaredProperties,
  defaultFallbacks,
  type FallbackSettings,
  fallsBackOnAge,
  type ItemTypeSettings,
  type VectorDefinition,
} from '../../deployment/deployment.ts';
import { type RatingScale, usualInterpretation } from '../../events/meaning.ts';
import { createStringTable } from '../../ranking/models/arrays/string-table.ts';
import { packModels, type TrainedModels } from '../../ranking/models/artefact.ts';
import { completeWeights, type EventWeights } from '../../ranking/models/event-weights.ts';
import { orderFallback } from '../../ranking/models/fallback-order.ts';
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
import { findVectorNeighbours } from '../../ranking/models/vectors.ts';
import { parseInstant } from '../../ranking/runtime/instants.ts';
import { createItemVectors } from '../../ranking/vectors/item-vectors.ts';
import type { Database } from '../../repository/database.ts';
import { copyEvents } from '../../repository/events/event-copy.ts';
import { findNewestEvents, type NewestEvents } from '../../repository/events/event-ranges.ts';
import { positionOf } from '../../repository/feeds.ts';
import { type ItemRow, listItemFeedEnds, streamItems } from '../../repository/items/items.ts';
import type { BlendFigures } from '../../repository/training/blend-figures.ts';
import type { Watermark } from '../../repository/training/training-history.ts';
import { admit, judge, judgeEvery, type Verdict } from './judge.ts';
import type { Progress } from './progress.ts';

/** Limit of items in events but not in the catalogue (yet), with categories and groups. */
const mostUnknownItems = 200_000;

/** Categories with a ranking of their own. */
const mostCategories = 5_000;

/** Asks for the next items, repeated ones too: lists exclude consumed items later. */
const asking: Asking = { per: 'event', excluded: 'last', horizon: 5, maxQuestions: 1_000, byVisit: true };

/** Share of the events: about those between two trainings in production. */
const sliceShare = 0.06;

export type TrainingOptions = {
  environment: string;
  nowMs: number;
  /** False: trains fast with the default blend, without a comparison. */
  learns: boolean;
  /** Maximum number of events to read, newest first. */
  mostEvents: number;
} & TrainedBy;

/** The environment's settings; absent ones keep their default. */
export type TrainedBy = {
  eventWeights?: EventWeights;
  ratingScale?: RatingScale;
  fallbacks?: FallbackSettings;
  itemTypes?: ReadonlyMap<string, Pick<ItemTypeSettings, 'reconsumable'>>;
  vectors?: ReadonlyMap<string, VectorDefinition>;
};

export type TrainingTools = {
  progress: Progress;
  /** Computes the tables that are built row by row. */
  runRows: RunRows;
  /** Returns the models in use for comparison; undefined if absent or unreadable. */
  findServed(): Promise<TrainedModels | undefined>;
};

export type TrainingResult = {
  /** Undefined if the verdict keeps the models in use. */
  buffer: SharedArrayBuffer | undefined;
  verdict: Verdict;
  itemCount: number;
  /** Events that at least one model used. */
  eventCount: number;
  watermark: Watermark;
  /** Null if there was too little data to learn from. */
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
  const items = await readItems(db, options, itemKeys);
  progress.enter('events');
  const interactions = await readEvents(db, options, { itemKeys, newest, progress });
  const itemCount = itemKeys.keys.length;
  const served = learns ? await tools.findServed() : undefined;
  let verdict = admit(
    served ? 'Too little data for a comparison; published.' : 'No models in use to compare with; published.',
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
    vectorNeighbours: items.vectorNeighbours(itemCount, runRows),
    categories: { keys: items.categoryKeys, ofItem: items.categories(itemCount) },
    publishedAt: items.publicationSeconds(itemCount),
    reconsumable: items.reconsumable(itemCount),
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
  const newestOrder = orderByAge(publishedAt);
  models.fallbackOrder = orderFallback(orderTrend(models), newestOrder);
  if (fallsBackOnAge(fallbacks.steps)) models.newestOrder = newestOrder;
  return { ...common, watermark, buffer: packModels(models) };
}

/** Models never asked alone, such as that of new items, have a weight but no measured worth. */
function figuresOf({ weights, pageTypes, report }: LearntBlend): BlendFigures {
  const worths = Object.entries(report.models).map(([name, worth]) => [
    name,
    { weight: weights[name] ?? 0, ...worth },
  ]);
  const { questionCount, blend: quality } = report;
  return { questionCount, quality, models: Object.fromEntries(worths), pageTypes };
}

async function readItems(
  db: Database,
  { environment, itemTypes, vectors: definitions = new Map() }: TrainingOptions,
  itemKeys: ItemKeys,
) {
  const vectors = createItemVectors(definitions, { indexesOfId: () => [], comesBefore: (a, b) => a < b });
  const features = createFeatureMatrixBuilder();
  const categoryIds = new Map<string, number>();
  const itemCategories: number[] = [];
  const published: number[] = [];
  const declared: number[] = [];
  const reconsumable: number[] = [];
  const add = ({ itemType, itemId, document, createdAt }: ItemRow) => {
    const item = document as Record<string, unknown>;
    const local = itemKeys.intern(itemType, itemId);
    features.add(local, featuresOf(contentOf(item)));
    vectors.write(local, item);
    const category = categoryOf(item);
    if (category !== undefined && !categoryIds.has(category) && categoryIds.size < mostCategories)
      categoryIds.set(category, categoryIds.size);
    itemCategories[local] = category === undefined ? -1 : (categoryIds.get(category) ?? -1);
    const publication = parseInstant(String(item.publication_datetime));
    published[local] = Number.isNaN(publication) ? createdAt.getTime() : publication;
    declared[local] = publication / 1000;
    reconsumable[local] = Number(itemTypes?.get(itemType)?.reconsumable ?? false);
  };
  for await (const rows of streamItems(db, environment)) rows.forEach(add);
  return {
    features: (itemCount: number) => features.finish(itemCount),
    vectorNeighbours(itemCount: number, runRows: RunRows) {
      const named = vectors.rows().filter((rows) => rows.items.length > 0);
      return named.length > 0 ? findVectorNeighbours(named, itemCount, runRows) : undefined;
    },
    categoryKeys: [...categoryIds.keys()],
    /** Items known only from events have no category and no publication time. */
    categories: (itemCount: number) =>
      Int32Array.from({ length: itemCount }, (_, i) => itemCategories[i] ?? -1),
    publicationSeconds: (itemCount: number) =>
      Float64Array.from({ length: itemCount }, (_, i) => declared[i] ?? Number.NaN),
    reconsumable: (itemCount: number) =>
      Uint8Array.from({ length: itemCount }, (_, i) => reconsumable[i] ?? 0),
    publishedAt: (itemCount: number) => Float64Array.from({ length: itemCount }, (_, i) => published[i] ?? 0),
  };
}

type Reading = { itemKeys: ItemKeys; newest: NewestEvents; progress: Progress };

/** Treats each event without identity as a subject of its own, so it forms no pairs. */
async function readEvents(
  db: Database,
  options: TrainingOptions,
  { itemKeys, newest, progress }: Reading,
): Promise<Interactions> {
  const { environment, fallbacks = defaultFallbacks } = options;
  const { eventWeights = {}, ratingScale = usualInterpretation.ratingScale } = options;
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
  const interpretation = { eventWeights, ratingScale };
  const copied = { ...newest, properties, interpretation, onProgress: progress.advance };
  await copyEvents(db, environment, copied, builder.add);
  return builder.finish();
}

/** Scales trends by a factor from one half to one and a half, by click-through rate. */
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
