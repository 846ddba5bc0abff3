/** Hits of a query by its words alone: the best by score, in tiers, with relevance feedback. */
import type { Catalog } from '../../catalog/catalog.ts';
import { foldTitle } from '../analysis/fold.ts';
import type { Place, TextIndex } from '../index/index.ts';
import type { Segment } from '../index/segment.ts';
import { type Title, titleOf } from '../index/streams.ts';
import { contributionsOf } from '../scoring/contributions.ts';
import { createFeedback, gainsFrom } from '../scoring/feedback.ts';
import { type ScanSlot, scanSlotOf, scoreUnits, type WeightedSlot, weighSlots } from '../scoring/postings.ts';
import { allWordsKey, createScanner, type ScanPart, titleKey } from '../scoring/scan.ts';
import { createTitleFit } from '../scoring/title-fit.ts';
import { createTop, type Top } from '../scoring/top.ts';
import { type Slot, slotsOfTerms } from '../slot.ts';
import { createCategoryNames } from './category-names.ts';
import type { Narrowing } from './field-lists.ts';
import { hasTitlePhrase, type Tier, tiers } from './tiers.ts';

/** Maximum number of hits in tiers; further ones are never shown. */
export const mostHits = 2_000;
/** When more items have the title, only those within the limit are lifted, the same ones on every node. */
const mostExactTitles = 100;

export type TextRequest = {
  query: string;
  slots: readonly Slot[];
  /** Maximum number of hits. */
  limit: number;
  admits: (itemIndex: number) => boolean;
  /** Lists that hold what is admitted. */
  narrowing?: Narrowing;
};

/** Hits in columns, best text first, as they are cached. */
export type TextHits = {
  readonly count: number;
  readonly items: Int32Array;
  /** Values of `tiers`. */
  readonly tiers: Uint8Array;
  /** Text scores, and the gains of feedback. */
  readonly texts: Float64Array;
  readonly feedbacks: Float64Array;
  /** Whether the limit left nothing out. */
  readonly isComplete: boolean;
};

type TextHit = { itemIndex: number; place: Place; tier: Tier; text: number };

/** Reads a document that the scan found with a key. */
type HitReader = (itemIndex: number, key: number) => TextHit;

function createHitReader(index: TextIndex, slots: readonly Slot[]): HitReader {
  const slotsOf = slotsOfTerms(index.words, slots);
  const titleFit = createTitleFit(index, slots, slotsOf);

  const tierOf = (title: Title, key: number): Tier => {
    if (key < allWordsKey) return tiers.someWords;
    if (key < titleKey) return tiers.allWords;
    return hasTitlePhrase(index, title, slotsOf, slots.length) ? tiers.titlePhrase : tiers.title;
  };

  return (itemIndex, key) => {
    const place = index.placeOf(itemIndex)!;
    const title = titleOf(place.segment, place.ordinal);
    const base = key < allWordsKey ? 0 : key < titleKey ? allWordsKey : titleKey;
    const { factor, isSold } = titleFit(title);
    const found = tierOf(title, key);
    // The whole phrase in the title of an accessory does not name the item.
    const tier = found === tiers.titlePhrase && !isSold ? tiers.title : found;
    return { itemIndex, place, tier, text: (factor * (key - base)) / scoreUnits };
  };
}

function readAll({ size, items, keys }: Top, read: HitReader): TextHit[] {
  const hits: TextHit[] = [];
  for (let rank = 0; rank < size; rank++) hits.push(read(items[rank], keys[rank]));
  return hits;
}

export type TextHitFinderOptions = { index: TextIndex; catalog: Catalog };

/** Lifts items with the query as their title, including those beyond the limit unless there are too many. */
function liftExactTitles(
  hits: TextHit[],
  { index, catalog }: TextHitFinderOptions,
  { query, admits }: TextRequest,
  weighted: readonly WeightedSlot[],
): void {
  const title = foldTitle(query);
  const isExact = (itemIndex: number) => foldTitle(catalog.titleAt(itemIndex) ?? '') === title;
  const called = index.titles.find(title, mostExactTitles + 1);
  if (called.length > mostExactTitles) {
    for (const hit of hits) if (isExact(hit.itemIndex)) hit.tier = tiers.exactTitle;
    return;
  }
  for (const itemIndex of called) {
    if (!admits(itemIndex) || !isExact(itemIndex)) continue;
    const hit = hits.find((one) => one.itemIndex === itemIndex);
    if (hit) hit.tier = tiers.exactTitle;
    else hits.push(exactTitleHit(index, itemIndex, weighted));
  }
}

function exactTitleHit(index: TextIndex, itemIndex: number, weighted: readonly WeightedSlot[]): TextHit {
  const place = index.placeOf(itemIndex)!;
  const text = contributionsOf(index, weighted, place).reduce((sum, { score }) => sum + score, 0);
  return { itemIndex, place, tier: tiers.exactTitle, text };
}

/** @param gains of the first hits; others gain nothing */
function toColumns(hits: readonly TextHit[], gains: Float64Array, isComplete: boolean): TextHits {
  const count = hits.length;
  const items = new Int32Array(count);
  const itsTiers = new Uint8Array(count);
  const texts = new Float64Array(count);
  const feedbacks = new Float64Array(count);
  for (let place = 0; place < count; place++) {
    const { itemIndex, tier, text } = hits[place];
    items[place] = itemIndex;
    itsTiers[place] = tier;
    texts[place] = text;
  }
  feedbacks.set(gains);
  return { count, items, tiers: itsTiers, texts, feedbacks, isComplete };
}

export function createTextHitFinder(options: TextHitFinderOptions) {
  const { index, catalog } = options;
  const scanner = createScanner();
  const top = createTop(mostHits, catalog.comesBefore);
  const feedback = createFeedback(index);
  const categoryNames = createCategoryNames(index, catalog);

  const partOf = (segment: Segment, weighted: readonly WeightedSlot[]): ScanPart => {
    const slots = weighted.map((slot) => scanSlotOf(index, segment, slot));
    return { segment, slots: slots.filter((slot): slot is ScanSlot => slot !== undefined) };
  };

  const scan = (
    { slots, limit, narrowing }: TextRequest,
    weighted: readonly WeightedSlot[],
    admits: TextRequest['admits'],
  ): TextHit[] => {
    top.begin(limit);
    const parts = index.segments.map((segment) => partOf(segment, weighted));
    if (slots.length > 0) scanner.scan(parts, { slotCount: slots.length, top, admits, narrowing });
    top.finish();
    return readAll(top, createHitReader(index, slots));
  };

  /** Puts the items of the category that a query names before others with its words. */
  const withNamed = (
    others: readonly TextHit[],
    request: TextRequest,
    weighted: WeightedSlot[],
  ): TextHit[] => {
    const { slots, limit, admits } = request;
    for (const isNamed of categoryNames.testsOf(slots)) {
      const named = scan(request, weighted, (itemIndex) => isNamed(itemIndex) && admits(itemIndex));
      const first = named.filter(({ tier }) => tier > tiers.someWords);
      if (first.length === 0) continue;
      const known = new Set(first.map(({ itemIndex }) => itemIndex));
      const rest = others.filter(({ itemIndex }) => !known.has(itemIndex));
      for (const hit of first) hit.tier = tiers.titlePhrase;
      for (const hit of rest) hit.tier = Math.min(hit.tier, tiers.title) as Tier;
      return [...first, ...rest].slice(0, limit);
    }
    return [...others];
  };

  return {
    find(request: TextRequest): TextHits {
      const { slots, limit, admits } = request;
      const weighted = weighSlots(index, slots);
      const found = scan(request, weighted, admits);
      const isComplete = top.size < Math.min(limit, mostHits);
      const hits = withNamed(found, request, weighted);
      const hasGains = hits.length > 1 && gainsFrom(slots.length);
      const gains = hasGains ? feedback.gains(hits, slots.length) : new Float64Array(0);
      liftExactTitles(hits, options, request, weighted);
      return toColumns(hits, gains, isComplete);
    },
  };
}
