/** Checks the references of events (answers, items, lists, pages) and the catalogue. */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { isClick } from '../../events/meaning.ts';
import {
  findNamedAnswers,
  listMissingItems,
  listUnregistered,
  listUnseenClicks,
} from '../../repository/doctor/content-queries.ts';
import { type Case, mostExamples } from '../../repository/doctor/timed-query.ts';
import { type Check, groupTypes, sumOf } from './examination.ts';
import { type Finding, shareFinding } from './finding.ts';

export const checkUnseenClicks: Check = async ({ db, judged, judgedCounts, preceding }) => {
  const cases = await listUnseenClicks(db, judged(), preceding());
  if (!cases || cases.length === 0) return cases && [];
  const counts = await judgedCounts();
  if (!counts) return undefined;
  return [
    shareFinding({
      check: 'clicks_without_impressions',
      ...{ count: cases[0].total, ofCount: sumOf(counts, 'byPeople', isClick), noun: 'clicks' },
      predicate: 'have no impression of their item with their request_id: click-through rates are too high.',
      hint: 'Send an impression for every item that is seen, before its click, with the request_id of its list.',
      examples: textsOf(cases),
    }),
  ];
};

const groupsOf = ({ userGroups }: EnvironmentSettings) => [
  'recommender',
  'fallback',
  ...userGroups.map(({ name }) => name),
];

/** With fewer answers, an integration that uses its own request IDs cannot be told from mistakes. */
const enoughAnswers = 20;

/**
 * If some request IDs are the service's, the others are mistakes. If none is, the caller may use
 * IDs of its own or have loaded history, so the finding is a notice.
 */
export const checkAnswers: Check = async ({ db, settings, window }) => {
  const found = await findNamedAnswers(db, window(), groupsOf(settings));
  if (!found || found.foreign === 0) return found && [];
  const { given, foreign, cases } = found;
  if (given === 0 && foreign < enoughAnswers) return [];
  return [
    shareFinding({
      check: 'events_without_recommendations',
      severity: given === 0 ? 'notice' : undefined,
      ...{ count: foreign, ofCount: given + foreign, noun: 'answers that impressions and clicks name' },
      predicate: 'are unknown to the service, though their user_group is one of its own.',
      hint: 'Send request_id and user_group unchanged from the answer. Lists of your own need a user_group of your own.',
      examples: cases.map(({ text }) => `request ${text}`),
    }),
  ];
};

const registryColumns = [
  { column: 'list_name', countName: 'withListName', registryName: 'listNames' },
  { column: 'page_type', countName: 'withPageType', registryName: 'pageTypes' },
  { column: 'channel', countName: 'withChannel', registryName: 'channels' },
] as const;

/** Without a registry any name is valid. */
export const checkRegistries: Check = async ({ db, settings, counts, window }) => {
  const findings: Finding[] = [];
  for (const { column, countName, registryName } of registryColumns) {
    const registry = settings[registryName];
    const cases = registry ? await listUnregistered(db, window(), column, [...registry.values]) : [];
    if (!cases) return undefined;
    if (cases.length === 0) continue;
    findings.push(
      shareFinding({
        check: 'unregistered_values',
        subject: column,
        ...{ count: cases[0].total, ofCount: sumOf(counts, countName), noun: `events with a ${column}` },
        predicate: 'have a value that the deployment file does not list.',
        hint: `Correct the caller's ${column}, or add the value to the environment's ${column}s in the deployment file.`,
        examples: textsOf(cases),
      }),
    );
  }
  return findings;
};

export const checkNewNames: Check = async ({ excessNames }) => {
  if (!excessNames) return [];
  const { count, examples } = excessNames;
  return [
    {
      check: 'too_many_new_names',
      severity: 'warning',
      count,
      description: `Metrics counted ${count} lists and events under the name other: too many new combinations of page, list, channel and the like in one hour.`,
      hint: 'Look for a caller that generates names. Declare page_types, channels and list_names in the deployment file, or raise limits.new_names_per_hour.',
      examples: [...examples],
    },
  ];
};

/** Problems of configurations concern all environments; of items, only those of this one. */
export const checkDeployment: Check = async ({ settings, findProblems, window }) => {
  const { problems, isComplete } = await findProblems(window().timeoutMs);
  if (!isComplete && problems.length === 0) return undefined;
  const findingOf = (
    environment: string | undefined,
    parts: Pick<Finding, 'subject' | 'severity' | 'description'>,
  ) => {
    const found = problems.filter((problem) => problem.environment === environment);
    const examples = found.slice(0, mostExamples).map(({ description }) => description);
    const hint =
      'Correct the deployment file, or change the configurations and send the items again. `serve --check FILE` lists everything.';
    const count = found.reduce((sum, problem) => sum + problem.count, 0);
    return found.length === 0 ? [] : [{ check: 'deployment_mismatch', count, hint, examples, ...parts }];
  };
  return [
    ...findingOf(undefined, {
      ...{ subject: 'configurations', severity: 'fault' },
      description: 'Configurations have rules that no environment of the deployment file can evaluate.',
    }),
    ...findingOf(settings.name, {
      ...{ subject: 'items', severity: 'warning' },
      description: 'Stored items have types or values that the deployment file does not declare.',
    }),
  ];
};

export const checkMissingItems: Check = async ({ db, settings, counts, window }) => {
  const itemTypes = [...settings.itemTypes.keys()];
  const cases = await listMissingItems(db, window(), { groupTypes, itemTypes });
  if (!cases || cases.length === 0) return cases && [];
  const ofCount = sumOf(counts, 'withItem', (eventType) => !groupTypes.includes(eventType));
  return [
    shareFinding({
      check: 'items_missing',
      ...{ count: cases[0].total, ofCount, noun: 'events on items' },
      predicate: 'have an item that is not in the catalogue, so it cannot be recommended.',
      hint: 'Send every item to /{environment}/items before its first event, and use the same item_id and item_type in both.',
      examples: textsOf(cases),
    }),
  ];
};

export const checkCatalogue: Check = async ({ settings, itemCount, catalogueAt, nowMs, staleAfterHours }) => {
  if (itemCount === 0) return [emptyCatalogue(settings.name)];
  if (!catalogueAt) return undefined;
  const ageHours = Math.floor((nowMs - catalogueAt.getTime()) / 3_600_000);
  if (ageHours < staleAfterHours) return [];
  return [
    {
      check: 'catalogue_stale',
      severity: 'warning',
      count: ageHours,
      description: `No item was written for ${ageHours} hours. New items are missing, and deleted ones are still recommended.`,
      hint: 'Check the job that sends items. Send each item again when it changes, and disable deleted ones.',
      examples: [`last write ${catalogueAt.toISOString()}`],
    },
  ];
};

function emptyCatalogue(environment: string): Finding {
  return {
    check: 'catalogue_empty',
    severity: 'fault',
    count: 0,
    description: 'The catalogue is empty, so there is nothing to recommend.',
    hint: `Send items to PUT /${environment}/items/{item_type}/{item_id}, or import a file of them.`,
    examples: [],
  };
}

function textsOf(cases: readonly Case[]): string[] {
  return cases.map(({ text, count }) => (count > 1 ? `${text} (${count} times)` : text));
}
