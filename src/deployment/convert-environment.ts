/** The settings of an environment. */

import type {
  Environment,
  RatingScale as RatingScaleMessage,
  Registry as RegistryMessage,
  Retention,
  Synonym,
  TrainingSettings as TrainingSettingsMessage,
  UserGroup,
  Version,
} from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import {
  interactionTypes,
  plainInteraction,
  type RatingScale,
  usualInterpretation,
} from '../events/meaning.ts';
import { modelEntries } from '../ranking/models/registry.ts';
import { formatOf } from '../ranking/runtime/time-zones.ts';
import {
  checkEach,
  checkName,
  checkNames,
  type Faults,
  readTimesOfDay,
  withDefaults,
  within,
} from './checks.ts';
import { convertBatches } from './convert-batches.ts';
import { convertFallbacks, metricSegmentsOf } from './convert-fallbacks.ts';
import { convertFeeds } from './convert-feeds.ts';
import { convertItemTypes, eventTypeNames, joinProperties, joinVectors } from './convert-item-types.ts';
import { convertTables } from './convert-kafka.ts';
import {
  type AudienceSettings,
  defaultMetricNamesDays,
  type EnvironmentSettings,
  type EventBounds,
  type GroupLists,
  itemFields,
  type LimitSettings,
  type PropertyDefinition,
  type Purpose,
  purposes,
  type QueryCompletionSettings,
  type Registry,
  type RetentionSettings,
  type SynonymSettings,
  type TrainingSettings,
  type UserGroupSettings,
  type VersionSettings,
} from './deployment.ts';

const defaultTimes = {
  attributionWindowHours: 24,
  listLifetimeMinutes: 30,
  completionsLimit: 10,
  timeoutMs: 500,
};
const defaultCompletions: QueryCompletionSettings = { recent: 3, popular: 3, leastPeople: 5 };
const defaultEventBounds: EventBounds = { largestAmount: 10_000, largestRevenue: 1_000_000 };
const defaultPlaceholders = [
  ...['undefined', 'null', '(null)', 'nil', 'none', 'NaN', 'n/a', 'not set', '(not set)', 'true', 'false'],
  ...['[object Object]', '[object Undefined]', '[object Null]', '{}', '[]', '0', '-', '-1'],
  ...['unknown', 'guest', 'anonymous', 'anonymous_user', 'anonymousUser'],
  ...['{{user_id}}', '{{ user_id }}', '{user_id}', '\x24{user_id}', '%user_id%'],
];
const defaultTraining = { intervalMinutes: 60, restFactor: 10 };
const defaultAudiences: AudienceSettings = {
  excludeBought: false,
  excludeMailedWithinDays: 0,
  holdOutShare: 0,
  halfLifeDays: 90,
  lifetimeDays: 90,
};

type Properties = ReadonlyMap<string, PropertyDefinition>;

export function convertEnvironment(
  message: Environment,
  { variableBytes }: LimitSettings,
  fault: Faults,
): EnvironmentSettings {
  const { name } = message;
  const at = (field: string) => within(fault, field);
  const currency = convertCurrency(message.currency, at('currency'));
  const itemTypes = convertItemTypes(message.itemTypes, at('item_types'));
  const properties = joinProperties(itemTypes, at('item_types'));
  checkEnvironmentName(name, at('name'));
  checkFields(message, properties, fault);
  const returnedFields = convertReturned(message, properties, at('returned_fields'));
  const registries = {
    pageTypes: convertRegistry(message.pageTypes),
    channels: convertRegistry(message.channels),
    listNames: convertRegistry(message.listNames),
  };
  const timeZone = convertTimeZone(message.timeZone, at('time_zone'));
  const fallbacks = convertFallbacks(message, fault);
  const batchEnvironment = { name, timeZone, ...registries, returnedFields, variableBytes };
  return {
    name,
    ...registries,
    ...withDefaults(defaultTimes, message),
    defaultLanguage: convertLanguage(message.defaultLanguage, at('default_language')),
    timeZone,
    itemTypes,
    properties,
    vectors: joinVectors(itemTypes, properties, at('item_types')),
    filterFields: new Set(filterFieldsOf(message, properties)),
    informationField: message.informationField,
    returnedFields,
    currency,
    feeds: convertFeeds(message.feeds, { name, currency, itemTypes }, isCurrency, at('feeds')),
    integrationTypes: new Set(message.integrationTypes),
    pagePurposes: convertPurposes(message.pagePurposes, at('page_purposes')),
    synonyms: message.synonyms.map((synonym, i) => convertSynonym(synonym, at(`synonyms/${i}`))),
    userGroups: convertGroups(message.userGroups, at('user_groups')),
    versions: convertVersions(message.versions, at('versions')),
    queryCompletions: message.queryCompletions && withDefaults(defaultCompletions, message.queryCompletions),
    audiences: {
      ...withDefaults(defaultAudiences, message.audiences),
      configurationId: message.audiences?.configurationId || undefined,
    },
    batches: convertBatches(message.batches, batchEnvironment, at('batches')),
    fallbacks,
    metricSegments: metricSegmentsOf(fallbacks),
    eventBounds: withDefaults(defaultEventBounds, message.eventBounds),
    placeholderIds: new Set(
      (message.placeholderIds?.values ?? defaultPlaceholders).map((id) => id.trim().toLowerCase()),
    ),
    visitorAgents: new Set(message.visitorAgents),
    visitors: convertVisitors(message.visitors),
    eventWeights: convertWeights(message.eventWeights, at('event_weights')),
    ratingScale: convertScale(message.ratingScale, at('rating_scale')),
    changedTables: convertTables(message.changedTables, at('changed_tables')),
    training: convertTraining(message.training, timeZone, at('training')),
    retention: convertRetention(message.retention),
    needsApproval: message.requireApproval,
    holdOut: message.holdOut ?? 0,
    salt: message.salt ?? name,
  };
}

const isCurrency = (code: string) => currencies.has(code);

function convertVisitors(visitors: Environment['visitors']): EnvironmentSettings['visitors'] {
  return {
    needsProof: visitors?.deviceProof !== 'none',
    isUniform: visitors?.profiling === 'none',
    withoutProfiling: visitors?.withoutProfiling ?? [],
  };
}

/** Names that are other paths of the interface. */
const reservedNames = new Set([
  'configurations',
  'metrics',
  'oauth',
  'environments',
  'openapi.json',
  'docs',
  'console',
]);

function checkEnvironmentName(name: string, fault: Faults): void {
  checkName(name, fault);
  if (reservedNames.has(name)) fault('', 'Is the name of another path; choose another.');
}

function checkFields(message: Environment, properties: Properties, fault: Faults): void {
  const { filterFields, informationField } = message;
  const isKnown = (key: string) => itemFields.has(key) || properties.has(key);
  const unknown = 'Is neither a field of Item nor a declared property.';
  checkEach(filterFields, isKnown, unknown, within(fault, 'filter_fields'));
  if (!informationField) return;
  if (!isKnown(informationField)) fault('/information_field', unknown);
  else if (properties.get(informationField)?.returnable === false)
    fault('/information_field', 'Is a property that is not declared returnable.');
}

function filterFieldsOf({ filterFields }: Environment, properties: Properties): string[] {
  if (filterFields.length > 0) return filterFields;
  return [...properties.values()].filter(({ filterable }) => filterable).map(({ name }) => name);
}

/** Properties that only clients with the scope for items may read cannot be returned. */
function convertReturned(
  { returnedFields: declared }: Environment,
  properties: Properties,
  fault: Faults,
): ReadonlySet<string> {
  const returnable = [...properties.values()].filter((property) => property.returnable);
  const byDefault = new Set([...itemFields, ...returnable.map(({ name }) => name)]);
  const unknown = 'Is neither a field of Item nor a property that is declared returnable.';
  checkEach(declared, (name) => name === 'images' || byDefault.has(name), unknown, fault);
  return declared.length > 0 ? new Set(declared) : byDefault;
}

/** BCP 47: a language has two or three letters, so its name is a mistake. */
const languageTag = /^[a-z]{2,3}([-_][a-z0-9]{1,8})*$/i;

function convertLanguage(tag = 'en', fault: Faults): string {
  if (!languageTag.test(tag)) fault('', 'Must be the tag of a language: de, or de-AT.');
  return tag;
}

function convertTimeZone(name = 'UTC', fault: Faults): string {
  try {
    if (/^[a-z]/i.test(name)) return formatOf(name) && name;
  } catch {}
  fault('', 'Must be the IANA name of a time zone: Europe/Berlin.');
  return 'UTC';
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

function convertCurrency(code: string | undefined, fault: Faults): string | undefined {
  if (code !== undefined && !currencies.has(code))
    fault('', 'Must be the code of a currency, in capital letters: EUR.');
  return code;
}

function convertPurposes(
  declared: { readonly [pageType: string]: string },
  fault: Faults,
): Map<string, Purpose> {
  for (const [pageType, purpose] of Object.entries(declared))
    if (!(purposes as readonly string[]).includes(purpose))
      fault(`/${pageType}`, `Must be one of: ${purposes.join(', ')}.`);
  return new Map(Object.entries(declared) as [string, Purpose][]);
}

const mostTimesOfDay = 48;

function convertTraining(
  message: TrainingSettingsMessage | undefined,
  timeZone: string,
  fault: Faults,
): TrainingSettings {
  const times = message?.times ?? [];
  if (times.length > mostTimesOfDay) fault('/times', `Must have at most ${mostTimesOfDay}.`);
  return {
    ...withDefaults(defaultTraining, message),
    newEvents: message?.newEvents,
    changedItems: message?.changedItems,
    timesOfDay: readTimesOfDay(times, within(fault, 'times')),
    timeZone,
  };
}

/** Counts by name are kept no longer than metrics. */
function convertRetention(retention: Retention | undefined): RetentionSettings {
  const { eventsDays, historiesDays, metricsDays } = retention ?? {};
  const namesDays = retention?.metricNamesDays ?? defaultMetricNamesDays;
  return {
    eventsDays,
    historiesDays,
    metricsDays,
    metricNamesDays: Math.min(namesDays, metricsDays ?? namesDays),
  };
}

/** The weight of two purchases; see maxWeightPerItem in ranking/models/interactions.ts. */
const mostEventWeight = 10;

/** Returns weights by event type, or by type and plain interaction with a colon in between. */
function convertWeights(weights: { readonly [key: string]: number }, fault: Faults): Record<string, number> {
  const converted = Object.entries(weights).map(([key, weight]): [string, number] => {
    const [eventType] = key.split('.', 1);
    const interaction = plainInteraction(key.slice(eventType.length));
    const most = eventType.endsWith('impression') ? 0 : mostEventWeight;
    if (!eventTypeNames.has(eventType)) fault(`/${key}`, 'Is not an event type.');
    if (key !== eventType && (!interactionTypes.has(eventType) || !/\D/.test(interaction)))
      fault(`/${key}`, 'Must name an interaction with a letter, of an interaction event.');
    if (!(weight >= -mostEventWeight && weight <= most))
      fault(`/${key}`, `Must be a number from -${mostEventWeight} to ${most}.`);
    return [key === eventType ? key : `${eventType}:${interaction}`, weight];
  });
  return Object.fromEntries(converted);
}

function convertScale(message: RatingScaleMessage | undefined, fault: Faults): RatingScale {
  const scale = withDefaults(usualInterpretation.ratingScale, message);
  if (!(scale.lowest < scale.highest)) fault('/highest', 'Must be above the lowest rating.');
  return scale;
}

function convertRegistry(message: RegistryMessage | undefined): Registry | undefined {
  if (!message) return undefined;
  const onUnknown = (message.onUnknown as Registry['onUnknown'] | undefined) ?? 'accept';
  return { values: new Set(message.values), onUnknown };
}

function convertSynonym({ words, from, to }: Synonym, fault: Faults): SynonymSettings {
  const isOneWay = from.length > 0 && to.length > 0;
  const isMutual = words.length > 0;
  if (isOneWay === isMutual || (isMutual && from.length + to.length > 0))
    fault('', 'Must have either words, or from and to.');
  return isOneWay ? { from, to } : { words };
}

function convertGroups(messages: UserGroup[], fault: Faults): UserGroupSettings[] {
  checkShares(messages, fault);
  return messages.map(({ name, share = 0, lists }) => ({
    name,
    share,
    lists: (lists as GroupLists | undefined) ?? (name === 'recommender' ? 'recommended' : 'baseline'),
  }));
}

const modelNames = modelEntries.map(({ name }) => name);

/** With a misspelt model, both halves of an experiment would be the same. */
function convertVersions(messages: Version[], fault: Faults): VersionSettings[] {
  checkShares(messages, fault);
  for (const [i, { models }] of messages.entries())
    for (const [model, factor] of Object.entries(models)) {
      const place = `/${i}/models/${model}`;
      if (!modelNames.includes(model)) fault(place, `Must be one of: ${modelNames.join(', ')}.`);
      if (!(factor >= 0 && factor < Number.POSITIVE_INFINITY)) fault(place, 'Must be a number from 0.');
    }
  return messages.map(({ name, share = 0, models }) => ({
    name,
    share,
    models: new Map(Object.entries(models)),
  }));
}

function checkShares(messages: { name: string; share?: number }[], fault: Faults): void {
  if (messages.length > 0 && !messages.some(({ share }) => share)) fault('', 'The shares must not all be 0.');
  checkNames(messages, fault);
}
