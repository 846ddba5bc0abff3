/**
 * Makes lists before the deadline of their request. Lists that a thread has not finished by then
 * are cancelled, and impersonal lists replace them: short ones are made here, others by a thread
 * after shorter work.
 */

import { DomainError } from '../../errors.ts';
import type { ListIngredients } from '../../ranking/lists/list-ingredients.ts';
import type { ListMaker, RemoteListMaker } from '../../ranking/lists/list-maker.ts';
import { workOf } from '../../ranking/lists/list-work.ts';
import type { List } from '../../ranking/lists/recommendation-request.ts';

/** Share of the remaining time that is reserved for impersonal lists and for storing. */
const reserveShare = 0.15;

/** Time for long impersonal lists after the deadline, before the request fails. */
const longestDelayMs = 5_000;

export type ListsInTime = (
  ingredients: ListIngredients,
) => Promise<{ lists: List[] /** Whether the lists are impersonal. */; isLate: boolean }>;

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
