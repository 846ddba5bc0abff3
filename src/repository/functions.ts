/** The functions of the database: their texts lie in `sql/` and are made anew when one changes. */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { eventIdDays, mostPastDevices, mostTypedQueries, storedMeanwhile } from './function-constants.ts';
import { locks } from './locks.ts';
import { agreedGroupings, combinationColumns, mostCombinationsPerKey } from './metrics/metric-dimensions.ts';
import { deviceMeasures, measures } from './metrics/metric-measures.ts';
import { renderSql } from './sql-template.ts';

export type DatabaseFunction = {
  /** The name and the types of the parameters, which identify it. */
  signature: string;
  /** `create or replace function …`. */
  text: string;
  /**
   * Whether the program calls it, with a bucket as its first parameter: a sharded database runs it where the bucket is, in one
   * round trip. The others are called by functions, wherever these run.
   */
  isOfBucket: boolean;
};

/** In the order in which the functions are made. */
const files = [
  'next-numbers',
  'store-events',
  'first-event',
  'aggregate-histories',
  'hand-over',
  'add-sums',
  'count-people',
  'attribute',
  'aggregate-events',
  'find-histories',
  'served',
  'changes',
  'items',
  'lists',
  'typed-queries',
  'insert-batch',
];

/**
 * Settings of the functions that the program calls. They are planned once per connection, because
 * planning costs more than running. The plan must suit tables of any size, even if they are empty
 * when it is made, so rows are found by key: joins with given rows are upserts, subqueries of one
 * row, or loops. An index in the order of a subquery precedes a sort: while statistics are old, the first
 * column of the primary key looks as selective, and would read a whole bucket. JIT is off, because the server would compile for seconds if only a disabled plan
 * type, with its extreme cost, is possible. On a cluster a plan needs the bucket, so it is not
 * generic.
 */
const plannedOnce = (isCluster: boolean) => `language plpgsql set search_path from current
  ${isCluster ? '' : 'set plan_cache_mode = force_generic_plan'}
  set enable_seqscan = off set enable_bitmapscan = off
  set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off set jit = off`;

/**
 * A statement of a function's body: its transaction, and no other, commits without waiting for the disk. All nodes see the rows
 * at once; a crash of the database server loses those of its last half second.
 */
const unflushed = `perform set_config('synchronous_commit', 'off', true);`;

export function listFunctions(isCluster: boolean): DatabaseFunction[] {
  const planned = plannedOnce(isCluster);
  const options = {
    isCluster,
    values: {
      planned_once: planned,
      unflushed,
      event_id_days: eventIdDays,
      stored_meanwhile: storedMeanwhile,
      most_typed_queries: mostTypedQueries,
      last_past_device: mostPastDevices - 1,
      most_combinations: mostCombinationsPerKey,
      agreed_groupings: `{${agreedGroupings.join(',')}}`,
      batches_lock: locks.batches,
    },
    lists: { measures, device_measures: deviceMeasures, dimensions: combinationColumns },
  };
  return files.flatMap((name) => {
    const source = readFileSync(new URL(`./sql/${name}.sql`, import.meta.url), 'utf8');
    const texts = renderSql(source, options).match(/^create or replace function [\s\S]*?^\$body\$/gm) ?? [];
    return texts.map((text) => ({ signature: signatureOf(text), text, isOfBucket: text.includes(planned) }));
  });
}

function signatureOf(text: string): string {
  const [, name, parameters] = /^create or replace function (\w+)\(([^)]*)\)/.exec(text)!;
  const types = parameters
    .split(',')
    .map((parameter) => parameter.trim())
    .filter((parameter) => !parameter.startsWith('out '))
    .map((parameter) => parameter.slice(parameter.indexOf(' ') + 1));
  return `${name}(${types.join(', ')})`;
}

/** Changes with any text. */
export function checksumFunctions(): string {
  return createHash('sha256')
    .update(createFunctionsText(false))
    .update(createFunctionsText(true))
    .digest('hex');
}

/**
 * Creates or replaces all functions in one message, so in one transaction. Each is replaced in place, since a call that has found
 * a dropped function fails; only a function whose result type or parameter names changed is dropped.
 */
export function createFunctionsText(isCluster: boolean): string {
  return listFunctions(isCluster)
    .map(
      ({ signature, text }) => `do $make$
declare
  made text := $made$${text}$made$;
begin
  execute made;
exception when invalid_function_definition then
  drop function ${signature};
  execute made;
end $make$`,
    )
    .join(';\n');
}
