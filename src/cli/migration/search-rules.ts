/** Configurations of searches from the rules of a rival. */

import type { ConfigurationDocument } from '../configurations/documents.ts';
import type { QueryDocument } from './filters.ts';

export type QueryTest = { exact: string } | { contains: string } | { pattern: string };

/** A rule of a rival in the terms of this service. `unmapped` are reasons, each a sentence without its end. */
export type MappedRule = {
  id: string;
  description?: string;
  /** Any of them selects a search; undefined for all searches, empty if no condition could be mapped. */
  queries: QueryTest[] | undefined;
  categories?: string[];
  /** In the wanted order of ranks, from 1. */
  pins: { itemId: string; rank: number }[];
  hides: string[];
  constraints: QueryDocument[];
  preferences: { query: QueryDocument; weight: number }[];
  redirect?: string;
  content: Record<string, unknown>[];
  /** Unix seconds. */
  fromSeconds?: number;
  untilSeconds?: number;
  unmapped: string[];
};

export const emptyRule = (id: string): MappedRule => ({
  ...{ id, queries: undefined, pins: [], hides: [], constraints: [], preferences: [], content: [] },
  unmapped: [],
});

/** Limits of a configuration. */
const mostPins = 50;
const largestRank = 100;
const mostHides = 500;
const mostQueries = 100;
const mostContents = 10;

/** Returns the configuration; undefined, with one more reason in `unmapped`, if nothing of the rule can be kept. */
export function toConfiguration(
  rule: MappedRule,
  { prefix, environment, nowMs }: { prefix: string; environment: string; nowMs: number },
): ConfigurationDocument | undefined {
  const { id, queries, categories, redirect, unmapped, untilSeconds, fromSeconds } = rule;
  const give = (reason: string) => void unmapped.push(reason);
  if (untilSeconds !== undefined && untilSeconds * 1_000 <= nowMs) return give('The rule has ended');
  if (queries?.length === 0 && categories === undefined)
    return unmapped.length === 0 ? give('The rule has no condition that maps') : undefined;
  const pins = placePins(rule, give);
  const pinned = new Set(pins.map(({ item_id }) => item_id));
  const hides = rule.hides.filter((itemId) => !pinned.has(itemId));
  if (hides.length > mostHides) give(`More than ${mostHides} hidden items`);
  const effects = {
    ...(pins.length > 0 && { pins }),
    ...(hides.length > 0 && { hides: hides.slice(0, mostHides).map((item_id) => ({ item_id })) }),
    ...(redirect !== undefined && { redirect }),
    ...(rule.content.length > 0 && { promoted_content: rule.content.slice(0, mostContents) }),
  };
  const rules = {
    ...(rule.constraints.length > 0 && { constraints: rule.constraints.map((query) => ({ query })) }),
    ...(rule.preferences.length > 0 && { preferences: rule.preferences }),
  };
  if (Object.keys(effects).length + Object.keys(rules).length === 0)
    return unmapped.length === 0 ? give('The rule has no effect that maps') : undefined;
  if ((queries?.length ?? 0) > mostQueries) give(`More than ${mostQueries} conditions`);
  const when = {
    ...(queries && queries.length > 0 && { queries: queries.slice(0, mostQueries) }),
    ...(categories && { categories }),
  };
  return {
    configuration_id: `${prefix}${id}`.slice(0, 256),
    ...rules,
    search: { environments: [environment], ...(Object.keys(when).length > 0 && { when }), ...effects },
    ...(fromSeconds !== undefined && { active_from: toTime(fromSeconds) }),
    ...(untilSeconds !== undefined && { active_until: toTime(untilSeconds) }),
  };
}

const toTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/** Gives each item one rank, and each rank one item: a taken rank moves the item to the next free one. */
function placePins({ pins }: MappedRule, give: (reason: string) => void) {
  const ranks = new Map<number, string>();
  const items = new Set<string>();
  for (const { itemId, rank } of pins.toSorted((a, b) => a.rank - b.rank)) {
    let free = Math.max(1, rank);
    while (ranks.has(free)) free += 1;
    if (items.has(itemId)) continue;
    if (ranks.size === mostPins || free > largestRank) {
      give(`More than ${mostPins} pins, or a pin after rank ${largestRank}`);
      break;
    }
    ranks.set(free, itemId);
    items.add(itemId);
  }
  return Array.from(ranks, ([rank, item_id]) => ({ item_id, rank }));
}
