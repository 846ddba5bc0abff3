import { type Kysely, sql } from 'kysely';
import { declareRows, rowsOf } from './columns.ts';
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

/** Assignments that put an addition's lines before a column's and its older part's; both may be empty. */
function appendLines(column: 'entries' | 'impressions'): string {
  const isFull = `input.${column} <> '' and octet_length(known.${column}) >= ${mostRecentBytes}`;
  const joined = (first: string, second: string) =>
    `concat_ws(E'\\n', nullif(${first}, ''), nullif(${second}, ''))`;
  return `
      ${column} = case when ${isFull} then input.${column}
        else ${joined(`input.${column}`, `known.${column}`)} end,
      older_${column} = case when ${isFull}
        then left(${joined(`known.${column}`, `known.older_${column}`)}, ${mostOlderCharacters})
        else known.older_${column} end`;
}

const sameHistory = 'known.environment = input.environment and known.subject = input.subject';

const rows = rowsOf('history', historyTypes);
const hasLines = '(input.entries is not null or input.impressions is not null)';

/**
 * Folds take turns, so nobody else inserts meanwhile; and to update costs half of what an insertion does that finds its row there.
 * Usually all rows with lines are there, and all others have their link.
 */
const foldHistories = `
create or replace function fold_histories(new_histories text, until_sequence bigint) returns void ${plannedOnce} as $body$
declare
  ${declareRows('history', 'new_histories', historyTypes)}
  updated_count int;
begin
  update histories as known set
    folded_until = until_sequence,
    linked_user = coalesce(input.linked_user, known.linked_user),
    ${appendLines('entries')},
    ${appendLines('impressions')}
  from ${rows} as input
  where ${hasLines} and ${sameHistory};
  get diagnostics updated_count = row_count;
  if updated_count < (select count(*) from ${rows} as input where ${hasLines}) then
    insert into histories (environment, subject, linked_user, entries, impressions, folded_until)
    select environment, subject, linked_user, coalesce(entries, ''), coalesce(impressions, ''), until_sequence
    from ${rows} as input
    where ${hasLines} and not exists (select from histories as known where ${sameHistory})
    order by environment, subject;
  end if;
  insert into histories as known (environment, subject, linked_user, folded_until)
  select environment, subject, linked_user, until_sequence from ${rows} as input
  where not ${hasLines} and not exists (
    select from histories as known where ${sameHistory} and known.linked_user = input.linked_user)
  order by environment, subject
  on conflict (environment, subject) do update
    set linked_user = excluded.linked_user, folded_until = excluded.folded_until;
end
$body$`;
