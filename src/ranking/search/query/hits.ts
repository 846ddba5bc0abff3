/**
 * Ranked hits of a query: the best by text are put into tiers, and ordered within a tier by
 *
 *   score · (1 + 0.1 · prior + 0.3 · taste + 0.3 · clicks)          prior, taste in 0…1, clicks in -1…1
 *
 * so that popularity and taste decide between texts that fit about equally, never against a better tier.
 *
 * Text hits are the same for everybody, and cached until anything changes. Any write of texts drops them all, because it changes
 * the rarity of words and so every score.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { createVersionedCache, type VersionedKey } from '../versioned-cache.ts';
import { both, type ItemFilter } from './item-tests.ts';
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
};

export const priorShare = 0.1;
export const tasteShare = 0.3;
const clicksShare = 0.3;

/** From this many hits for each wanted one, selection is faster than sorting. */
const leastSpared = 8;

/** Bytes of cached hits. */
const mostBytes = 10 * 1024 * 1024;
/** Bytes of a hit, and of the columns beside their values. */
const bytesOfHit = 21;
const bytesOfColumns = 600;

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

export type HitFinder = {
  /** Returns ranked hits, at most `limit`; `isComplete` when the limit left nothing out. */
  find(request: HitRequest): { hits: Hit[]; isComplete: boolean };
  /** Finds the hits of several lists in one scan. */
  findEach(request: HitRequest, lists: readonly ItemFilter[]): Hit[][];
  /** Whether the narrowing of a request saves most of a scan. */
  isNarrow(request: HitRequest): boolean;
};

export function clamped(worth: ItemWorth | undefined, itemIndex: number, least = 0): number {
  const value = worth?.(itemIndex) ?? 0;
  return value > least ? Math.min(value, 1) : least;
}

/** Adds the worths; the parts of a hit add up to its score. */
export function withWorth(
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
function createRanking({
  comesBefore,
}: Pick<Catalog, 'comesBefore'>): (found: TextHits, worths: Worths, wanted: number) => Hit[] {
  let scores = new Float64Array(mostHits);
  let found: TextHits;

  /** Compares hits by their places in `found`. */
  const compare = (a: number, b: number): number =>
    found.tiers[b] - found.tiers[a] ||
    scores[b] - scores[a] ||
    (comesBefore(found.items[a], found.items[b]) ? -1 : 1);

  /** Selects a few of many without sorting all. */
  const chosen = (count: number): number[] => {
    const best: number[] = [];
    for (let place = 0; place < found.count; place++) {
      if (best.length === count && compare(place, best[count - 1]) > 0) continue;
      let at = best.length;
      while (at > 0 && compare(place, best[at - 1]) < 0) at -= 1;
      if (best.length === count) best.pop();
      best.splice(at, 0, place);
    }
    return best;
  };

  const sorted = (count: number): number[] =>
    Array.from({ length: found.count }, (_, place) => place)
      .sort(compare)
      .slice(0, count);

  return (hits, worths, wanted) => {
    found = hits;
    const { count, items, tiers, texts, feedbacks } = found;
    if (scores.length < count) scores = new Float64Array(count * 2);
    for (let place = 0; place < count; place++)
      scores[place] = scoreOf(texts[place] + feedbacks[place], items[place], worths);
    const best = wanted * leastSpared > count ? sorted(wanted) : wanted > 0 ? chosen(wanted) : [];
    return best.map((place) =>
      withWorth(
        {
          itemIndex: items[place],
          tier: tiers[place] as Tier,
          text: texts[place],
          feedback: feedbacks[place],
        },
        worths,
      ),
    );
  };
}

/** Returns undefined when an item test has no key. */
function memoryOf({ asked, limit }: HitRequest, { known }: ItemFilter): VersionedKey | undefined {
  if (!known) return undefined;
  const key = JSON.stringify([asked.key, known.key, limit]);
  return { key, version: asked.version + known.version };
}

export function createHitFinder(options: TextHitFinderOptions): HitFinder {
  const finder = createTextHitFinder(options);
  const remembered = createVersionedCache<TextHits>(
    mostBytes,
    ({ count }) => count * bytesOfHit + bytesOfColumns,
  );
  const rank = createRanking(options.catalog);

  const textRequest = ({ among, ...request }: HitRequest): TextRequest => ({
    ...request,
    admits: among.admits,
  });
  const ranked = (found: TextHits, request: HitRequest): Hit[] =>
    rank(found, request, Math.min(request.limit, request.wanted ?? request.limit));

  return {
    find(request) {
      const find = () => finder.find(textRequest(request));
      const memory = memoryOf(request, request.among);
      const found = memory ? remembered.get(memory, find) : find();
      return { hits: ranked(found, request), isComplete: found.isComplete };
    },
    isNarrow: (request) => finder.isNarrow(textRequest(request)),
    findEach(request, lists) {
      const memories = lists.map((list) => memoryOf(request, both(list, request.among)));
      const known = memories.map((memory) => memory && remembered.find(memory));
      const missing = known.flatMap((found, i) => (found ? [] : [i]));
      const tests = missing.map((i) => lists[i].admits);
      const found = missing.length > 0 ? finder.findEach(textRequest(request), tests) : [];
      for (const [at, i] of missing.entries()) {
        known[i] = found[at];
        const memory = memories[i];
        if (memory) remembered.set(memory, found[at]);
      }
      return known.map((hits) => ranked(hits!, request));
    },
  };
}
