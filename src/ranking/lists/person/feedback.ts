/** Finds disliked and unfinished items in a history. */

import type { ItemTypeSettings } from '../../../deployment/deployment.ts';
import { type Opinion, opinionOf } from '../../../events/meaning.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import type { HistoryEntry } from '../../history.ts';
import type { EventWeights } from '../../models/event-weights.ts';
import type { Recent } from '../../models/query.ts';
import { bindQuery } from '../../rules/bind.ts';
import type { BoundPreference } from '../../rules/bind-configuration.ts';

export type Feedback = {
  /** Items whose latest opinion is negative, latest first. */
  disliked: Recent[];
  /** Disliked items and groups, with all members of their groups. */
  removed: ReadonlySet<number>;
  /** Items whose latest checkpoint is below the progress that consumes them, with its time. */
  unfinished: ReadonlyMap<number, number>;
  /** Values of which the subject wants less, by property, such as a brand. */
  lessOf: ReadonlyMap<string, readonly string[]>;
};

/** Values of `lessOf` that count, latest first. */
const mostLessOf = 20;

export type FeedbackOptions = {
  catalog: Catalog;
  itemTypes: ReadonlyMap<string, ItemTypeSettings>;
  eventWeights?: EventWeights;
  nowSeconds: number;
  /** Returns the catalogue position of an entry's item. */
  itemIndexOf(entry: HistoryEntry): number | undefined;
};

type Latest<Value> = Map<number, { atSeconds: number; itemIndex: number | undefined; value: Value }>;

/** @param entries At equal times, earlier ones win. */
export function readFeedback(entries: Iterable<HistoryEntry>, options: FeedbackOptions): Feedback {
  const { catalog, itemTypes, eventWeights = {}, nowSeconds, itemIndexOf } = options;
  const opinions: Latest<Opinion> = new Map();
  const progress: Latest<number> = new Map();
  const values: ValueOpinions = new Map();
  for (const entry of entries) {
    const { eventType, qualifier } = entry;
    if (qualifier === undefined) continue;
    const itemIndex = itemIndexOf(entry);
    const opinion = opinionOf(eventType, qualifier, eventWeights);
    if (opinion !== undefined && namesValue(entry, options)) noteValue(values, entry, opinion);
    else if (opinion !== undefined)
      note(opinions, subjectOf(entry, itemIndex, catalog), entry, itemIndex, opinion);
    else if (eventType === 'checkpoint') note(progress, itemIndex, entry, itemIndex, Number(qualifier));
  }
  const disliked = [...opinions].filter(([, { value }]) => value < 0);
  return {
    disliked: disliked
      .filter(([, { itemIndex }]) => itemIndex !== undefined)
      .map(([, { itemIndex, atSeconds }]) => ({ itemIndex, ageSeconds: nowSeconds - atSeconds, weight: 1 }))
      .sort((a, b) => a.ageSeconds - b.ageSeconds),
    removed: new Set(disliked.flatMap(([key]) => (key < 0 ? catalog.groups.membersOf(~key) : [key]))),
    unfinished: new Map(
      [...progress]
        .filter(([item, { value }]) => value < percentOf(item, catalog, itemTypes))
        .map(([item, { atSeconds }]) => [item, atSeconds]),
    ),
    lessOf: dislikedValues(values),
  };
}

/** Whether an entry is about a value of a property instead of an item or group. */
function namesValue(
  { eventType, itemType }: HistoryEntry,
  { catalog, itemTypes }: Pick<FeedbackOptions, 'catalog' | 'itemTypes'>,
): boolean {
  if (eventType !== 'group_interaction' || itemTypes.has(itemType)) return false;
  return itemType !== 'group_id' && catalog.column(itemType)?.coded !== undefined;
}

type ValueOpinions = Map<string, { entry: HistoryEntry; opinion: Opinion }>;

function noteValue(latest: ValueOpinions, entry: HistoryEntry, opinion: Opinion): void {
  const key = `${entry.itemType}\t${entry.itemId}`;
  if ((latest.get(key)?.entry.occurredAtSeconds ?? Number.NEGATIVE_INFINITY) < entry.occurredAtSeconds)
    latest.set(key, { entry, opinion });
}

export const noValues: Feedback['lessOf'] = new Map();

function dislikedValues(latest: ValueOpinions): Feedback['lessOf'] {
  if (latest.size === 0) return noValues;
  const disliked = [...latest.values()].filter(({ opinion }) => opinion < 0).map(({ entry }) => entry);
  disliked.sort((a, b) => b.occurredAtSeconds - a.occurredAtSeconds);
  const byProperty = Map.groupBy(disliked.slice(0, mostLessOf), ({ itemType }) => itemType);
  return new Map(Array.from(byProperty, ([key, entries]) => [key, entries.map(({ itemId }) => itemId)]));
}

/** Each property counts once, like a preference of the weight -1. */
export function buryValues(lessOf: Feedback['lessOf'], catalog: Catalog, nowMs: number): BoundPreference[] {
  return Array.from(lessOf, ([key, values]) => {
    const operands = values.map((value) => ({ value }));
    const test = { operator: 'equals', operands, quantifier: 'any', negated: false } as const;
    const binding = bindQuery({ key, tests: [test] }, { catalog, variables: () => undefined, nowMs });
    const has = binding.outcome === 'bound' ? binding.query.createMatcher() : () => false;
    const set = { has, count: Number.POSITIVE_INFINITY, isExact: false };
    return { preferenceIndex: -1, set, weight: -1 };
  });
}

function note<Value>(
  latest: Latest<Value>,
  key: number | undefined,
  { occurredAtSeconds: atSeconds }: HistoryEntry,
  itemIndex: number | undefined,
  value: Value,
): void {
  if (key === undefined || (latest.get(key)?.atSeconds ?? Number.NEGATIVE_INFINITY) >= atSeconds) return;
  latest.set(key, { atSeconds, itemIndex, value });
}

/** Returns the item, or the complement of its group's code: an opinion concerns the whole group. */
function subjectOf(
  { itemId }: HistoryEntry,
  itemIndex: number | undefined,
  catalog: Catalog,
): number | undefined {
  const { groups } = catalog;
  if (groups.count === 0) return itemIndex;
  const codeOf = () => catalog.column('group_id')!.keyOf!(itemId) as number | undefined;
  const code = itemIndex === undefined ? codeOf() : groups.of(itemIndex);
  return code === undefined || code < 0 ? itemIndex : ~code;
}

function percentOf(itemIndex: number, catalog: Catalog, itemTypes: FeedbackOptions['itemTypes']): number {
  return itemTypes.get(catalog.itemTypeAt(itemIndex))?.consumedAtPercent ?? 0;
}
