/** A function of the database, made again when its text changes. */
export type DatabaseFunction = {
  /** With the types of its parameters: what it is known by. */
  signature: string;
  /** `create or replace function …`, as a single server or as a cluster is to have it. */
  text: (isCluster: boolean) => string;
  /**
   * Whether its first parameter is a bucket: then a sharded database runs it where the bucket is, in
   * one round trip. Others are called by functions, wherever these run.
   */
  isOfBucket: boolean;
};

/**
 * Of functions that are called from outside. Planned once for a connection, since the plan of a
 * statement this wide costs more than to run it; and the plan must be right for tables of any size,
 * though they may be empty when it is made. So rows are found by their keys: what a join with given
 * rows could read in another way is written as an upsert, a subquery of one row, or a loop. The
 * summaries of people (migration 12) are for other statements. A forbidden way that is the only one
 * is planned at a cost beyond all limits, which has a server that can compile its plans do so for
 * seconds, at each call. On a cluster a plan must know the bucket, so none is made once for all.
 */
export function plannedOnce(isCluster: boolean): string {
  return `language plpgsql set search_path from current
  ${isCluster ? '' : 'set plan_cache_mode = force_generic_plan'}
  set enable_seqscan = off set enable_bitmapscan = off
  set enable_hashjoin = off set enable_mergejoin = off set jit = off`;
}

/**
 * A statement of a function's body: its transaction, and no other, commits without waiting for the disk.
 * Every node sees the rows at once; a crash of the database server loses those of its last half second.
 */
export const unflushed = `perform set_config('synchronous_commit', 'off', true);`;
