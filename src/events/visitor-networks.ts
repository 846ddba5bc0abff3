/**
 * Judges by network whether visitors of public callers are independent: one peer that plays many
 * devices must not decide what is popular. A network may show a hundred visitors an hour, twice as
 * many as in the hour before, or a quarter of those of all other networks, whichever is most.
 * Visitors beyond that are no evidence. A proxy that hides addresses makes networks meaningless, so
 * all are admitted while an environment has fewer than twenty other networks. The first hour of a
 * process admits all, too, as the usual networks are unknown. Counts stay in memory, per node.
 */

import { hashText } from '../ranking/runtime/hash.ts';

const hourMs = 3_600_000;

/** Visitors of a network in an hour that are always admitted. */
export const usualVisitors = 100;
const largestGrowth = 2;
const largestShareOfOthers = 0.25;

/** Other networks an environment needs before addresses are taken as those of visitors. */
export const fewestNetworks = 20;

/** Visitors kept per hour over all environments, some 100 bytes each; later ones are not judged. */
const mostVisitors = 50_000;

type Hour = Map<string, Set<number>>;

type Recent = { hour: number; current: Hour; before: Hour; counts: { current: number; before: number } };

export type NetworkShares = {
  visitorCount: number;
  networkCount: number;
  /** The network with the most visitors, and their number. */
  largest: string;
  largestCount: number;
};

export type VisitorNetworks = {
  /** Notes a visitor; false if its network has too many. @param visitor `u` or `d` and the id. */
  admit(environment: string, visitor: string, network: string): boolean;
  /** Returns undefined when no visitor came without a token in this hour or the one before. */
  sharesOf(environment: string): NetworkShares | undefined;
};

/** @param clock Unix milliseconds. */
export function createVisitorNetworks(clock: () => number): VisitorNetworks {
  const recentOf = new Map<string, Recent>();
  const startHour = Math.floor(clock() / hourMs);

  const recent = (environment: string): Recent => {
    const hour = Math.floor(clock() / hourMs);
    const known = recentOf.get(environment);
    if (known?.hour === hour) return known;
    const follows = known?.hour === hour - 1;
    const next = {
      hour,
      current: new Map(),
      before: follows ? known.current : new Map(),
      counts: { current: 0, before: follows ? known.counts.current : 0 },
    };
    recentOf.set(environment, next);
    return next;
  };
  const countHeld = (ofHour: number): number =>
    [...recentOf.values()].reduce((sum, { hour, counts }) => sum + (hour === ofHour ? counts.current : 0), 0);

  return {
    admit(environment, visitor, network) {
      const known = recent(environment);
      const hash = hashText(visitor);
      const own = known.current.get(network);
      if (own?.has(hash)) return true;
      const isUsual = (own?.size ?? 0) < usualVisitors || known.before.get(network)?.has(hash);
      const isUnknown = known.hour === startHour || countOthers(known, network) < fewestNetworks;
      if (!isUsual && !isUnknown && own!.size >= allowanceOf(known, network)) return false;
      if (countHeld(known.hour) >= mostVisitors) return true;
      if (own) own.add(hash);
      else known.current.set(network, new Set([hash]));
      known.counts.current += 1;
      return true;
    },
    sharesOf(environment) {
      const { current, before, counts } = recent(environment);
      const hour = counts.current >= counts.before ? current : before;
      const [largest] = Array.from(hour, ([network, visitors]) => ({ network, count: visitors.size })).sort(
        (one, other) => other.count - one.count,
      );
      if (!largest) return undefined;
      return {
        visitorCount: Math.max(counts.current, counts.before),
        networkCount: hour.size,
        largest: largest.network,
        largestCount: largest.count,
      };
    },
  };
}

function countOthers({ current, before }: Recent, network: string): number {
  const others = (hour: Hour) => hour.size - Number(hour.has(network));
  return Math.max(others(current), others(before));
}

function allowanceOf({ current, before, counts }: Recent, network: string): number {
  const [now, earlier] = [current, before].map((hour) => hour.get(network)?.size ?? 0);
  const others = Math.max(counts.current - now, counts.before - earlier);
  return Math.max(usualVisitors, largestGrowth * earlier, largestShareOfOthers * others);
}
