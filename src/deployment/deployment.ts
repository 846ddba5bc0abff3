/** What a deployment file declares, completed by the defaults: the settings every other room reads. */

export type PropertyType = 'string' | 'number' | 'boolean' | 'datetime' | 'string[]';

/** A property of items beyond the fields of Item. See Property in deployment.proto. */
export type PropertyDefinition = {
  name: string;
  type: PropertyType;
  required: boolean;
  filterable: boolean;
  /** Answers may show it to who may not read items. */
  returnable: boolean;
  /** Weight in searches; undefined when not searched. */
  searchWeight?: number;
};

export type ItemTypeSettings = {
  name: string;
  /** A consumed item may be recommended again to the user who consumed it. */
  reconsumable: boolean;
  /** Event types that consume an item of this type. */
  consumedBy: ReadonlySet<string>;
  halfLifeHours?: number;
  maximumAgeHours?: number;
  properties: ReadonlyMap<string, PropertyDefinition>;
  /** Keys of numbers and datetimes that order its items within a group; empty for no order. */
  groupOrder: readonly string[];
};

/** Values that callers are expected to use; undefined in the settings when any will do. */
export type Registry = { values: ReadonlySet<string>; onUnknown: 'accept' | 'warn' | 'reject' };

/** What a group of users gets: their own lists, trending items within the rules, or nothing. */
export type GroupLists = 'recommended' | 'baseline' | 'empty';

/** What goes with all that is in the basket, or what is bought with the item on display. */
export type PagePurpose = 'complete_basket' | 'bought_together';

/** What fills a list where nothing personal is left. */
export type FallbackStep = 'segment' | 'trending' | 'newest';

export type FallbackSettings = {
  /** In the order in which they are asked; the rest of the catalogue comes after them. */
  steps: readonly FallbackStep[];
  /** What segments are told apart by, the nearest first: `category`, else what events and requests call it. Undefined: as usual. */
  segments: readonly string[] | undefined;
};

/** Of an environment that declares none. */
export const defaultFallbacks: FallbackSettings = {
  steps: ['segment', 'trending', 'newest'],
  segments: undefined,
};

export const usualSegments: readonly string[] = ['category', 'page_type', 'channel'];

/** Segments that events tell apart by a property of their own, which usual trainings do not read. */
export function declaredProperties(segments: FallbackSettings['segments'] = usualSegments): string[] {
  return segments.filter((name) => !usualSegments.includes(name));
}

/** Whether age comes before the trend; after it, what does not trend is in the order of age anyway. */
export function fallsBackOnAge(steps: FallbackSettings['steps']): boolean {
  const [age, trend] = [steps.indexOf('newest'), steps.indexOf('trending')];
  return age >= 0 && (trend < 0 || age < trend);
}

/** `share` is relative to the sum of all shares. */
export type UserGroupSettings = { name: string; share: number; lists: GroupLists };

/** `models` holds factors on the models' weights, by model name. */
export type VersionSettings = { name: string; share: number; models: ReadonlyMap<string, number> };

/** Most queries of each kind among completions; a popular one was asked by so many different people. */
export type QueryCompletionSettings = { recent: number; popular: number; leastPeople: number };

export type SynonymSettings = { words: string[] } | { from: string[]; to: string[] };

/** Defaults of audiences. See AudienceSettings in deployment.proto. */
export type AudienceSettings = {
  excludeBought: boolean;
  excludeMailedWithinDays: number;
  /** 0 to 0.9. */
  holdOutShare: number;
  configurationId?: string;
  halfLifeDays: number;
  lifetimeDays: number;
};

/** When models are trained by themselves. See TrainingSettings in deployment.proto. */
export type TrainingSettings = {
  /** Undefined for a share of what the last training read. */
  newEvents?: number;
  changedItems?: number;
  intervalMinutes: number;
  /** Minutes after midnight, UTC. */
  timesOfDay: readonly number[];
  /** Multiple of the last training's duration. */
  restFactor: number;
};

/** A batch that is made by itself. */
export type BatchSchedule = {
  name: string;
  /** Minutes after midnight, UTC. */
  timesOfDay: readonly number[];
  /** What is asked for: JSON of a BatchRequest. */
  request: unknown;
};

/** Batches of lists. See BatchSettings in deployment.proto. */
export type BatchSettings = {
  /** People of one batch. */
  largest: number;
  /** For which a batch is kept after its end. */
  lifetimeDays: number;
  /** That may wait or run. */
  mostAtOnce: number;
  schedules: readonly BatchSchedule[];
};

/** What one event may say at most. */
export type EventBounds = {
  largestAmount: number;
  /** Amount times price, in the deployment's currency. */
  largestRevenue: number;
};

/** In days; undefined for ever. */
export type RetentionSettings = {
  eventsDays: number | undefined;
  historiesDays: number | undefined;
  metricsDays: number | undefined;
  /** Of counts by names: no longer than `metricsDays`. */
  metricNamesDays: number;
};

export const defaultMetricNamesDays = 400;

export type EnvironmentSettings = {
  name: string;
  /** BCP 47 tag. */
  defaultLanguage: string;
  itemTypes: ReadonlyMap<string, ItemTypeSettings>;
  /** Declared properties of all item types, by name; a name has one type in the whole environment. */
  properties: ReadonlyMap<string, PropertyDefinition>;
  filterFields: ReadonlySet<string>;
  informationField?: string;
  /** What requests may have shown of items. */
  returnedFields: ReadonlySet<string>;
  /** What prices are in, an ISO 4217 code. */
  currency?: string;
  /** Empty when any integration type will do. */
  integrationTypes: ReadonlySet<string>;
  pageTypes?: Registry;
  /** By page type, what lists are for where it is not what visitors like next. */
  pagePurposes: ReadonlyMap<string, PagePurpose>;
  channels?: Registry;
  listNames?: Registry;
  synonyms: readonly SynonymSettings[];
  /** Empty when everybody is in `recommender`. */
  userGroups: readonly UserGroupSettings[];
  /** Empty when there is one version, `default`. */
  versions: readonly VersionSettings[];
  attributionWindowHours: number;
  listLifetimeMinutes: number;
  completionsLimit: number;
  /** Absent: completions are items alone. */
  queryCompletions?: QueryCompletionSettings;
  /** Time for an answer where the request does not say. */
  timeoutMs: number;
  audiences: AudienceSettings;
  batches: BatchSettings;
  fallbacks: FallbackSettings;
  eventBounds: EventBounds;
  /** By event type, in detail views; what is absent keeps its default, see models/event-weights.ts. */
  eventWeights: Readonly<Record<string, number>>;
  training: TrainingSettings;
  retention: RetentionSettings;
  /** Mixed into the hash that assigns groups and versions. */
  salt: string;
};

export type AuthenticationSettings = {
  publicOperations: ReadonlySet<string>;
  tokenLifetimeSeconds: number;
  issuer?: { name: string; jwksUri: string; audience?: string };
};

export type ServerSettings = {
  /** Address of the HTTP and the gRPC port; undefined for all interfaces. */
  host?: string;
  port: number;
  grpcPort: number;
  /** Absolute paths of PEM files. */
  tls?: { certificate: string; key: string };
  corsOrigins: readonly string[];
  /** Undefined for none. */
  adminPort?: number;
  adminHost: string;
  /** Whose word about their callers is believed. */
  trustedProxies: readonly Network[];
  /** Connections that one peer may keep open on each port. */
  connectionsPerPeer: number;
};

/** The addresses that share their first `bits` bits. */
export type Network = { address: string; bits: number; family: 'ipv4' | 'ipv6' };

/** What a caller may do; each caller is counted by itself. */
export type RateLimitSettings = {
  /** Ids of the clients it is for; empty for everybody. */
  clientIds: ReadonlySet<string>;
  /** Names of rpcs (`SearchService/CreateSearch`) and scopes; empty for all. */
  operations: ReadonlySet<string>;
  /** Undefined for any rate. */
  perSecond?: number;
  /** Calls at once after a pause, at least 1. */
  burst: number;
  /** Calls under way; undefined for the default. */
  atOnce?: number;
};

/** The most that one request or one peer may cost. See Limits in deployment.proto. */
export type LimitSettings = {
  itemsPerRequest: number;
  historyEntriesPerRequest: number;
  variableBytes: number;
  answerBytes: number;
  unreadBytesPerPeer: number;
  unreadBytes: number;
  newNamesPerHour: number;
};

export const defaultLimits: LimitSettings = {
  itemsPerRequest: 5_000,
  historyEntriesPerRequest: 1_000,
  variableBytes: 16_384,
  answerBytes: 3_932_160,
  unreadBytesPerPeer: 16 * 1024 * 1024,
  unreadBytes: 256 * 1024 * 1024,
  newNamesPerHour: 500,
};

/** `imageOrigins` are those that pictures of items may be loaded from. */
export type ConsoleSettings = { imageOrigins: readonly string[] };

/** `share` is of the calls whose caller did not decide, 0 to 1. */
export type TraceSettings = { endpoint: string; share: number };

/** Of a database that is filled first; undefined for the usual number. */
export type StorageSettings = { bucketCount: number | undefined };

export type Deployment = {
  /** Begins with `/` and does not end with it; empty for none. */
  basePath: string;
  server: ServerSettings;
  /** Undefined for none. */
  traces?: TraceSettings;
  authentication: AuthenticationSettings;
  /** The first that names a call's caller and operation counts. */
  rateLimits: readonly RateLimitSettings[];
  limits: LimitSettings;
  /** Undefined when it is off. */
  console?: ConsoleSettings;
  environments: ReadonlyMap<string, EnvironmentSettings>;
  storage: StorageSettings;
  /** The built-in demo, whose data is loaded on the first start. */
  demo: boolean;
};

/** The fields of Item that conditions, filters and the information field may name besides declared properties. */
export const itemFields: ReadonlySet<string> = new Set([
  'environment',
  'item_id',
  'item_type',
  'title',
  'description',
  'uri',
  'language',
  'categories',
  'tags',
  'group_id',
  'publication_datetime',
  'expiration_datetime',
]);

/** Every other name an item's JSON has a meaning for; no property may be called so. */
export const reservedPropertyNames: ReadonlySet<string> = new Set([
  ...itemFields,
  'images',
  'item_attributes',
]);
