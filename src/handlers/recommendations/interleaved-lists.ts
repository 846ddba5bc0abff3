/**
 * Makes interleaved lists: those of both variants, and then one in the order of their draft, composed
 * within the rules of the control. Injected items have no team.
 */

import type { ListIngredients } from '../../ranking/lists/list-ingredients.ts';
import { unitHash } from '../../ranking/lists/person/assignment.ts';
import type { List, ListItem } from '../../ranking/lists/recommendation-request.ts';
import { type Drafted, draftTeams } from '../../ranking/lists/team-draft.ts';
import type { ListsInTime } from './lists-in-time.ts';

/** The second variant of an interleaved experiment, and the names of both. */
export type Rival = Pick<ListIngredients, 'active' | 'identity'> & {
  experimentId: string;
  names: readonly [string, string];
};

const keyOf = ({ itemId, itemType }: Pick<ListItem, 'itemId' | 'itemType'>) => `${itemType}\u0000${itemId}`;

export async function makeInterleaved(
  ingredients: ListIngredients,
  { names, active, identity }: Rival,
  make: ListsInTime,
): ReturnType<ListsInTime> {
  const { request, requestId } = ingredients;
  const own = await make(ingredients);
  const other = await make({ ...ingredients, active, identity });
  if (own.isLate || other.isLate) return own;
  const drafts = request.lists.map(({ listSize: size, injected }, i) => {
    const placed = new Set(injected.map(({ itemId }) => itemId));
    const [first, second] = [own, other].map(({ lists }) =>
      lists[i].items.filter(({ itemId }) => !placed.has(itemId)),
    );
    const coin = (round: number) => unitHash(`${requestId}\u0000${i}\u0000${round}`) < 0.5;
    return draftTeams<ListItem>([first, second], { size, keyOf, coin });
  });
  const lists = request.lists.map((list, i) => ({ ...list, lead: drafts[i].map(({ item }) => item) }));
  const made = await make({ ...ingredients, request: { ...request, lists } });
  return { ...made, lists: made.lists.map((list, i) => withTeams(list, drafts[i], names)) };
}

function withTeams(list: List, draft: readonly Drafted<ListItem>[], names: Rival['names']): List {
  const teams = new Map(draft.map(({ item, team }) => [keyOf(item), names[team]]));
  return { ...list, items: list.items.map((item) => ({ ...item, team: teams.get(keyOf(item)) })) };
}
