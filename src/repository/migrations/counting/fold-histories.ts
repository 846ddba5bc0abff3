import { type Kysely, sql } from 'kysely';
import { rowsOf, splitColumns } from './columns.ts';
import { plannedOnce } from './count-events.ts';

/**
 * Adds what users and devices did to their histories, one row for each that did something. A device that is linked to its user already is
 * not touched: to lock a row costs as much as to write it. `folded_until` says up to which event a row is complete.
 */
export async function createHistoriesFunction(db: Kysely<unknown>): Promise<void> {
  await sql.raw(foldHistories).execute(db);
}

/** Characters of the older entries; 300 usual ones take 15,000, and of longer ones fewer are kept. */
const mostOlderCharacters = 24_000;

/** Bytes of the latest entries, about twenty, after which they join the older ones. */
const mostRecentBytes = 1_000;

/** In the order in which `addHistories` writes them. */
const historyTypes = {
  environment: 'text',
  subject: 'text',
  linked_user: 'text',
  entries: 'text',
  impressions: 'text',
};

/** Assignments of an upsert that put new lines before a column's and its older part's; both may be empty. */
function appendLines(column: 'entries' | 'impressions'): string {
  const isFull = `excluded.${column} <> '' and octet_length(known.${column}) >= ${mostRecentBytes}`;
  const joined = (first: string, second: string) =>
    `concat_ws(E'\\n', nullif(${first}, ''), nullif(${second}, ''))`;
  return `
      ${column} = case when ${isFull} then excluded.${column}
        else ${joined(`excluded.${column}`, `known.${column}`)} end,
      older_${column} = case when ${isFull}
        then left(${joined(`known.${column}`, `known.older_${column}`)}, ${mostOlderCharacters})
        else known.older_${column} end`;
}

const foldHistories = `
create function fold_histories(new_histories text, until_sequence bigint) returns void ${plannedOnce} as $body$
declare
  history_columns text[] := ${splitColumns('new_histories')};
begin
  insert into histories as known (environment, subject, linked_user, entries, impressions, folded_until)
  select environment, subject, linked_user, coalesce(entries, ''), coalesce(impressions, ''), until_sequence
  from ${rowsOf('history_columns', historyTypes)} as input
  where entries is not null or impressions is not null or not exists (
    select from histories as known where known.environment = input.environment and known.subject = input.subject
      and known.linked_user = input.linked_user)
  order by environment, subject
  on conflict (environment, subject) do update set
    ${appendLines('entries')},
    ${appendLines('impressions')},
    linked_user = coalesce(excluded.linked_user, known.linked_user),
    folded_until = excluded.folded_until,
    updated_at = now();
end
$body$`;
