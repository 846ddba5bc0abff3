/**
 * Ranked hits of a query: the best by text are put into tiers, and ordered within a tier by
 *
 *   score · (1 + 0.1 · prior + 0.3 · taste + 0.3 · clicks)          prior, taste in 0…1, clicks in -1…1
 *
 * so that popularity and taste decide between texts that fit about equally, never against a better
 * tier.
 *
 * Text hits do not depend on the subject, and are cached until anything changes. Any write of texts drops
 * them all, because it changes the rarity of words and so every score.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { createTop } from '../scoring/top.ts';
import { createVersionedCache, type VersionedKey } from '../versioned-cache.ts';
import type { ItemFilter } from './item-tests.ts';
import {
  createTextHitFinder,
  mostHits,
  type TextHitFinderOptions,
  type TextHits,
  type TextRequest,
} from './text-hits.ts';
import { type Tier, tiers } from './tiers.ts';

export { mostHits } from './text-hits.ts';

/** A worth from 0 to 1 by item position; other values are clamped. */
export type ItemWorth = (itemIndex: number) => number;

export type Hit = {
  itemIndex: number;
  tier: Tier;
  /** The sum of the other scores; orders the hits of a tier. */
  score: number;
  text: number;
  feedback: number;
  prior: number;
  taste: number;
  /** Negative for items that are shown and not clicked. */
  clicks: number;
  /** To the request's vector. */
  similarity?: number;
  /** In a draft: 0 if the control picked it, 1 if the other variant did. */
  team?: 0 | 1;
};

const priorShare = 0.1;
const tasteShare = 0.3;
const clicksShare = 0.3;

/** Above every score. */
const tierStep = 2 ** 20;

/** Bytes of cached hits. */
const mostBytes = 10 * 1024 * 1024;
/** Bytes of a hit, and of the columns beside their values. */
const bytesOfHit = 21;
const bytesOfColumns = 600;

export type FoundHits = { hits: Hit[]; isComplete: boolean };

export type HitRequest = Omit<TextRequest, 'admits'> & {
  among: ItemFilter;
  /** Identifies the slots. */
  asked: VersionedKey;
  /** Number of hits that are returned [limit]. */
  wanted?: number;
} & Worths;

/** Worths that do not come from the text. */
export type Worths = {
  prior?: ItemWorth;
  taste?: ItemWorth;
  /** -1…1. */
  clicks?: ItemWorth;
};

export type HitFinder = ReturnType<typeof createHitFinder>;

function clamped(worth: ItemWorth | undefined, itemIndex: number, least = 0): number {
  const value = worth?.(itemIndex) ?? 0;
  return value > least ? Math.min(value, 1) : least;
}

/** Adds the worths; the parts of a hit add up to its score. */
function withWorth(
  { itemIndex, tier, text, feedback }: Pick<Hit, 'itemIndex' | 'tier' | 'text' | 'feedback'>,
  worths: Worths,
): Hit {
  const base = text + feedback;
  const prior = base * priorShare * clamped(worths.prior, itemIndex);
  const taste = base * tasteShare * clamped(worths.taste, itemIndex);
  const clicks = base * clicksShare * clamped(worths.clicks, itemIndex, -1);
  const score = base + prior + taste + clicks;
  return { itemIndex, tier, score, text, feedback, prior, taste, clicks };
}

/** Returns a hit that is not ranked by its text. */
export function unrankedHit(itemIndex: number): Hit {
  const scores = { score: 0, text: 0, feedback: 0, prior: 0, taste: 0, clicks: 0 };
  return { itemIndex, tier: tiers.someWords, ...scores };
}

/** Computes only the score of `withWorth`. */
function scoreOf(base: number, itemIndex: number, { prior, taste, clicks }: Worths): number {
  let score = base;
  if (prior) score += base * priorShare * clamped(prior, itemIndex);
  if (taste) score += base * tasteShare * clamped(taste, itemIndex);
  if (clicks) score += base * clicksShare * clamped(clicks, itemIndex, -1);
  return score;
}

/** Ranks hits. All are scored, but only the wanted ones become objects. */
function createRanker({ comesBefore }: Pick<Catalog, 'comesBefore'>) {
  let ranked: Int32Array = new Int32Array(0);
  const top = createTop(mostHits, (a, b) => comesBefore(ranked[a], ranked[b]));
  return ({ count, items, tiers, texts, feedbacks }: TextHits, worths: Worths, wanted: number): Hit[] => {
    ranked = items;
    top.begin(wanted);
    for (let place = 0; place < count; place++) {
      const score = scoreOf(texts[place] + feedbacks[place], items[place], worths);
      top.offer(place, tiers[place] * tierStep + score);
    }
    top.finish();
    const hits: Hit[] = [];
    for (let rank = 0; rank < top.size; rank++) {
      const place = top.items[rank];
      const found = { itemIndex: items[place], tier: tiers[place] as Tier, text: texts[place] };
      hits.push(withWorth({ ...found, feedback: feedbacks[place] }, worths));
    }
    return hits;
  };
}

/** Returns hits of an empty query: the best items by prior and taste. */
export function browse(
  { itemCount, comesBefore }: Pick<Catalog, 'itemCount' | 'comesBefore'>,
  { limit, among: { admits }, prior, taste }: Pick<HitRequest, 'limit' | 'among' | 'prior' | 'taste'>,
): FoundHits {
  const top = createTop(Math.min(limit, mostHits), comesBefore);
  top.begin(limit);
  for (let itemIndex = 0; itemIndex < itemCount; itemIndex++) {
    const score = scoreOf(1, itemIndex, { prior, taste });
    if (score >= top.threshold && admits(itemIndex)) top.offer(itemIndex, score);
  }
  top.finish();
  const found = { tier: tiers.someWords, text: 1, feedback: 0 };
  const hits = Array.from(top.items.subarray(0, top.size), (itemIndex) =>
    withWorth({ ...found, itemIndex }, { prior, taste }),
  );
  return { hits, isComplete: top.size < Math.min(limit, mostHits) };
}

export function createHitFinder(options: TextHitFinderOptions) {
  const finder = createTextHitFinder(options);
  const rank = createRanker(options.catalog);
  const cache = createVersionedCache<TextHits>(mostBytes, ({ count }) => count * bytesOfHit + bytesOfColumns);

  /** Finds text hits; cached unless the item filter has no key. */
  const findTexts = ({ among, ...request }: HitRequest): TextHits => {
    const { asked, limit } = request;
    const find = () => finder.find({ ...request, admits: among.admits });
    if (!among.known) return find();
    const key = JSON.stringify([asked.key, among.known.key, limit]);
    return cache.get({ key, version: asked.version + among.known.version }, find);
  };

  return {
    /** Returns ranked hits, at most `limit`; `isComplete` when the limit left nothing out. */
    find(request: HitRequest): FoundHits {
      const found = findTexts(request);
      const wanted = Math.min(request.limit, request.wanted ?? request.limit);
      return { hits: rank(found, request, wanted), isComplete: found.isComplete };
    },
  };
}
