/** The report of a simulation as text. */

import type {
  ItemChange,
  SimulateConfigurationResponse,
  SimulatedQuery,
  SimulatedSide,
  ValueShare,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { describePolicies } from './policy-report.ts';
import { describeWarning } from './service.ts';

/** Items and values printed of each kind. */
const mostPrinted = 10;

export function describeSimulation(id: string, answer: SimulateConfigurationResponse): string {
  const { requestCount, listCount, changedListCount, before, after, warnings } = answer;
  if (requestCount === 0)
    return 'No recorded request uses this configuration yet: request recommendations, or search, first.';
  const version = before ? `version ${before.version}` : 'nothing in force';
  return [
    `${listCount} lists of ${requestCount} requests, ${version} beside the draft: ${changedListCount} lists change.`,
    '',
    row('', 'before', 'draft'),
    row('fill rate', percent(before?.fillRate), percent(after!.fillRate)),
    row('failed lists', count(before?.failedListCount), count(after!.failedListCount)),
    ...unmetRows(before, after!),
    ...shareRows(before, after!, ({ shares }) => shares),
    ...shareRows(before, after!, ({ ages }) => ages),
    ...itemLines('Items that leave', answer.itemsOut),
    ...itemLines('Items that come', answer.itemsIn),
    ...(answer.estimate ? ['', describePolicies('clicks', answer.estimate)] : []),
    ...answer.queries.slice(0, mostPrinted).flatMap(describeQuery),
    ...warnings.map((warning) => describeWarning(id, warning)),
  ].join('\n');
}

/** Compares the first results of a query, for a configuration of searches. */
function describeQuery({ query, searches, redirect, promotedCount, ...items }: SimulatedQuery): string[] {
  const beside = [
    ...(redirect === '' ? [] : [`redirect to ${redirect}`]),
    ...(promotedCount === 0 ? [] : [`${promotedCount} promoted`]),
  ];
  return [
    '',
    `${query}  (${searches} searches)`,
    `  now   ${items.beforeItemIds.join(' · ') || 'nothing'}`,
    `  then  ${[items.afterItemIds.join(' · ') || 'nothing', ...beside].join('; ')}`,
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
    side?.unmetQuotas.find(({ constraintIndex }) => constraintIndex === index)?.missingCount ?? 0;
  const indexes = [before, after].flatMap(
    (side) => side?.unmetQuotas.map(({ constraintIndex }) => constraintIndex) ?? [],
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

/** Compares the values of each key with the largest changes. */
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
      ({ itemId, title, beforeCount, afterCount }) =>
        `    ${itemId}  ${title}  in ${beforeCount} → ${afterCount} lists`,
    );
  const rest = changes.length - lines.length;
  return ['', `${heading}:`, ...lines, ...(rest > 0 ? [`    and ${rest} more`] : [])];
}
