/** What a simulation found, for people. */

import type {
  ItemChange,
  SimulateConfigurationResponse,
  SimulatedQuery,
  SimulatedSide,
  ValueShare,
} from '../../../gen/grpc/personalisation/v1/configuration_service.ts';
import { describeWarning } from './rules-as-code.ts';

/** Items and values printed of each kind. */
const mostPrinted = 10;

export function describeSimulation(id: string, answer: SimulateConfigurationResponse): string {
  const { request_count, list_count, changed_list_count, before, after, warnings } = answer;
  if (request_count === 0)
    return 'No request is kept yet that it is for: ask for recommendations, or search, first.';
  const version = before ? `version ${before.version}` : 'nothing in force';
  return [
    `${list_count} lists of ${request_count} requests, ${version} beside the draft: ${changed_list_count} lists change.`,
    '',
    row('', 'before', 'draft'),
    row('fill rate', percent(before?.fill_rate), percent(after!.fill_rate)),
    row('failed lists', count(before?.failed_list_count), count(after!.failed_list_count)),
    ...unmetRows(before, after!),
    ...shareRows(before, after!, ({ shares }) => shares),
    ...shareRows(before, after!, ({ ages }) => ages),
    ...itemLines('Items that leave', answer.items_out),
    ...itemLines('Items that come', answer.items_in),
    ...answer.queries.slice(0, mostPrinted).flatMap(describeQuery),
    ...warnings.map((warning) => describeWarning(id, warning)),
  ].join('\n');
}

/** Of a configuration of searches: what a query shows first, and would show. */
function describeQuery({ query, searches, redirect, promoted_count, ...items }: SimulatedQuery): string[] {
  const beside = [
    ...(redirect === '' ? [] : [`redirect to ${redirect}`]),
    ...(promoted_count === 0 ? [] : [`${promoted_count} promoted`]),
  ];
  return [
    '',
    `${query}  (${searches} searches)`,
    `  now   ${items.before_item_ids.join(' · ') || 'nothing'}`,
    `  then  ${[items.after_item_ids.join(' · ') || 'nothing', ...beside].join('; ')}`,
  ];
}

function row(name: string, before: string, after: string): string {
  return `${name.slice(0, 50).padEnd(50)}  ${before.padStart(8)}  ${after.padStart(8)}`.trimEnd();
}

function percent(share: number | undefined): string {
  return share === undefined ? '' : `${(share * 100).toFixed(1)} %`;
}

function count(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

function unmetRows(before: SimulatedSide | undefined, after: SimulatedSide): string[] {
  const missing = (side: SimulatedSide | undefined, index: number) =>
    side?.unmet_quotas.find(({ constraint_index }) => constraint_index === index)?.missing_count ?? 0;
  const indexes = [before, after].flatMap(
    (side) => side?.unmet_quotas.map(({ constraint_index }) => constraint_index) ?? [],
  );
  return [...new Set(indexes)]
    .sort((a, b) => a - b)
    .map((index) =>
      row(
        `items that minimum ${index} lacks`,
        count(before && missing(before, index)),
        count(missing(after, index)),
      ),
    );
}

/** The values that changed most, of each key. */
function shareRows(
  before: SimulatedSide | undefined,
  after: SimulatedSide,
  sharesOf: (side: SimulatedSide) => ValueShare[],
): string[] {
  const drafted = sharesOf(after);
  const present = before ? sharesOf(before) : [];
  const shareIn = (shares: ValueShare[], { key, value }: ValueShare) =>
    shares.find((one) => one.key === key && one.value === value)?.share ?? 0;
  const added = drafted.filter(
    (one) => !present.some(({ key, value }) => key === one.key && value === one.value),
  );
  const change = (one: ValueShare) => Math.abs(shareIn(drafted, one) - shareIn(present, one));
  const byKey = Object.groupBy([...present, ...added], ({ key }) => key);
  return Object.values(byKey).flatMap((values) =>
    values!
      .sort((a, b) => change(b) - change(a))
      .slice(0, mostPrinted)
      .map((one) =>
        row(
          `${one.key} ${one.value}`,
          percent(before && shareIn(present, one)),
          percent(shareIn(drafted, one)),
        ),
      ),
  );
}

function itemLines(heading: string, changes: readonly ItemChange[]): string[] {
  if (changes.length === 0) return [];
  const lines = changes
    .slice(0, mostPrinted)
    .map(
      ({ item_id, title, before_count, after_count }) =>
        `    ${item_id}  ${title}  in ${before_count} → ${after_count} lists`,
    );
  const rest = changes.length - lines.length;
  return ['', `${heading}:`, ...lines, ...(rest > 0 ? [`    and ${rest} more`] : [])];
}
