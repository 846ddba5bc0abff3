/**
 * Ranks the whole catalogue for a request: personal and context scores, then the fallbacks.
 *
 * Reads lazily, as composing needs. One per thread: a list is composed before the next request
 * starts.
 */

import type { FallbackStep, Purpose } from '../../deployment/deployment.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { grown } from '../catalog/growth.ts';
import type { ServingModels } from '../environment/serving-models.ts';
import type { Weighting } from '../environment/weightings.ts';
import {
  type Blend,
  createScorer,
  type Explanation,
  type ScoreRequest,
  type Scorer,
} from '../models/blend.ts';
import { calibrate, calibratedDepth, usualCalibration } from '../models/calibration.ts';
import type { CandidateStream } from '../rules/candidate-stream.ts';
import type { SimilarItems } from '../vectors/item-vectors.ts';
import { createFallbacks, type FallbackSource, type Fallbacks } from './fallbacks.ts';
import {
  agesItems,
  type FreshnessContext,
  freshnessOf,
  type HalfLives,
  orderByFreshness,
} from './freshness.ts';
import { isMixed, mixSimilar } from './mix-similar.ts';
import { leadStream, type Rotation, rotate, rotationDepth, tiredLast } from './reordered-stream.ts';

/** Candidates ranked by models: enough for the longest list, ten times the usual one. */
const scoredLimit = 1_000;

/** Scored candidates read at a time: about half of what the usual list needs. */
const scoredChunk = 128;

export type CandidateRequest = Omit<ScoreRequest, 'limit'> & {
  models: ServingModels;
  catalog: Catalog;
  weighting: Weighting;
  /** Use the fallbacks only, without models. */
  impersonal: boolean;
  fallbacks: readonly FallbackStep[];
  /** Rows of the segments for the fallbacks, nearest first. */
  fallbackSegments: readonly number[];
  /** Purpose with seeds of its own [the subject's interests]. */
  purpose?: Purpose;
  /** Items before all others [none]. */
  lead?: readonly number[];
  /** The items that resemble the request's vector: the lead, or mixed with the others. */
  similar?: SimilarItems;
  /** Whether the subject's last event was before this visit [false]. */
  isReturning?: boolean;
  /** Category shares that lists follow, as far as they or the models say [not at all]. */
  calibration?: Interests;
  nowMs: number;
};

export type Interests = {
  shares: ReadonlyMap<string, number>;
  categoryOf(itemIndex: number): string | undefined;
  /** Whether only lists that ask for it follow them. */
  isOptional: boolean;
};

/** Candidates examined for a rotated list: under a millisecond even if few pass its rules. */
const mostLookedAt = 20_000;

/** How one list reorders its candidates. */
export type ListOrder = {
  halfLives: HalfLives;
  rotation?: Rotation;
  /** Strength of the calibration [learnt, or usual]. */
  calibration?: number;
  listSize: number;
  /** Items that come after the others [none]. */
  tired?: ReadonlySet<number>;
};

/**
 * Maps a candidate to the item that represents it in a list: itself, or one item for its whole
 * group if the list collapses groups. Undefined if the list may not contain it.
 */
export type ListedAs = (itemIndex: number) => number | undefined;

export type Candidates = {
  /** Scores the request and starts reading its candidates; valid until the next call. */
  begin(request: CandidateRequest): void;
  /**
   * Reads the same candidates from the beginning, in the order of one list.
   * @param listedAs Limits rotation and tired items to what the list may contain.
   */
  stream(order: ListOrder, listedAs: ListedAs): CandidateStream;
  /** Returns the parts of an item's score; undefined if no model scored it. */
  explain(itemIndex: number): Explanation | undefined;
  /** Reads all candidates that models scored, best first; valid until the next call. */
  readScored(): Int32Array;
  /** Returns 0 if no model scored the item. */
  scoreOf(itemIndex: number): number;
  /** Scored items read so far. */
  readonly scoredCount: number;
  /** Returns the source of an item, or its likely source if it has not been read. */
  sourceOf(itemIndex: number): CandidateSource;
};

export type CandidateSource = 'scored' | 'vector' | FallbackSource;

export function createCandidates(): Candidates {
  const scorer = createScorer({ itemCount: 0 });
  const fallbacks = createFallbacks();
  const reading = createReading(scorer, fallbacks);
  let current: CandidateRequest;
  let blend: Blend | undefined;

  /** Estimates a place between the scored items read and the unscored ones, by score. */
  const placeOfScore = (score: number): number => {
    const { scoredCount, scoredEnd } = reading;
    return scoredEnd - (scoredEnd - scoredCount) * Math.min(1, score / scorer.scores[scoredCount - 1]);
  };

  const positionOf = (itemIndex: number): number => {
    const { scoredCount, scoredEnd } = reading;
    const score = scoredCount > 0 && scoredCount < scoredEnd ? scorer.scoreAt(itemIndex) : 0;
    return score > 0 ? placeOfScore(score) : scoredLimit + fallbacks.placeOf(itemIndex);
  };

  /** Starts with the candidates already read; a stream of the same request shares them. */
  const plain = (): CandidateStream => ({
    get items() {
      return reading.items;
    },
    get count() {
      return reading.count;
    },
    more: reading.readOn,
    positionOf,
  });

  return {
    begin(request) {
      current = request;
      reading.begin(request);
      const { models, weighting, impersonal, purpose, isReturning } = request;
      blend = undefined;
      if (impersonal) return;
      const own = purpose && models.purposeBlendFor(weighting, purpose);
      blend = own ?? models.blendFor(weighting, request.segments, isReturning);
      if (isMixed(request.similar)) blend = mixSimilar(blend, request.similar, request.catalog.itemCount);
      scorer.begin(blend, { ...request, limit: scoredLimit });
    },
    stream(given, listedAs) {
      const calibration = strengthOf(given, current, blend);
      const order = { ...given, calibration, tired: tiredOf(given, current, scorer) };
      const readsPlaces = order.rotation !== undefined || order.tired !== undefined;
      const isPlain = !readsPlaces && !agesItems(order.halfLives) && calibration === 0;
      const about = { scores: scorer.scores, request: current, listedAs };
      const places = isPlain ? [] : orderHead(reading, order, about);
      const head = [...(current.lead ?? []), ...Array.from(places, (place) => reading.items[place])];
      return head.length > 0 ? leadStream(plain(), head) : plain();
    },
    readScored() {
      reading.readScored(scoredLimit);
      return reading.items.subarray(0, reading.scoredCount);
    },
    explain: (itemIndex) => explainItem(itemIndex, current, scorer),
    scoreOf: (itemIndex) => (current.impersonal ? 0 : scorer.scoreAt(itemIndex)),
    get scoredCount() {
      return reading.scoredCount;
    },
    sourceOf(itemIndex) {
      if (current.similar?.items.includes(itemIndex)) return 'vector';
      if (current.lead?.includes(itemIndex) || (!current.impersonal && scorer.scoreAt(itemIndex) !== 0))
        return 'scored';
      return reading.sourceOf(itemIndex) ?? fallbacks.sourceOf(itemIndex);
    },
  };
}

/** Explains a similar item by its similarity and the items that it should resemble. */
function explainItem(itemIndex: number, request: CandidateRequest, scorer: Scorer): Explanation | undefined {
  const { similar, impersonal } = request;
  const place = similar?.items.indexOf(itemIndex) ?? -1;
  if (place < 0 || (isMixed(similar) && !impersonal))
    return impersonal ? undefined : scorer.explain(itemIndex);
  const { similarities, liked } = similar!;
  const score = similarities[place];
  const reasons = liked.map((seedItemIndex) => ({ seedItemIndex, score: score / liked.length }));
  return { score, parts: [{ model: 'vector', weight: 1, score, reasons }] };
}

/** Without interests, items that resemble disliked ones come last, too. */
function tiredOf(
  { tired }: ListOrder,
  { impersonal, disliked = [], recents, contextItem }: CandidateRequest,
  scorer: Scorer,
): ReadonlySet<number> | undefined {
  if (impersonal || disliked.length === 0 || recents.length > 0 || contextItem !== undefined) return tired;
  return new Set([...(tired ?? []), ...scorer.resembling()]);
}

/** The candidates of a request read so far, in order. */
type Reading = {
  readonly items: Int32Array;
  readonly count: number;
  /** Scored items read, and their maximum. */
  readonly scoredCount: number;
  readonly scoredEnd: number;
  begin(request: CandidateRequest): void;
  /** Reads another part; returns false at the end of the catalogue. */
  readOn(): boolean;
  /** Reads scored items until there are `least`, or all. */
  readScored(least: number): void;
  /** Returns the fallback that supplied an item; undefined if none did. */
  sourceOf(itemIndex: number): FallbackSource | undefined;
};

function createReading(scorer: Scorer, fallbacks: Fallbacks): Reading {
  let items: Int32Array = new Int32Array(4096);
  let count = 0;
  let scoredCount = 0;
  let scoredEnd = 0;
  /** Ends of the parts supplied by fallbacks. */
  const parts: { source: FallbackSource; end: number }[] = [];

  const append = (source: Int32Array, start: number, end: number) => {
    items = grown(items, count + end - start, 0);
    for (let at = start; at < end; at++) items[count++] = source[at];
  };

  /** Appends scored items up to `end`; returns false if there are no more. */
  const appendScored = (end: number): boolean => {
    const before = scoredCount;
    scoredCount = scorer.readTo(Math.min(end, scoredEnd));
    append(scorer.items, before, scoredCount);
    return scoredCount > before;
  };

  return {
    get items() {
      return items;
    },
    get count() {
      return count;
    },
    get scoredCount() {
      return scoredCount;
    },
    get scoredEnd() {
      return scoredEnd;
    },
    begin({ impersonal, models, catalog, fallbacks: steps, fallbackSegments: segments }) {
      count = 0;
      scoredCount = 0;
      scoredEnd = impersonal ? 0 : scoredLimit;
      parts.length = 0;
      fallbacks.begin({ models, catalog, steps, segments });
    },
    readOn() {
      if (scoredCount < scoredEnd && appendScored(scoredCount + scoredChunk)) return true;
      const part = fallbacks.next();
      if (part === undefined) return false;
      append(part.items, part.start, part.end);
      parts.push({ source: part.source, end: count });
      return true;
    },
    readScored(least) {
      while (scoredCount < Math.min(least, scoredEnd) && appendScored(least));
    },
    sourceOf(itemIndex) {
      const place = items.subarray(0, count).indexOf(itemIndex);
      return place < scoredCount ? undefined : parts.find(({ end }) => place < end)?.source;
    },
  };
}

type Head = { scores: Float32Array; request: CandidateRequest; listedAs: ListedAs };

/** Orders the head: of all scored items if fresh ones may overtake better ones. */
function orderHead(reading: Reading, order: ListOrder, { scores, request, listedAs }: Head): Int32Array {
  const { halfLives, rotation, listSize, tired } = order;
  reading.readScored(agesItems(halfLives) ? scoredLimit : calibratedDepth);
  const { items, scoredCount: count } = reading;
  const context = { ...request, bursts: agesItems(halfLives) ? request.models.bursts() : undefined };
  const scored = agesItems(halfLives)
    ? orderByFreshness({ items, scores, count }, halfLives, context)
    : Int32Array.from({ length: count }, (_, place) => place);
  const calibrated = calibrateHead({ items, scores, places: scored }, order, context);
  if (!rotation && !tired) return calibrated;
  const least = listSize * (rotation ? rotationDepth : 1) + (tired?.size ?? 0);
  const listed = listedPlaces(reading, calibrated, { least, listedAs });
  const places = tired ? tiredLast(listed, reading.items, tired) : listed;
  if (rotation) rotate(places, rotation, listSize);
  return places;
}

function strengthOf({ calibration }: ListOrder, { calibration: interests }: CandidateRequest, blend?: Blend) {
  if (interests === undefined || interests.shares.size === 0) return 0;
  return calibration ?? (interests.isOptional ? 0 : (blend?.calibration ?? usualCalibration));
}

type OrderedHead = { items: Int32Array; scores: Float32Array; places: Int32Array };

function calibrateHead(
  { items, scores, places }: OrderedHead,
  order: ListOrder,
  context: FreshnessContext & { calibration?: Interests },
): Int32Array {
  const { calibration: interests } = context;
  const { calibration: strength = 0, listSize } = order;
  if (!interests || strength === 0) return places;
  const head = {
    places,
    scoreOf: (place: number) => scores[place] * freshnessOf(items[place], order.halfLives, context),
    categoryOf: (place: number) => interests.categoryOf(items[place]),
  };
  return calibrate(head, { shares: interests.shares, strength, listSize });
}

/**
 * Returns the distinct places of items that the list may contain: from all scored candidates, and
 * from others until there are `least`. Rotating in an excluded item would have no effect.
 */
function listedPlaces(
  reading: Reading,
  scored: Int32Array,
  { least, listedAs }: { least: number; listedAs: ListedAs },
): Int32Array {
  const places: number[] = [];
  const seen = new Set<number>();
  let { items, count } = reading;
  const look = (place: number): void => {
    const listed = listedAs(items[place]);
    if (listed === undefined || seen.has(listed)) return;
    seen.add(listed);
    places.push(place);
  };
  scored.forEach(look);
  for (let place = scored.length; places.length < least && place < mostLookedAt; place++) {
    while (place >= count) {
      if (!reading.readOn()) return Int32Array.from(places);
      ({ items, count } = reading);
    }
    look(place);
  }
  return Int32Array.from(places);
}
