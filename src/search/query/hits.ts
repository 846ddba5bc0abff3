/**
 * The ranked hits of a query: the best by words and score, put into tiers, and ordered within a tier by
 *
 *   score · (1 + 0.1 · prior + 0.3 · taste + 0.3 · clicks)          prior, taste in 0…1, clicks in -1…1
 *
 * so that what is popular or to the visitor's taste wins between texts that fit about equally, never against a better tier.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { foldTitle } from '../analysis/fold.ts';
import type { Place, TextIndex } from '../index/index.ts';
import type { Segment } from '../index/segment.ts';
import { type Title, titleOf } from '../index/streams.ts';
import { contributionsOf } from '../scoring/contributions.ts';
import { createFeedback, gainsFrom } from '../scoring/feedback.ts';
import { type ScanSlot, scoreUnits } from '../scoring/posting-list.ts';
import { scanSlotOf, type WeightedSlot, weighSlots } from '../scoring/postings-of.ts';
import { createScanner, type ScanPart } from '../scoring/scan.ts';
import { allWordsKey, titleKey } from '../scoring/scan-lead.ts';
import { isNarrow } from '../scoring/scan-listed.ts';
import { createSlotsOfTerms } from '../scoring/slots-of-terms.ts';
import { createSpread } from '../scoring/spread.ts';
import { createTitleFit } from '../scoring/title-fit.ts';
import { createTop, type Offers, type Top } from '../scoring/top.ts';
import type { Slot } from '../slot.ts';
import type { Narrowing } from './field-lists.ts';
import { hasTitlePhrase, type Tier, tiers } from './tiers.ts';

/** A worth between 0 and 1 by item position; what lies outside is clamped. */
export type ItemWorth = (itemIndex: number) => number;

export type Hit = {
  itemIndex: number;
  tier: Tier;
  /** Text score, feedback, prior, taste and clicks together; orders the hits of a tier. */
  score: number;
  text: number;
  feedback: number;
  prior: number;
  taste: number;
  /** Negative for what is shown and not clicked. */
  clicks: number;
};

export const priorShare = 0.1;
export const tasteShare = 0.3;
const clicksShare = 0.3;

/** The most hits that are put into tiers; hits beyond them are never shown. */
export const mostHits = 2_000;
/** Items of one title that are put into the first tier. */
const mostExactTitles = 100;
/** Hits for each of those asked for, from which on choosing takes less time than sorting. */
const leastSpared = 8;

export type HitRequest = {
  query: string;
  slots: readonly Slot[];
  /** Hits that are put into tiers. */
  limit: number;
  /** The best of them that are asked for [limit]. */
  wanted?: number;
  admits: (itemIndex: number) => boolean;
  /** Lists that hold what is admitted. */
  narrowing?: Narrowing;
} & Worths;

/** What does not come from the text. */
export type Worths = {
  prior?: ItemWorth;
  taste?: ItemWorth;
  /** -1…1. */
  clicks?: ItemWorth;
};

export type HitFinder = {
  /** Ranked hits, at most `limit`; `isComplete` when nothing was left out for the limit. */
  find(request: HitRequest): { hits: Hit[]; isComplete: boolean };
  /** The same for several lists in one scan, each of the items that its test takes. */
  findEach(request: HitRequest, lists: readonly ((itemIndex: number) => boolean)[]): Hit[][];
  /** Whether its narrowing spares a request most of a scan. */
  isNarrow(request: HitRequest): boolean;
};

type TextHit = { itemIndex: number; place: Place; tier: Tier; text: number; feedback: number };

/** Reads a document that the scan found with a key. */
type HitReader = (itemIndex: number, key: number) => TextHit;

export function clamped(worth: ItemWorth | undefined, itemIndex: number, least = 0): number {
  const value = worth?.(itemIndex) ?? 0;
  return value > least ? Math.min(value, 1) : least;
}

/** Adds what does not come from the text; the parts of a hit add up to its score. */
export function withWorth(hit: Omit<TextHit, 'place'>, { prior, taste, clicks }: Worths): Hit {
  const base = hit.text + hit.feedback;
  const priorPart = base * priorShare * clamped(prior, hit.itemIndex);
  const tastePart = base * tasteShare * clamped(taste, hit.itemIndex);
  const clicksPart = base * clicksShare * clamped(clicks, hit.itemIndex, -1);
  return {
    itemIndex: hit.itemIndex,
    tier: hit.tier,
    score: base + priorPart + tastePart + clicksPart,
    text: hit.text,
    feedback: hit.feedback,
    prior: priorPart,
    taste: tastePart,
    clicks: clicksPart,
  };
}

function compareHits(a: Hit, b: Hit): number {
  return b.tier - a.tier || b.score - a.score || a.itemIndex - b.itemIndex;
}

/** The best hits in their order; a few of many are chosen without sorting all. */
function bestOf(hits: readonly Hit[], count: number): Hit[] {
  if (count * leastSpared > hits.length) return [...hits].sort(compareHits).slice(0, count);
  const best: Hit[] = [];
  for (const hit of hits) {
    let at = best.length;
    while (at > 0 && compareHits(hit, best[at - 1]) < 0) at -= 1;
    if (at === count) continue;
    if (best.length === count) best.pop();
    best.splice(at, 0, hit);
  }
  return best;
}

/** Reads the documents that a scan found for the slots. */
function createHitReader(index: TextIndex, slots: readonly Slot[]): HitReader {
  const slotsOf = createSlotsOfTerms(slots);
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
    // The whole phrase in the name of what belongs to a thing is not the thing's.
    const tier = found === tiers.titlePhrase && !isSold ? tiers.title : found;
    const text = (factor * (key - base)) / scoreUnits;
    return { itemIndex, place, tier, text, feedback: 0 };
  };
}

function textHits({ size, items, keys }: Top, read: HitReader): TextHit[] {
  const hits: TextHit[] = [];
  for (let rank = 0; rank < size; rank++) hits.push(read(items[rank], keys[rank]));
  return hits;
}

/** Lifts the items whose title is the query, also those that the limit has cut off. */
function liftExactTitles(
  hits: TextHit[],
  { index, catalog }: HitFinderOptions,
  { query, admits }: HitRequest,
  weighted: readonly WeightedSlot[],
): void {
  const title = foldTitle(query);
  if (title === '') return;
  index.titles.visit(title, mostExactTitles, (itemIndex) => {
    if (!admits(itemIndex) || foldTitle(catalog.titleAt(itemIndex) ?? '') !== title) return;
    const hit = hits.find((one) => one.itemIndex === itemIndex);
    if (hit) hit.tier = tiers.exactTitle;
    else hits.push(exactTitleHit(index, itemIndex, weighted));
  });
}

function exactTitleHit(index: TextIndex, itemIndex: number, weighted: readonly WeightedSlot[]): TextHit {
  const place = index.placeOf(itemIndex)!;
  const text = contributionsOf(index, weighted, place).reduce((sum, { score }) => sum + score, 0);
  return { itemIndex, place, tier: tiers.exactTitle, text, feedback: 0 };
}

export type HitFinderOptions = { index: TextIndex; catalog: Catalog };

export function createHitFinder(options: HitFinderOptions): HitFinder {
  const { index } = options;
  const scanner = createScanner();
  const tops: Top[] = [];
  const feedback = createFeedback(index);

  /** So many empty lists; made once and used again. */
  const topsFor = (count: number, limit: number): Top[] => {
    while (tops.length < count) tops.push(createTop(mostHits));
    for (const top of tops) top.begin(limit);
    return tops.slice(0, count);
  };

  const partOf = (segment: Segment, weighted: readonly WeightedSlot[]): ScanPart => {
    const slots = weighted.map((slot) => scanSlotOf(index, segment, slot));
    return { segment, slots: slots.filter((slot): slot is ScanSlot => slot !== undefined) };
  };

  const scanAll = (
    { slots, admits, narrowing }: HitRequest,
    weighted: readonly WeightedSlot[],
    offers: Offers,
  ): void => {
    const parts = index.segments.map((segment) => partOf(segment, weighted));
    if (slots.length > 0) scanner.scan(parts, { slotCount: slots.length, top: offers, admits, narrowing });
  };

  const addFeedback = (hits: TextHit[], wordCount: number): void => {
    if (hits.length < 2 || !gainsFrom(wordCount)) return;
    const gains = feedback.gains(hits, wordCount);
    for (let i = 0; i < hits.length; i++) hits[i].feedback = gains[i];
  };

  const ranked = (
    top: Top,
    request: HitRequest,
    weighted: readonly WeightedSlot[],
    read: HitReader,
  ): Hit[] => {
    top.finish();
    const hits = textHits(top, read);
    addFeedback(hits, request.slots.length);
    liftExactTitles(hits, options, request, weighted);
    const worthy = hits.map((hit) => withWorth(hit, request));
    return bestOf(worthy, Math.min(request.limit, request.wanted ?? request.limit));
  };

  return {
    find(request) {
      const weighted = weighSlots(index, request.slots);
      const [top] = topsFor(1, request.limit);
      scanAll(request, weighted, top);
      const isComplete = top.size < Math.min(request.limit, mostHits);
      return { hits: ranked(top, request, weighted, createHitReader(index, request.slots)), isComplete };
    },
    isNarrow({ slots, narrowing }) {
      const { segment } = index.settled;
      const lists = narrowing?.(segment);
      return lists !== undefined && isNarrow(partOf(segment, weighSlots(index, slots)).slots, lists);
    },
    findEach(request, lists) {
      const weighted = weighSlots(index, request.slots);
      const parts = topsFor(lists.length, request.limit).map((top, i) => ({ top, takes: lists[i] }));
      scanAll(request, weighted, createSpread(parts));
      const read = createHitReader(index, request.slots);
      return parts.map(({ top, takes }) => {
        const admits = (itemIndex: number): boolean => takes(itemIndex) && request.admits(itemIndex);
        return ranked(top, { ...request, admits }, weighted, read);
      });
    },
  };
}
