/** The functions of the database, in the order in which they are made, and how they are kept up to date. */

import { createHash } from 'node:crypto';
import { addCombinations, addHours } from './add-sums.ts';
import { attribute } from './attribute.ts';
import { countPeople, countSightings } from './count-people.ts';
import { addExposures, countServed } from './count-served.ts';
import type { DatabaseFunction } from './database-function.ts';
import { findHistories } from './find-histories.ts';
import { firstEventSince } from './first-event.ts';
import { foldEvents } from './fold-events.ts';
import { consumedLines, foldHistories, newestLines } from './fold-histories.ts';
import { insertBatchBelow } from './insert-batch.ts';
import { findLists, insertLists, renewLists } from './keep-lists.ts';
import { addTypedQueries } from './keep-typed-queries.ts';
import { nextNumbers } from './next-numbers.ts';
import { storeEvents } from './store-events.ts';
import { replaceItems, setItemsEnabled, upsertItems } from './store-items.ts';

/** Who is called stands before who calls. */
export const databaseFunctions: readonly DatabaseFunction[] = [
  nextNumbers,
  storeEvents,
  firstEventSince,
  newestLines,
  consumedLines,
  foldHistories,
  addCombinations,
  addHours,
  countSightings,
  countPeople,
  attribute,
  foldEvents,
  findHistories,
  countServed,
  addExposures,
  upsertItems,
  setItemsEnabled,
  replaceItems,
  insertLists,
  renewLists,
  findLists,
  addTypedQueries,
  insertBatchBelow,
];

/** Another one when any text changes. */
export const functionsChecksum = createHash('sha256')
  .update(makeFunctionsText(false))
  .update(makeFunctionsText(true))
  .digest('hex');

/**
 * Makes all of them anew; one message, so one transaction that waits for nobody. Each where it is: a call that has found one that
 * is dropped then fails. Dropped is only what has another type or other names of parameters now.
 */
export function makeFunctionsText(isCluster: boolean): string {
  return databaseFunctions.map(({ signature, text }) => makeText(signature, text(isCluster))).join(';\n');
}

function makeText(signature: string, text: string): string {
  return `do $make$
declare
  made text := $made$${text}$made$;
begin
  execute made;
exception when invalid_function_definition then
  drop function ${signature};
  execute made;
end $make$`;
}
