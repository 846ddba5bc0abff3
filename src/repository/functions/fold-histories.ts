/** Adds what a bucket's users and devices did to their histories. */

import type { DatabaseFunction } from './database-function.ts';
import { declareRows, rowsOf } from './rows.ts';

/** Characters of the older lines when they are cut; 300 usual ones take 15,000, and of longer ones fewer are kept. */
const mostOlderCharacters = 24_000;

/** They are cut when they are as many, so that sorting them is rare. */
const fullOlderCharacters = 30_000;

/** Of what was consumed; two thousand usual lines. */
const mostConsumedCharacters = 100_000;

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
  consumed: 'text',
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

/**
 * Of some lines those of the given kinds (`EVENT_TYPE TAB ITEM_TYPE`) together with what is known to be consumed, each event
 * type and item once with its newest time, the newest first. Lines that are known stay, whatever the kinds are now.
 */
export const consumedLines: DatabaseFunction = {
  signature: 'consumed_lines(text, text, text[])',
  isOfBucket: false,
  text: () => `
create or replace function consumed_lines(known text, lines text, kinds text[]) returns text
language sql immutable as $body$
  select coalesce(string_agg(line, E'\\n' order by place), '') from (
    select line, place, sum(length(line) + 1) over (order by place) as characters from (
      select line, row_number() over (order by seconds desc, what) as place from (
        select distinct on (what) line, what, seconds from (
          select line, substr(line, strpos(line, E'\\t') + 1) as what,
            split_part(line, E'\\t', 1)::bigint as seconds
          from (
            select line from string_to_table(lines, E'\\n') as line
            where split_part(line, E'\\t', 2) || E'\\t' || split_part(line, E'\\t', 3) = any(kinds)
            union all
            select line from string_to_table(known, E'\\n') as line where line <> ''
          ) as given
        ) as read order by what, seconds desc
      ) as told
    ) as ranked
  ) as measured
  where characters <= ${mostConsumedCharacters}
$body$`,
};

/** Both are texts, not null. Built of operators alone, since a cluster bears no other functions here. */
const joined = (first: string, second: string) => `case when ${first} = '' then ${second}
          when ${second} = '' then ${first} else ${first} || E'\\n' || ${second} end`;

type Lines = 'entries' | 'impressions';

/** Whether an addition moves a column's lines to the older ones. */
const isFull = (column: Lines) =>
  `(excluded.${column} <> '' and octet_length(known.${column}) >= ${mostRecentBytes})`;

/** Whether the older ones are then cut. */
const isCut = (column: Lines) => `(${isFull(column)}
          and length(known.${column}) + length(known.older_${column}) >= ${fullOlderCharacters})`;

/** Assignments that put an addition's lines before a column's and its older part's; both may be empty. */
function appendLines(column: Lines): string {
  const added = `excluded.${column}`;
  const older = joined(`known.${column}`, `known.older_${column}`);
  return `
      ${column} = case when ${isFull(column)} then ${added} else ${joined(added, `known.${column}`)} end,
      older_${column} = case when not ${isFull(column)} then known.older_${column}
        when ${isCut(column)} then newest_lines(${older}) else ${older} end`;
}

const linesOf = (column: Lines) => `E'\\n' || known.${column} || E'\\n' || known.older_${column}`;

/** Of what is cut, and what a batch had no room for. Showings are cut often, and seldom consume. */
const keepConsumed = `
      consumed = case
        when ${isCut('entries')} or (showings_consume and ${isCut('impressions')}) or excluded.consumed <> ''
        then consumed_lines(known.consumed || E'\\n' || excluded.consumed, ${linesOf('entries')}
          || case when showings_consume then ${linesOf('impressions')} else '' end, consuming)
        else known.consumed end`;

const hasLines = '(input.entries is not null or input.impressions is not null)';

/**
 * Of two links the one that arrived last counts. One without a moment is claimed, by an event that nobody vouches for: it moves
 * no other link, and every other one replaces it.
 */
const isNewerLink = 'coalesce(excluded.linked_at >= coalesce(known.linked_at, 0), false)';

/** Of an addition and the row that is there: whether the row's link stays. */
const isLinked = `case when input.linked_at is null then known.linked_user is not null
      else known.linked_at is not null and known.linked_user = input.linked_user end`;

/** Days since 1970. */
const today = 'floor(extract(epoch from now()) / 86400)';

/** A device whose link stays, was seen today, and has no more to tell, is not touched. */
const upsert = (isCluster: boolean) => `
  insert into histories as known (
    bucket, environment, subject, seen_day, linked_at, linked_user, entries, impressions, consumed)
  select at_bucket, environment, subject, ${today}, linked_at, linked_user,
    coalesce(entries, ''), coalesce(impressions, ''), coalesce(consumed, '')
  from ${rowsOf('history', historyTypes, isCluster)} as input
  where ${hasLines} or (
    select ${isLinked} and known.seen_day >= ${today} from histories as known
    where known.bucket = at_bucket and known.environment = input.environment
      and known.subject = input.subject) is not true
  on conflict (bucket, environment, subject) do update set
    seen_day = excluded.seen_day,
    linked_at = case when ${isNewerLink} then excluded.linked_at else known.linked_at end,
    linked_user = case when ${isNewerLink} or known.linked_user is null then excluded.linked_user
      else known.linked_user end,
    ${appendLines('entries')},
    ${appendLines('impressions')},
    ${keepConsumed}`;

/** A cluster knows no variables in what an upsert assigns: there they are written into the statement's text. */
function upsertOnCluster(): string {
  const text = upsert(true)
    .replaceAll('at_bucket', () => '$1')
    .replaceAll('history_values', () => '$2');
  return `execute replace(replace($upsert$${text}$upsert$, 'showings_consume', showings_consume::text),
    'consuming', quote_literal(consuming::text) || '::text[]') using at_bucket, history_values`;
}

/** Rows and `consuming` as history-batch.ts has them. */
export const foldHistories: DatabaseFunction = {
  signature: 'fold_histories(integer, text, text[])',
  isOfBucket: false,
  text: (isCluster) => `
create or replace function fold_histories(at_bucket integer, new_histories text, consuming text[])
returns void language plpgsql set search_path from current as $body$
declare
  showings_consume boolean := array_to_string(consuming, ' ') like '%impression' || E'\\t' || '%';
  ${declareRows('history', 'new_histories')}
begin
  ${isCluster ? upsertOnCluster() : upsert(false)};
end
$body$`,
};
