/** Pins and hides of a configuration: items at fixed ranks of its lists, and items that its lists leave out. */

import type { Catalog } from '../catalog/catalog.ts';
import type { BoundRule } from '../rules/bind-configuration.ts';
import type { InjectedItem } from '../rules/compose.ts';
import type { ConfigurationSettings } from '../rules/settings.ts';

export type PinsOptions = {
  catalog: Catalog;
  nowMs: number;
  /** All rules of the list, including the implicit one of groups. */
  rules: readonly BoundRule[];
  /** Items that the request placed, which come first. */
  injected: readonly InjectedItem[];
  listSize: number;
  /** Whether the subject, the settings or another list of the request exclude an item. */
  excluded(itemIndex: number): boolean;
};

/**
 * Returns the pins that a list shows. A pin obeys everything that other items obey, except relevance
 * and preferences; pins of lower ranks come first, so that a maximum keeps them. A pin whose rank
 * the request took gets the next free one.
 */
export function placePins(pins: ConfigurationSettings['pins'], options: PinsOptions): InjectedItem[] {
  if (pins.length === 0) return [];
  const { catalog, nowMs, rules, injected, listSize, excluded } = options;
  const tallies = rules.map(tallyOf);
  const ranks = new Set(injected.map(({ rank }) => rank));
  const items = new Set(injected.flatMap(({ itemIndex }) => itemIndex ?? []));
  for (const itemIndex of items) for (const tally of tallies) tally.add(itemIndex);
  const placed: InjectedItem[] = [];
  for (const { itemId, itemType, rank } of pins.toSorted((a, b) => a.rank - b.rank)) {
    const itemIndex = catalog.indexOfId(itemId, itemType);
    if (itemIndex === undefined || items.has(itemIndex)) continue;
    if (!catalog.servable(itemIndex, nowMs) || excluded(itemIndex)) continue;
    if (!tallies.every((tally) => tally.admits(itemIndex))) continue;
    let free = rank;
    while (ranks.has(free)) free += 1;
    if (free > listSize) continue;
    for (const tally of tallies) tally.add(itemIndex);
    ranks.add(free);
    items.add(itemIndex);
    placed.push({ rank: free, itemIndex, isPin: true });
  }
  return placed;
}

/** Counts the placed items that use one rule. */
type Tally = { admits(itemIndex: number): boolean; add(itemIndex: number): void };

function tallyOf(rule: BoundRule): Tally {
  if (rule.kind === 'must') {
    const { set, groups = [] } = rule;
    const present = new Set<unknown>();
    const ofGroups = (itemIndex: number) => groups.filter((group) => group.has(itemIndex));
    return {
      admits(itemIndex) {
        const own = ofGroups(itemIndex);
        return set.has(itemIndex) && (own.length === 0 || new Set([...own, ...present]).size === 1);
      },
      add(itemIndex) {
        for (const group of ofGroups(itemIndex)) present.add(group);
      },
    };
  }
  const counts = new Map<unknown, number>();
  const max = rule.kind === 'dropped' ? Number.POSITIVE_INFINITY : rule.max;
  const usesOf = (itemIndex: number): unknown[] => {
    if (rule.kind === 'diversify') return rule.column?.valuesAt(itemIndex) ?? [];
    return rule.kind === 'quota' && rule.set.has(itemIndex) ? [rule] : [];
  };
  return {
    admits: (itemIndex) => usesOf(itemIndex).every((use) => (counts.get(use) ?? 0) < max),
    add(itemIndex) {
      for (const use of usesOf(itemIndex)) counts.set(use, (counts.get(use) ?? 0) + 1);
    },
  };
}

/** Returns the catalogue positions of the items that a configuration hides. */
export function hiddenBy({ hides }: ConfigurationSettings, catalog: Catalog): ReadonlySet<number> {
  return new Set(hides.flatMap(({ itemId, itemType }) => catalog.indexesOfId(itemId, itemType)));
}
