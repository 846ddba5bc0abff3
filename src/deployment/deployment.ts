/** The settings of a deployment: what its file declares, and the defaults. */

import type { ChangedTable, Kafka } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import type { RatingScale } from '../events/meaning.ts';
import type { FeedSettings } from '../formats/feeds/product.ts';
import type { AgentSettings } from './agent-settings.ts';
import type { AuthenticationSettings } from './authentication-settings.ts';
import type { SmtpSettings } from './convert-smtp.ts';

export type { OidcSettings } from './authentication-settings.ts';
export type { AuthenticationSettings };

export type PropertyType = 'string' | 'number' | 'boolean' | 'datetime' | 'string[]';

/** A declared property of items. See Property in deployment.proto. */
export type PropertyDefinition = {
  name: string;
  type: PropertyType;
  required: boolean;
  filterable: boolean;
  /** Answers may contain it without the scope to read items. */
  returnable: boolean;
  /** Weight in searches; undefined when not searched. */
  searchWeight?: number;
};

export type VectorDefinition = { name: string; dimensions: number; metric: 'cosine' | 'dot' };

export type ItemTypeSettings = {
  name: string;
  /** A consumed item may be recommended again to the same user. */
  reconsumable: boolean;
  /** Event types that consume an item of this type. */
  consumedBy: ReadonlySet<string>;
  /** Progress of a checkpoint, in percent, from which it consumes an item; below it the item is unfinished. */
  consumedAtPercent: number;
  halfLifeHours?: number;
  maximumAgeHours?: number;
  properties: ReadonlyMap<string, PropertyDefinition>;
  vectors: ReadonlyMap<string, VectorDefinition>;
  /** Keys of numbers and datetimes that order its items within a group; empty for no order. */
  groupOrder: readonly string[];
};

/** Values that callers are expected to use. */
export type Registry = { values: ReadonlySet<string>; onUnknown: 'accept' | 'warn' | 'reject' };

/** Lists of a user group: personal ones, trending items within the rules, or none. */
export type GroupLists = 'recommended' | 'baseline' | 'empty';

/**
 * Purpose of a list: the subject's interests and the item on display, items bought with that item,
 * items that complement the basket, or the subject's unfinished items first. Requests, configurations
 * and page types name one.
 */
export const purposes = ['similar', 'bought_together', 'complete_basket', 'continue'] as const;

export type Purpose = (typeof purposes)[number];

/** A step of the fallback chain. */
export type FallbackStep = 'segment' | 'trending' | 'newest';

export type FallbackSettings = {
  /** In their order; the rest of the catalogue follows. */
  steps: readonly FallbackStep[];
  /** Facts that define segments, the nearest first: `category`, or names of fields of events and requests. Undefined for the default. */
  segments: readonly string[] | undefined;
};

/** The fallbacks of an environment that declares none. */
export const defaultFallbacks: FallbackSettings = {
  steps: ['segment', 'trending', 'newest'],
  segments: undefined,
};

export const usualSegments: readonly string[] = ['category', 'page_type', 'channel'];

/** Returns the segments that need properties of events, which default trainings do not read. */
export function declaredProperties(segments: FallbackSettings['segments'] = usualSegments): string[] {
  return segments.filter((name) => !usualSegments.includes(name));
}

/** Returns whether age comes before the trend; after it, items without trend are ordered by age anyway. */
export function fallsBackOnAge(steps: FallbackSettings['steps']): boolean {
  const [age, trend] = [steps.indexOf('newest'), steps.indexOf('trending')];
  return age >= 0 && (trend < 0 || age < trend);
}

/** `share` is relative to the sum of all shares. */
export type UserGroupSettings = { name: string; share: number; lists: GroupLists };

/** `models` holds factors on the models' weights, by model name. */
export type VersionSettings = { name: string; share: number; models: ReadonlyMap<string, number> };

/** Most queries of each kind among completions, and the fewest people behind a popular one. */
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

/** Schedule of trainings. See TrainingSettings in deployment.proto. */
export type TrainingSettings = {
  /** New events that start a training; undefined for a share of the events of the last training. */
  newEvents?: number;
  changedItems?: number;
  intervalMinutes: number;
  /** Minutes after midnight. */
  timesOfDay: readonly number[];
  /** IANA name. */
  timeZone: string;
  /** Multiple of the last training's duration. */
  restFactor: number;
};

/** A batch that runs at fixed times. */
export type BatchSchedule = {
  name: string;
  /** Minutes after midnight. */
  timesOfDay: readonly number[];
  /** IANA name. */
  timeZone: string;
  /** JSON of a BatchRequest. */
  request: unknown;
};

/** Batches of lists. See BatchSettings in deployment.proto. */
export type BatchSettings = {
  /** Most subjects of one batch. */
  largest: number;
  /** Days that a batch is kept after its end. */
  lifetimeDays: number;
  /** Most batches that wait or run. */
  mostAtOnce: number;
  schedules: readonly BatchSchedule[];
};

/** Upper bounds of one event. */
export type EventBounds = {
  largestAmount: number;
  /** Amount times price, in the deployment's currency. */
  largestRevenue: number;
};

/** Whether an ID is blank or one of the placeholders, in any case and quotes; any zeros are `0`. */
export function isPlaceholder(placeholderIds: ReadonlySet<string>, id: string): boolean {
  const folded = id.trim().toLowerCase();
  if (folded === '' || placeholderIds.has(folded)) return true;
  if (!/^["'<0]/.test(folded)) return false;
  const bare = folded.replaceAll(/^["'<]+|["'>]+$/g, '').replace(/^0[0.-]*$/, '0');
  return bare === '' || placeholderIds.has(bare);
}

/** In days; undefined for unlimited. */
export type RetentionSettings = {
  eventsDays: number | undefined;
  historiesDays: number | undefined;
  metricsDays: number | undefined;
  /** Days of counts by name, at most `metricsDays`. */
  metricNamesDays: number;
};

export const defaultMetricNamesDays = 400;

export type EnvironmentSettings = {
  name: string;
  /** BCP 47 tag. */
  defaultLanguage: string;
  /** IANA name. */
  timeZone: string;
  itemTypes: ReadonlyMap<string, ItemTypeSettings>;
  /** Declared properties of all item types, by name; a name has one type in the whole environment. */
  properties: ReadonlyMap<string, PropertyDefinition>;
  vectors: ReadonlyMap<string, VectorDefinition>;
  filterFields: ReadonlySet<string>;
  informationField?: string;
  /** Fields of items that requests may ask for. */
  returnedFields: ReadonlySet<string>;
  /** Currency of prices, an ISO 4217 code. */
  currency?: string;
  /** Product feeds by name. */
  feeds: ReadonlyMap<string, FeedSettings>;
  /** Empty when any integration type is allowed. */
  integrationTypes: ReadonlySet<string>;
  /** Undefined when any page type is allowed; channels and list names alike. */
  pageTypes?: Registry;
  /** By page type, for lists of another purpose than recommending the next item. */
  pagePurposes: ReadonlyMap<string, Purpose>;
  channels?: Registry;
  listNames?: Registry;
  synonyms: readonly SynonymSettings[];
  /** Empty when all users are in `recommender`. */
  userGroups: readonly UserGroupSettings[];
  /** Empty when there is one version, `default`. */
  versions: readonly VersionSettings[];
  attributionWindowHours: number;
  listLifetimeMinutes: number;
  completionsLimit: number;
  /** Undefined when completions are items only. */
  queryCompletions?: QueryCompletionSettings;
  /** Time for an answer when the request names none. */
  timeoutMs: number;
  audiences: AudienceSettings;
  batches: BatchSettings;
  fallbacks: FallbackSettings;
  /** Properties that metrics distinguish, in order. */
  metricSegments: readonly string[];
  eventBounds: EventBounds;
  /** Placeholders that identify no user, device or event, in lower case. */
  placeholderIds: ReadonlySet<string>;
  /** Classes of user agents that count as visitors. */
  visitorAgents: ReadonlySet<string>;
  visitors: VisitorSettings;
  /**
   * By event type, or by type and interaction (`item_interaction:share`), relative to a detail view; for defaults see
   * ranking/models/event-weights.ts.
   */
  eventWeights: Readonly<Record<string, number>>;
  ratingScale: RatingScale;
  /** Tables whose rows Debezium sends as items. */
  changedTables: readonly ChangedTable[];
  training: TrainingSettings;
  retention: RetentionSettings;
  needsApproval: boolean;
  /** Share of devices without experiments. */
  holdOut: number;
  /** Part of the hash that assigns user groups and versions. */
  salt: string;
};

export type VisitorSettings = {
  /** Whether public calls of VisitorService need the secret of the device. */
  needsProof: boolean;
  /** Whether no list or search uses what is known about visitors. */
  isUniform: boolean;
  /** Placements with lists that are equal for everyone; without `listName`, the whole page type. */
  withoutProfiling: readonly { pageType: string; listName?: string }[];
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
  /** Proxies with trusted forwarding headers. */
  trustedProxies: readonly Network[];
  /** Connections that one peer may keep open on each port. */
  connectionsPerPeer: number;
  /** Idle connections of the HTTP port close after this time. */
  idleTimeoutMs: number;
};

/** Addresses with the same first `bits` bits. */
export type Network = { address: string; bits: number; family: 'ipv4' | 'ipv6' };

/** A limit of calls, counted for each caller. */
export type RateLimitSettings = {
  /** IDs of the limited clients; empty for all callers. */
  clientIds: ReadonlySet<string>;
  /** Names of RPCs (`SearchService/CreateSearch`) and scopes; empty for all. */
  operations: ReadonlySet<string>;
  /** Undefined for no limit. */
  perSecond?: number;
  /** Calls without delay after a pause, at least 1. */
  burst: number;
  /** Concurrent calls; undefined for the default. */
  atOnce?: number;
};

/** Bounds of one request or one peer. See Limits in deployment.proto. */
export const defaultLimits = {
  itemsPerRequest: 5_000,
  historyEntriesPerRequest: 1_000,
  variableBytes: 16_384,
  answerBytes: 3_932_160,
  unreadBytesPerPeer: 16 * 1024 * 1024,
  unreadBytes: 256 * 1024 * 1024,
  newNamesPerHour: 500,
};

export type LimitSettings = typeof defaultLimits;

/** `imageOrigins` are the origins that the console may load item images from. */
export type ConsoleSettings = { imageOrigins: readonly string[] };

/** `allowedNetworks` may be reached although they are not public, and without TLS. */
export type WebhookSettings = { allowedNetworks: readonly Network[]; retentionDays: number };

/** `share` is the traced share, 0 to 1, of calls without a decision of the caller. */
export type TraceSettings = { endpoint: string; share: number };

/** `bucketCount` of a new database; undefined for the default. */
export type StorageSettings = { bucketCount: number | undefined };

export type Deployment = {
  /** Begins with `/` and does not end with it; empty for none. */
  basePath: string;
  server: ServerSettings;
  traces?: TraceSettings;
  authentication: AuthenticationSettings;
  /** The first limit that matches a call's caller and operation applies. */
  rateLimits: readonly RateLimitSettings[];
  limits: LimitSettings;
  console?: ConsoleSettings;
  /** Undefined when `/mcp` is not served. */
  agents?: AgentSettings;
  webhooks: WebhookSettings;
  smtp?: SmtpSettings;
  kafka?: Kafka;
  environments: ReadonlyMap<string, EnvironmentSettings>;
  storage: StorageSettings;
  /** Whether it is the built-in demo; its data is loaded on the first start. */
  demo: boolean;
};

/** Fields of Item that conditions, filters and the information field may name, besides declared properties. */
export const itemFields: ReadonlySet<string> = new Set([
  ...['environment', 'item_id', 'item_type', 'title', 'description', 'uri', 'language', 'categories'],
  ...['tags', 'group_id', 'publication_datetime', 'expiration_datetime'],
]);

/** Names with a meaning in an item's JSON, which no property may have. */
export const reservedPropertyNames: ReadonlySet<string> = new Set([
  ...itemFields,
  'images',
  'item_attributes',
]);
