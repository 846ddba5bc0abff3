/**
 * Exploration: draws the items of some positions of a composed list at random, within its rules.
 *
 * Slots are drawn in ascending order. The candidates of a slot are its item, the items of later
 * slots, with which it would change places, and items outside the list that may replace it: of
 * equal preference weight, below every limit, and without lowering a minimum that is met. So every
 * drawn list satisfies what the composed one does. A candidate is drawn with probability
 *
 *   exp(score / (highest score · temperature)) / the sum over the candidates of the slot,
 *
 * which without rules is the Plackett–Luce model (Plackett, 1975), or uniformly among new items.
 *
 * The propensity of an item at a rank is its probability there over all draws. It is exact for a
 * single slot, and for uniform draws that no rule limits. Otherwise it is the mean, over repeated
 * draws of the slots before it, of its probability given these.
 */
import type { CandidateOrder } from './candidate-order.ts';
import type { CandidatePool } from './candidate-pool.ts';
import type { Selection } from './selection.ts';

export type SlotExploration = {
  /** Distinct ranks from 1, ascending. */
  slots: readonly number[];
  /** Candidates: the items of the slots and the best others, at most. */
  of: number;
  /** Above 0; share of the highest score. */
  temperature: number;
  /** Returns the blend score of an item. */
  scoreOf(itemIndex: number): number;
  /** Items to draw from uniformly [the best by score, by temperature]. */
  newest?: readonly number[];
  /** Returns numbers in [0, 1). */
  chance(): number;
  /** Whether to return the probabilities of all candidates [false]. */
  withOdds?: boolean;
};

export type DrawnSlot = {
  rank: number;
  itemIndex: number;
  /** Probability of the item at this rank, above 0 and at most 1. */
  propensity: number;
  /** The item of the list that was composed. */
  composedItemIndex: number;
  /** Probability by item at this rank, if asked for. */
  odds?: ReadonlyMap<number, number>;
};

export type DrawnSlots = {
  slots: DrawnSlot[];
  /** Draws that estimated the propensities; 0 if they are exact. */
  drawCount: number;
};

/** Draws of an estimate: its standard error is at most .06, usually below .005. */
const mostDraws = 64;

type Parts = { pool: CandidatePool; selection: Selection; order: CandidateOrder };

/** Receives a slot's candidates and their weights, given the slots before it. */
type Observer = (slot: number, open: readonly number[], weights: Float64Array, total: number) => void;

/**
 * Draws the slots of a list in place.
 * @param places The list: candidates by place.
 * @param ranks Rank of each place, ascending; may be longer.
 */
export function drawSlots(
  places: number[],
  ranks: readonly number[],
  exploration: SlotExploration,
  parts: Parts,
): DrawnSlots | undefined {
  const slots = places.flatMap((_, place) => (exploration.slots.includes(ranks[place]) ? [place] : []));
  if (slots.length === 0) return undefined;
  const lottery = createLottery(places, slots, exploration, parts);
  const composed = slots.map((place) => places[place]);
  const first: number[] = [];
  lottery.draw((slot, open, weights, total) => {
    first[slot] = weights[open.indexOf(places[slots[slot]])] / total;
  });
  const drawn = slots.map((place) => places[place]);
  const isExact = slots.length === 1 || lottery.isExchangeable;
  const odds = isExact && !exploration.withOdds ? undefined : repeatDraws(lottery, composed, isExact);
  lottery.reset(drawn);
  const drawCount = isExact ? 0 : mostDraws;
  const itemOf = (candidate: number) => parts.pool.items.values[candidate];
  return {
    drawCount,
    slots: slots.map((place, slot) => {
      const exact = lottery.isExchangeable ? 1 / lottery.candidates.length : first[slot];
      /** An item that no further draw allowed was still drawn once. */
      const estimate = odds?.[slot].get(drawn[slot]) ?? first[slot] / (mostDraws + 1);
      return {
        rank: ranks[place],
        itemIndex: itemOf(drawn[slot]),
        propensity: isExact ? exact : estimate,
        composedItemIndex: itemOf(composed[slot]),
        odds: exploration.withOdds
          ? new Map(Array.from(odds![slot], ([candidate, probability]) => [itemOf(candidate), probability]))
          : undefined,
      };
    }),
  };
}

type Lottery = ReturnType<typeof createLottery>;

/** Returns the mean probability by candidate for each slot. */
function repeatDraws(
  { draw, reset, candidates, isExchangeable }: Lottery,
  composed: readonly number[],
  isExact: boolean,
): Map<number, number>[] {
  const sums = composed.map(() => new Map<number, number>());
  if (isExchangeable) return sums.map(() => new Map(candidates.map((one) => [one, 1 / candidates.length])));
  const draws = isExact ? 1 : mostDraws;
  for (let n = 0; n < draws; n++) {
    reset(composed);
    draw((slot, open, weights, total) =>
      open.forEach((candidate, k) => {
        const sum = sums[slot].get(candidate) ?? 0;
        sums[slot].set(candidate, sum + weights[k] / total / draws);
      }),
    );
  }
  return sums;
}

/** The places of the list that change, and the selection with them. */
function createSlots(places: number[], slots: readonly number[], parts: Parts) {
  const { pool, selection } = parts;
  const placeOf = new Map(slots.map((place) => [places[place], place]));
  const put = (place: number, candidate: number): void => {
    places[place] = candidate;
    placeOf.set(candidate, place);
  };
  return {
    /** Sets the candidates of all slots. */
    reset(list: readonly number[]): void {
      for (const place of slots) {
        selection.remove(places[place]);
        placeOf.delete(places[place]);
      }
      slots.forEach((place, slot) => {
        put(place, list[slot]);
        selection.add(list[slot]);
      });
    },
    mayTake(candidate: number, place: number): boolean {
      const present = places[place];
      if (candidate === present) return true;
      if (pool.weights.values[candidate] !== pool.weights.values[present]) return false;
      const held = placeOf.get(candidate);
      return held === undefined ? mayReplace(present, candidate, parts) : held > place;
    },
    take(candidate: number, place: number): void {
      const present = places[place];
      const held = placeOf.get(candidate);
      if (candidate === present) return;
      if (held === undefined) {
        selection.remove(present);
        selection.add(candidate);
        placeOf.delete(present);
      } else put(held, present);
      put(place, candidate);
    },
  };
}

function createLottery(
  places: number[],
  slots: readonly number[],
  exploration: SlotExploration,
  parts: Parts,
) {
  const { reset, mayTake, take } = createSlots(places, slots, parts);
  const inSlots = slots.map((place) => places[place]);
  const candidates = candidatesOf(inSlots, exploration, parts);
  const weightOf = weigher(candidates, exploration, parts.pool);
  const weights = new Float64Array(Math.max(1, candidates.length));
  return {
    candidates,
    isExchangeable:
      exploration.newest !== undefined &&
      candidates.length >= slots.length &&
      isUnlimited([...candidates, ...inSlots], parts.pool),
    reset,
    draw(observe: Observer): void {
      slots.forEach((place, slot) => {
        const may = candidates.filter((candidate) => mayTake(candidate, place));
        /** Without a new item that fits, the item stays. */
        const open = may.length > 0 ? may : [places[place]];
        let total = 0;
        open.forEach((candidate, k) => {
          weights[k] = may.length > 0 ? weightOf(candidate) : 1;
          total += weights[k];
        });
        let left = exploration.chance() * total;
        let k = 0;
        while (k < open.length - 1 && left >= weights[k]) left -= weights[k++];
        take(open[k], place);
        observe(slot, open, weights, total);
      });
    },
  };
}

/** Returns the candidates of all slots: their items, then the best others. */
function candidatesOf(
  inSlots: readonly number[],
  { of, newest }: SlotExploration,
  { pool, selection, order }: Parts,
): number[] {
  const isNew = newest && new Set(newest);
  const mayCome = (candidate: number) => isNew === undefined || isNew.has(pool.items.values[candidate]);
  const found = inSlots.filter(mayCome);
  for (let place = 0; place < order.candidates.length && found.length < of; place++) {
    const candidate = order.candidates.values[place];
    if (!selection.isPicked(candidate) && mayCome(candidate)) found.push(candidate);
  }
  return found;
}

function weigher(
  candidates: readonly number[],
  { newest, scoreOf, temperature }: SlotExploration,
  { items }: CandidatePool,
): (candidate: number) => number {
  if (newest) return () => 1;
  const scores = new Map(candidates.map((one) => [one, Math.max(0, scoreOf(items.values[one]))]));
  const highest = Math.max(...scores.values());
  if (!(highest > 0)) return () => 1;
  const weights = new Map(
    Array.from(scores, ([one, score]) => [one, Math.exp((score / highest - 1) / temperature)]),
  );
  return (candidate) => weights.get(candidate)!;
}

/** Whether no rule tells the candidates apart. */
function isUnlimited(candidates: readonly number[], pool: CandidatePool): boolean {
  const { limitStarts, needStarts, weights } = pool;
  return candidates.every(
    (one) =>
      limitStarts.values[one] === limitStarts.values[one + 1] &&
      needStarts.values[one] === needStarts.values[one + 1] &&
      weights.values[one] === weights.values[candidates[0]],
  );
}

/** Whether an item outside the list may replace one in it; no limit is exceeded, no need lowered. */
function mayReplace(present: number, candidate: number, { pool, selection }: Parts): boolean {
  const { needStarts, needIds } = pool;
  for (let k = needStarts.values[present]; k < needStarts.values[present + 1]; k++) {
    const need = needIds.values[k];
    if (selection.shortage(need) >= 0 && !selection.serves(candidate, need)) return false;
  }
  selection.remove(present);
  const canAdd = selection.canAdd(candidate);
  selection.add(present);
  return canAdd;
}
