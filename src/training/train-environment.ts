/**
 * Trains all models of one environment from what the database holds, into one artefact.
 *
 * Runs in a worker thread. Memory is bounded by the number of items and by `mostEvents`; the newest events count.
 */

import { createStringTable } from '../models/arrays/string-table.ts';
import { packModels, type TrainedModels } from '../models/artefact.ts';
import { createFeatureMatrixBuilder, featuresOf } from '../models/features.ts';
import { createInteractionsBuilder, type Interactions } from '../models/interactions.ts';
import { createItemKeys, type ItemKeys } from '../models/item-keys.ts';
import { packLearnt } from '../models/learning/learnt-blends.ts';
import type { Asking } from '../models/learning/questions.ts';
import { trainBlended } from '../models/learning/train-blended.ts';
import type { Database } from '../repository/database.ts';
import { type StreamedEvent, streamEvents } from '../repository/event-stream.ts';
import { findSettledSequence } from '../repository/events.ts';
import { type ItemRow, streamItems } from '../repository/items.ts';
import { categoryOf, contentOf } from './item-content.ts';

/** About 60 bytes each while training. */
const mostEvents = 5_000_000;

/** Items that events name and the catalogue does not hold (yet), categories and groups among them. */
const mostUnknownItems = 200_000;

/** Categories that get a ranking of their own. */
const mostCategories = 5_000;

/**
 * What people do next, again too: what must not come again is excluded from lists later, and the item they did last is the
 * one on display.
 */
const asking: Asking = { per: 'event', excluded: 'last', horizon: 5, maxQuestions: 1_000 };

/** Of the events: what comes between two trainings of a service that is in use. */
const sliceShare = 0.03;

export type TrainedArtefact = {
  buffer: SharedArrayBuffer;
  itemCount: number;
  /** Events that were evidence for a model. */
  eventCount: number;
};

export type TrainingOptions = {
  environment: string;
  nowMs: number;
  /** False: quickly, with the blend that a new environment begins with. */
  learns: boolean;
};

export async function trainEnvironment(
  db: Database,
  { environment, nowMs, learns }: TrainingOptions,
): Promise<TrainedArtefact> {
  const itemKeys = createItemKeys();
  const items = await readItems(db, environment, itemKeys);
  const interactions = await readEvents(db, environment, itemKeys);
  const itemCount = itemKeys.keys.length;
  const { tables, learnt } = trainBlended({
    interactions,
    asking,
    sliceShare,
    learns,
    nowSeconds: nowMs / 1000,
    features: items.features(itemCount),
    categories: { keys: items.categoryKeys, ofItem: items.categories(itemCount) },
  });
  const models: TrainedModels = { itemKeys: createStringTable(itemKeys.keys), ...tables };
  if (learnt !== undefined) models.learnt = packLearnt(learnt);
  models.fallbackOrder = orderFallback(models.trending!.order, items.publishedAt(itemCount));
  return { buffer: packModels(models), itemCount, eventCount: interactions.item.length };
}

async function readItems(db: Database, environment: string, itemKeys: ItemKeys) {
  const features = createFeatureMatrixBuilder();
  const categoryIds = new Map<string, number>();
  const itemCategories: number[] = [];
  const published: number[] = [];
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
  };
  for await (const rows of streamItems(db, environment)) rows.forEach(add);
  return {
    features: (itemCount: number) => features.finish(itemCount),
    categoryKeys: [...categoryIds.keys()],
    /** Items that only events know have no category and no moment. */
    categories: (itemCount: number) =>
      Int32Array.from({ length: itemCount }, (_, i) => itemCategories[i] ?? -1),
    publishedAt: (itemCount: number) => Float64Array.from({ length: itemCount }, (_, i) => published[i] ?? 0),
  };
}

async function readEvents(db: Database, environment: string, itemKeys: ItemKeys): Promise<Interactions> {
  const knownCount = itemKeys.keys.length;
  const resolveItem = (itemId: string, itemType?: string): number => {
    const known = itemKeys.find(itemId, itemType || undefined);
    if (known >= 0 || itemKeys.keys.length - knownCount >= mostUnknownItems) return known;
    return itemKeys.intern(itemType ?? '', itemId);
  };
  const builder = createInteractionsBuilder({ itemKeys, resolveItem });
  const settled = await findSettledSequence(db);
  const range = {
    sinceSequence: Math.max(0, settled - mostEvents),
    untilSequence: settled,
    withDetails: false,
  };
  for await (const events of streamEvents(db, environment, range)) {
    for (const event of events) {
      if (event.robot || event.itemId === undefined) continue;
      builder.add({
        subjectKey: subjectOf(event),
        itemId: event.itemId,
        itemType: event.itemType,
        eventType: event.eventType,
        timeSeconds: event.occurredAtMs / 1000,
        pageType: event.pageType,
        channel: event.channel,
        progress: event.progress,
      });
    }
  }
  return builder.finish();
}

/** Events without an identity belong to nobody: each is a subject of its own, and no two of them a pair. */
function subjectOf({ userId, deviceId, sequence }: StreamedEvent): string {
  if (userId !== undefined) return `u:${userId}`;
  return deviceId === undefined ? `e:${sequence}` : `d:${deviceId}`;
}

/** What everybody gets when nothing personal is left: trending items, then the newest ones. */
function orderFallback(trendingOrder: Int32Array, publishedAt: Float64Array): Int32Array {
  const isTrending = new Uint8Array(publishedAt.length);
  for (const item of trendingOrder) isTrending[item] = 1;
  const rest = Int32Array.from(publishedAt.keys()).filter((item) => !isTrending[item]);
  rest.sort((a, b) => publishedAt[b] - publishedAt[a] || a - b);
  const order = new Int32Array(publishedAt.length);
  order.set(trendingOrder);
  order.set(rest, trendingOrder.length);
  return order;
}
