/**
 * Team-draft interleaving (Radlinski, Kurup and Joachims 2008, "How Does Clickthrough Data Reflect
 * Retrieval Quality?"): in each round both lists pick their best item that is not taken, in an order
 * that a coin decides. Clicks on the items of a team are credited to its list.
 */

export type Drafted<Item> = {
  item: Item;
  /** Index of the list that picked it. */
  team: 0 | 1;
};

/**
 * Returns the drafted items in order, at most `size`.
 * @param keyOf Equal for the same item in both lists.
 * @param coin Returns whether the first list picks first in a round.
 */
export function draftTeams<Item>(
  lists: readonly [readonly Item[], readonly Item[]],
  { size, keyOf, coin }: { size: number; keyOf(item: Item): string | number; coin(round: number): boolean },
): Drafted<Item>[] {
  const drafted: Drafted<Item>[] = [];
  const taken = new Set<string | number>();
  const places = [0, 0];
  const pick = (team: 0 | 1): boolean => {
    const list = lists[team];
    while (places[team] < list.length && taken.has(keyOf(list[places[team]]))) places[team] += 1;
    if (places[team] === list.length || drafted.length === size) return false;
    const item = list[places[team]];
    taken.add(keyOf(item));
    drafted.push({ item, team });
    return true;
  };
  for (let round = 0; ; round += 1) {
    const first = coin(round) ? 0 : 1;
    const picked = [pick(first), pick(first === 0 ? 1 : 0)];
    if (!picked.includes(true)) return drafted;
  }
}
