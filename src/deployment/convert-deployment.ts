/** A decoded deployment file as settings: completes the defaults and checks what message types cannot say. */

import type {
  AudienceSettings as AudienceSettingsMessage,
  Authentication,
  DeploymentConfig,
  Environment,
  Registry as RegistryMessage,
  Synonym,
  Traces,
  TrainingSettings as TrainingSettingsMessage,
  UserGroup,
  Version,
} from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import type { Violation } from '../errors.ts';
import { modelEntries } from '../ranking/models/registry.ts';
import { convertBatches } from './convert-batches.ts';
import { convertFallbacks } from './convert-fallbacks.ts';
import {
  convertItemTypes,
  eventTypeNames,
  joinProperties,
  namePattern,
  namePatternDetail,
} from './convert-item-types.ts';
import { convertLimits } from './convert-limits.ts';
import { convertRetention } from './convert-retention.ts';
import { convertRateLimit, convertServer, type Faults } from './convert-server.ts';
import {
  type AudienceSettings,
  type AuthenticationSettings,
  type ConsoleSettings,
  type Deployment,
  type EnvironmentSettings,
  type GroupLists,
  itemFields,
  type LimitSettings,
  type PagePurpose,
  type PropertyDefinition,
  type Registry,
  type SynonymSettings,
  type TraceSettings,
  type TrainingSettings,
  type UserGroupSettings,
  type VersionSettings,
} from './deployment.ts';
import { readTimesOfDay } from './times-of-day.ts';

/** Names that stand where an environment's name would in the documented paths. */
const reservedEnvironmentNames = new Set([
  'configurations',
  'metrics',
  'oauth',
  'environments',
  'openapi.json',
  'docs',
  'console',
]);

export function convertDeployment(
  config: DeploymentConfig,
  directory: string,
): { deployment: Deployment; violations: Violation[] } {
  const violations: Violation[] = [];
  const fault: Faults = (pointer, detail) => violations.push({ pointer, detail });
  const environments = new Map<string, EnvironmentSettings>();
  const limits = convertLimits(config.limits);
  for (const [i, environment] of config.environments.entries()) {
    const pointer = `/environments/${i}`;
    if (environments.has(environment.name)) fault(`${pointer}/name`, 'Stands twice.');
    environments.set(environment.name, convertEnvironment(environment, pointer, limits, fault));
  }
  const deployment = {
    basePath: convertBasePath(config, fault),
    server: convertServer(config.server, directory, fault),
    traces: convertTraces(config.telemetry?.traces, fault),
    authentication: convertAuthentication(config.authentication, fault),
    rateLimits: config.rateLimits.map((limit, i) => convertRateLimit(limit, `/rate_limits/${i}`, fault)),
    limits,
    console: convertConsole(config, fault),
    environments,
    storage: { bucketCount: config.storage?.buckets },
    demo: false,
  };
  return { deployment, violations };
}

/** What stands there is answered before the documented paths are looked at. */
const ownedPaths = /^\/(healthz|readyz|\.well-known|personalisation\.[^/]+)(\/|$)/;
const consolePaths = /^\/console(\/|$)/;

function convertBasePath({ basePath: path = '/api', console }: DeploymentConfig, fault: Faults): string {
  if (path === '/' || path === '') return '';
  if (!/^(\/[A-Za-z0-9._~-]+)+$/.test(path)) {
    fault('/base_path', 'Must be segments of letters, digits, . _ ~ - that each begin with /, e.g. /api/v1.');
  }
  if (ownedPaths.test(path) || (console !== false && consolePaths.test(path)))
    fault('/base_path', 'Is where the service answers something else; choose another.');
  return path;
}

function convertConsole(config: DeploymentConfig, fault: Faults): ConsoleSettings | undefined {
  for (const [i, origin] of config.consoleImageOrigins.entries()) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      fault(`/console_image_origins/${i}`, 'Must be an origin like https://images.shop.example.');
  }
  return config.console === false ? undefined : { imageOrigins: config.consoleImageOrigins };
}

function isWebAddress(text: string): boolean {
  return /^https?:\/\//.test(text) && URL.canParse(text);
}

function convertTraces(message: Traces | undefined, fault: Faults): TraceSettings | undefined {
  if (!message) return undefined;
  if (!isWebAddress(message.endpoint))
    fault('/telemetry/traces/endpoint', 'Must be an address like http://localhost:4318/v1/traces.');
  return { endpoint: message.endpoint, share: message.share ?? 1 };
}

function convertAuthentication(message: Authentication | undefined, fault: Faults): AuthenticationSettings {
  const declared = message?.publicOperations ?? [];
  if (message?.nothingPublic && declared.length > 0) {
    fault('/authentication/public_operations', 'Not allowed beside nothing_public.');
  }
  if (message?.issuer && !isWebAddress(message.issuer.jwksUri))
    fault('/authentication/issuer/jwks_uri', 'Must be an address like https://login.example/jwks.json.');
  const byDefault = message?.nothingPublic ? [] : ['recommendations', 'searches'];
  return {
    publicOperations: new Set(declared.length > 0 ? declared : byDefault),
    tokenLifetimeSeconds: message?.tokenLifetimeSeconds ?? 86_400,
    issuer: message?.issuer && {
      name: message.issuer.name,
      jwksUri: message.issuer.jwksUri,
      audience: message.issuer.audience,
    },
  };
}

function convertEnvironment(
  message: Environment,
  pointer: string,
  { variableBytes }: LimitSettings,
  fault: Faults,
): EnvironmentSettings {
  if (!namePattern.test(message.name)) fault(`${pointer}/name`, namePatternDetail);
  if (reservedEnvironmentNames.has(message.name))
    fault(`${pointer}/name`, 'Is the name of another path; choose another.');
  const itemTypes = convertItemTypes(message.itemTypes, `${pointer}/item_types`, fault);
  const properties = joinProperties(itemTypes, `${pointer}/item_types`, fault);
  const known = (key: string) => itemFields.has(key) || properties.has(key);
  for (const [i, field] of message.filterFields.entries()) {
    if (!known(field))
      fault(`${pointer}/filter_fields/${i}`, 'Is neither a field of Item nor a declared property.');
  }
  if (message.informationField && !known(message.informationField)) {
    fault(`${pointer}/information_field`, 'Is neither a field of Item nor a declared property.');
  } else if (properties.get(message.informationField ?? '')?.returnable === false) {
    fault(`${pointer}/information_field`, 'Is a property that is not declared returnable.');
  }
  const returnedFields = convertReturned(
    message.returnedFields,
    properties,
    `${pointer}/returned_fields`,
    fault,
  );
  const registries = {
    pageTypes: convertRegistry(message.pageTypes),
    channels: convertRegistry(message.channels),
    listNames: convertRegistry(message.listNames),
  };
  const { name } = message;
  return {
    name,
    ...registries,
    defaultLanguage: convertLanguage(message.defaultLanguage, `${pointer}/default_language`, fault),
    itemTypes,
    properties,
    filterFields: new Set(filterFieldsOf(message, properties)),
    informationField: message.informationField,
    returnedFields,
    currency: convertCurrency(message.currency, `${pointer}/currency`, fault),
    integrationTypes: new Set(message.integrationTypes),
    pagePurposes: convertPurposes(message.pagePurposes, `${pointer}/page_purposes`, fault),
    synonyms: message.synonyms.map((synonym, i) =>
      convertSynonym(synonym, `${pointer}/synonyms/${i}`, fault),
    ),
    userGroups: convertGroups(message.userGroups, `${pointer}/user_groups`, fault),
    versions: convertVersions(message.versions, `${pointer}/versions`, fault),
    attributionWindowHours: message.attributionWindowHours ?? 24,
    listLifetimeMinutes: message.listLifetimeMinutes ?? 30,
    completionsLimit: message.completionsLimit ?? 10,
    queryCompletions: message.queryCompletions && {
      recent: message.queryCompletions.recent ?? 3,
      popular: message.queryCompletions.popular ?? 3,
      leastPeople: message.queryCompletions.leastPeople ?? 5,
    },
    timeoutMs: message.timeoutMs ?? 500,
    audiences: convertAudiences(message.audiences),
    batches: convertBatches(
      message.batches,
      { name, ...registries, returnedFields, variableBytes },
      `${pointer}/batches`,
      fault,
    ),
    fallbacks: convertFallbacks(message, pointer, fault),
    eventBounds: {
      largestAmount: message.eventBounds?.largestAmount ?? 10_000,
      largestRevenue: message.eventBounds?.largestRevenue ?? 1_000_000,
    },
    eventWeights: convertWeights(message.eventWeights, `${pointer}/event_weights`, fault),
    training: convertTraining(message.training, `${pointer}/training`, fault),
    retention: convertRetention(message.retention),
    salt: message.salt ?? message.name,
  };
}

/** Of BCP 47, whose languages have two or three letters; a name would be a language that nothing is known of. */
const languageTag = /^[a-z]{2,3}([-_][a-z0-9]{1,8})*$/i;

function convertLanguage(tag = 'en', pointer: string, fault: Faults): string {
  if (!languageTag.test(tag)) fault(pointer, 'Must be the tag of a language: de, or de-AT.');
  return tag;
}

const currencies = new Set(Intl.supportedValuesOf('currency'));

function convertCurrency(code: string | undefined, pointer: string, fault: Faults): string | undefined {
  if (code !== undefined && !currencies.has(code))
    fault(pointer, 'Must be the code of a currency, in capital letters: EUR.');
  return code;
}

function convertAudiences(message: AudienceSettingsMessage | undefined): AudienceSettings {
  return {
    excludeBought: message?.excludeBought ?? false,
    excludeMailedWithinDays: message?.excludeMailedWithinDays ?? 0,
    holdOutShare: message?.holdOutShare ?? 0,
    configurationId: message?.configurationId || undefined,
    halfLifeDays: message?.halfLifeDays ?? 90,
    lifetimeDays: message?.lifetimeDays ?? 90,
  };
}

const pagePurposes: readonly string[] = ['complete_basket', 'bought_together'] satisfies PagePurpose[];

function convertPurposes(
  declared: { readonly [pageType: string]: string },
  pointer: string,
  fault: Faults,
): Map<string, PagePurpose> {
  for (const [pageType, purpose] of Object.entries(declared))
    if (!pagePurposes.includes(purpose))
      fault(`${pointer}/${pageType}`, `Must be one of: ${pagePurposes.join(', ')}.`);
  return new Map(Object.entries(declared) as [string, PagePurpose][]);
}

const mostTimesOfDay = 48;

function convertTraining(
  message: TrainingSettingsMessage | undefined,
  pointer: string,
  fault: Faults,
): TrainingSettings {
  const times = message?.times ?? [];
  if (times.length > mostTimesOfDay) fault(`${pointer}/times`, `Must have at most ${mostTimesOfDay}.`);
  const timesOfDay = readTimesOfDay(times, `${pointer}/times`, fault);
  return {
    newEvents: message?.newEvents,
    changedItems: message?.changedItems,
    intervalMinutes: message?.intervalMinutes ?? 60,
    timesOfDay,
    restFactor: message?.restFactor ?? 10,
  };
}

function filterFieldsOf(message: Environment, properties: ReadonlyMap<string, PropertyDefinition>): string[] {
  if (message.filterFields.length > 0) return message.filterFields;
  return [...properties.values()].filter((property) => property.filterable).map((property) => property.name);
}

/** What nobody may see without the right to read items is not shown by naming it. */
function convertReturned(
  declared: readonly string[],
  properties: ReadonlyMap<string, PropertyDefinition>,
  pointer: string,
  fault: Faults,
): ReadonlySet<string> {
  const returnable = [...properties.values()].filter((property) => property.returnable);
  const usual = new Set([...itemFields, ...returnable.map(({ name }) => name)]);
  for (const [i, name] of declared.entries())
    if (name !== 'images' && !usual.has(name))
      fault(`${pointer}/${i}`, 'Is neither a field of Item nor a property that is declared returnable.');
  return declared.length > 0 ? new Set(declared) : usual;
}

/** Of a subject's interest in an item, what two purchases say; see maxWeightPerItem in models/interactions.ts. */
const mostEventWeight = 10;

function convertWeights(
  weights: { readonly [eventType: string]: number },
  pointer: string,
  fault: Faults,
): Record<string, number> {
  for (const [eventType, weight] of Object.entries(weights)) {
    const most = eventType.endsWith('impression') ? 0 : mostEventWeight;
    if (!eventTypeNames.has(eventType)) fault(`${pointer}/${eventType}`, 'Is not an event type.');
    if (!(weight >= -mostEventWeight && weight <= most))
      fault(`${pointer}/${eventType}`, `Must be a number from -${mostEventWeight} to ${most}.`);
  }
  return { ...weights };
}

function convertRegistry(message: RegistryMessage | undefined): Registry | undefined {
  if (!message) return undefined;
  return {
    values: new Set(message.values),
    onUnknown: (message.onUnknown as Registry['onUnknown'] | undefined) ?? 'accept',
  };
}

function convertSynonym(message: Synonym, pointer: string, fault: Faults): SynonymSettings {
  const { words, from, to } = message;
  const oneWay = from.length > 0 && to.length > 0;
  const inRing = words.length > 0;
  if (oneWay === inRing || (inRing && from.length + to.length > 0))
    fault(pointer, 'Must have either words, or from and to.');
  return oneWay ? { from, to } : { words };
}

function convertGroups(messages: UserGroup[], pointer: string, fault: Faults): UserGroupSettings[] {
  checkShares(messages, pointer, fault);
  return messages.map(({ name, share, lists }) => ({
    name,
    share: share ?? 0,
    lists: (lists as GroupLists | undefined) ?? (name === 'recommender' ? 'recommended' : 'baseline'),
  }));
}

const modelNames = modelEntries.map(({ name }) => name);

/** A misspelt model would let both halves of a test be the same. */
function convertVersions(messages: Version[], pointer: string, fault: Faults): VersionSettings[] {
  checkShares(messages, pointer, fault);
  for (const [i, { models }] of messages.entries())
    for (const [model, factor] of Object.entries(models)) {
      const place = `${pointer}/${i}/models/${model}`;
      if (!modelNames.includes(model)) fault(place, `Must be one of: ${modelNames.join(', ')}.`);
      if (!(factor >= 0 && factor < Number.POSITIVE_INFINITY)) fault(place, 'Must be a number from 0.');
    }
  return messages.map(({ name, share, models }) => ({
    name,
    share: share ?? 0,
    models: new Map(Object.entries(models)),
  }));
}

function checkShares(messages: { name: string; share?: number }[], pointer: string, fault: Faults): void {
  if (messages.length > 0 && !messages.some(({ share }) => share))
    fault(pointer, 'The shares must not all be 0.');
  const names = new Set(messages.map(({ name }) => name));
  if (names.size < messages.length) fault(pointer, 'A name stands twice.');
}
