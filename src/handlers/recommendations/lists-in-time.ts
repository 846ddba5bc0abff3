/**
 * Lists within the deadline of their request. Lists that a thread has not made by then are given up, and lists that are not
 * personal answer: made here when they are short, otherwise by a thread, where they wait behind shorter work.
 */

import { DomainError } from '../../errors.ts';
import type { ListIngredients } from '../../ranking/lists/list-ingredients.ts';
import type { ListMaker, RemoteListMaker } from '../../ranking/lists/list-maker.ts';
import { workOf } from '../../ranking/lists/list-work.ts';
import type { List } from '../../ranking/lists/recommendation-request.ts';

/** Share of the time until the deadline that is left for the lists that answer instead, and for storing them. */
const reserveShare = 0.15;

/** After the deadline, long lists that are not personal have this much time before the request fails. */
const longestDelayMs = 5_000;

export type ListsInTime = (
  ingredients: ListIngredients,
) => Promise<{ lists: List[] /** The lists are not personal. */; isLate: boolean }>;

/** @param makeHere Makes lists in this thread. */
export function createListsInTime(makeLists: RemoteListMaker, makeHere: ListMaker): ListsInTime {
  const makeUntil = async (ingredients: ListIngredients, waitMs: number): Promise<List[]> => {
    const { signal } = ingredients.request;
    signal?.throwIfAborted();
    const patience = new AbortController();
    const made = makeLists(ingredients, patience.signal);
    if (!(made instanceof Promise)) return made;
    const leave = () => patience.abort(signal!.reason);
    const timer = setTimeout(() => patience.abort(tooLate), Math.max(0, waitMs));
    signal?.addEventListener('abort', leave, { once: true });
    try {
      return await made;
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', leave);
    }
  };
  const makeInstead = (ingredients: ListIngredients): Promise<List[]> | List[] => {
    const impersonal = { ...ingredients, history: undefined };
    return workOf(ingredients.request).isShort ? makeHere(impersonal) : makeUntil(impersonal, longestDelayMs);
  };

  return async (ingredients) => {
    const { deadlineMs } = ingredients.request;
    const waitMs = (deadlineMs - performance.now()) * (1 - reserveShare);
    try {
      return { lists: await makeUntil(ingredients, waitMs), isLate: false };
    } catch (error) {
      if (error !== tooLate) throw error;
      return { lists: await makeInstead(ingredients), isLate: true };
    }
  };
}

const tooLate = new DomainError(
  'DEADLINE_EXCEEDED',
  'The service is too busy to make these lists in time. Ask for fewer items, or try again later.',
);
