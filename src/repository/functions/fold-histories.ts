/** Adds what a bucket's users and devices did to their histories. */

import type { DatabaseFunction } from './database-function.ts';
import { declareRows, rowsOf } from './rows.ts';

/** Characters of the older lines when they are cut; 300 usual ones take 15,000, and of longer ones fewer are kept. */
const mostOlderCharacters = 24_000;

/** They are cut when they are as many, so that sorting them is rare. */
const fullOlderCharacters = 30_000;

/** Bytes of the latest lines, about twenty, after which they join the older ones. */
const mostRecentBytes = 1_000;

/** In the order in which they are written. */
const historyTypes = {
  environment: 'text',
  subject: 'text',
  linked_at: 'bigint',
  linked_user: 'text',
  entries: 'text',
  impressions: 'text',
};

/** The newest of some lines by their own time, so that old events that come late push nothing out. Whole lines only. */
export const newestLines: DatabaseFunction = {
  signature: 'newest_lines(text)',
  isOfBucket: false,
  text: () => `
create or replace function newest_lines(lines text) returns text language sql immutable as $body$
  select string_agg(line, E'\\n' order by place) from (
    select line, place, sum(length(line) + 1) over (order by place) as characters from (
      select line, row_number() over (order by split_part(line, E'\\t', 1)::bigint desc, arrival) as place
      from string_to_table(lines, E'\\n') with ordinality as given(line, arrival)
    ) as ranked
  ) as measured
  where characters <= ${mostOlderCharacters}
$body$`,
};

/** Both are texts, not null. Built of operators alone, since a cluster bears no other functions here. */
const joined = (first: string, second: string) => `case when ${first} = '' then ${second}
          when ${second} = '' then ${first} else ${first} || E'\\n' || ${second} end`;

/** Assignments that put an addition's lines before a column's and its older part's; both may be empty. */
function appendLines(column: 'entries' | 'impressions'): string {
  const added = `excluded.${column}`;
  const older = joined(`known.${column}`, `known.older_${column}`);
  const isFull = `(${added} <> '' and octet_length(known.${column}) >= ${mostRecentBytes})`;
  return `
      ${column} = case when ${isFull} then ${added} else ${joined(added, `known.${column}`)} end,
      older_${column} = case when not ${isFull} then known.older_${column}
        when length(known.${column}) + length(known.older_${column}) < ${fullOlderCharacters} then ${older}
        else newest_lines(${older}) end`;
}

const hasLines = '(input.entries is not null or input.impressions is not null)';

/** Of two links the one that arrived last counts. */
const isNewerLink = 'coalesce(excluded.linked_at >= coalesce(known.linked_at, 0), false)';

/** Days since 1970. */
const today = 'floor(extract(epoch from now()) / 86400)';

/** A device that is linked to its user already, was seen today, and has no more to tell, is not touched. */
export const foldHistories: DatabaseFunction = {
  signature: 'fold_histories(integer, text)',
  isOfBucket: false,
  text: (isCluster) => `
create or replace function fold_histories(at_bucket integer, new_histories text) returns void
language plpgsql set search_path from current as $body$
declare
  ${declareRows('history', 'new_histories')}
begin
  insert into histories as known (
    bucket, environment, subject, seen_day, linked_at, linked_user, entries, impressions)
  select at_bucket, environment, subject, ${today}, linked_at, linked_user,
    coalesce(entries, ''), coalesce(impressions, '')
  from ${rowsOf('history', historyTypes, isCluster)} as input
  where ${hasLines} or (
    select known.linked_user = input.linked_user and known.seen_day >= ${today} from histories as known
    where known.bucket = at_bucket and known.environment = input.environment
      and known.subject = input.subject) is not true
  on conflict (bucket, environment, subject) do update set
    seen_day = excluded.seen_day,
    linked_at = case when ${isNewerLink} then excluded.linked_at else known.linked_at end,
    linked_user = case when ${isNewerLink} then excluded.linked_user else known.linked_user end,
    ${appendLines('entries')},
    ${appendLines('impressions')};
end
$body$`,
};
