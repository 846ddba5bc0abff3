/** Finds the items that resemble the vector of a request, where the vectors are: not in list threads. */

import { bindList } from './bind-list.ts';
import type { ListIngredients } from './list-ingredients.ts';

/** As many as models score. */
const mostSimilar = 1_000;

/**
 * Replaces the request's `queryVector` by the similar items that any of its lists may have.
 *
 * @throws VARIABLE_MISSING when the request lacks a variable without default.
 */
export async function withSimilar(ingredients: ListIngredients): Promise<ListIngredients> {
  const { environment, active, nowMs } = ingredients;
  const { queryVector, ...request } = ingredients.request;
  if (!queryVector || !environment.vectors) return ingredients;
  const mustsOfLists = request.lists.map((list, i) =>
    bindList(list, active[i], ingredients).rules.flatMap((rule) => (rule.kind === 'must' ? [rule.set] : [])),
  );
  const findSimilar = await environment.vectors.scan(queryVector);
  const similar = findSimilar?.(
    mostSimilar,
    (itemIndex) =>
      environment.catalog.servable(itemIndex, nowMs) &&
      mustsOfLists.some((musts) => musts.every((set) => set.has(itemIndex))),
  );
  return { ...ingredients, request: { ...request, similar } };
}
