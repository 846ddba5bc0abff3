/**
 * All tables as `migrations/` leave them; a test compares them with a migrated database.
 *
 * A column is declared by its name and Postgres' name of its type, with `?` when it may be null, and
 * `=` when an insert without it gets a default.
 */
import type { ColumnType } from 'kysely';
import { dayMeasures, deviceMeasures, measures } from './metrics/metric-measures.ts';

type Listed<Text extends string> = Text extends `${infer First}, ${infer Rest}` ? First | Listed<Rest> : Text;
type Columns<Text extends string> = {
  [Column in Listed<Text> as Column extends `${infer Name} ${string}`
    ? Name
    : never]: Column extends `${string} ${infer Kind}` ? Kind : never;
};

/** Reads declarations that are separated by commas. */
function columns<const Lines extends readonly string[]>(...lines: Lines): Columns<Lines[number]> {
  const declared = lines.flatMap((line) => line.split(', ')).map((column) => column.split(' '));
  return Object.fromEntries(declared) as Columns<Lines[number]>;
}

const ofMeasures = <Name extends string, Kind extends string>(names: readonly Name[], kind: Kind) =>
  Object.fromEntries(names.map((name) => [name, kind])) as Record<Name, Kind>;

export const tables = {
  alert_checks: columns('environment text, until_hour int4'),
  alerts: columns(
    'alert_id uuid=, environment text, placement text, metric text, from_hour int4, used_hour int4',
    'expected float8, observed float8, raised_at timestamptz, resolved_at timestamptz?',
  ),
  audience_members: columns('environment text, audience_id text, held_out bool, chunk int4, members text'),
  audiences: columns(
    'environment text, audience_id text, audience_name text, integration_type text, request json',
    'member_count int4, held_out_count int4, created_at timestamptz=, expires_at timestamptz',
  ),
  audit_entries: columns(
    'entry_id uuid=, changed_at timestamptz=, client_id text?, request_id text?, action text',
    'resource text, environment text?, before json?, after json?',
  ),
  batch_parts: columns('bucket int4, environment text, batch_id uuid, part int4, people text, results text?'),
  batches: columns(
    'batch_id uuid, environment text, state text, request json, schedule text?, due_at timestamptz?',
    'is_gathered bool=, people_count int4=, next_part int4=, attempts int4=, node text?',
    'heartbeat_at timestamptz?, requested_at timestamptz=, started_at timestamptz?, ended_at timestamptz?',
    'expires_at timestamptz?, failure text?',
  ),
  blocked_queries: columns('environment text, phrases text[], updated_at timestamptz=, number int8'),
  changes: columns(
    'bucket int4, number int8, environment text, change_id uuid, kind text, data json',
    'changed_at timestamptz',
  ),
  clients: columns(
    'client_id text, kind text, name text, secret_hash text?, scopes text[], origins text[]',
    'created_at timestamptz=, disabled_at timestamptz?, email text?, session int4=, link_hash text?',
    'link_expires_at timestamptz?, totp_key json?, totp_step int4?, recovery_hashes text[]=',
    'oidc_subject text?',
  ),
  configuration_drafts: columns(
    'configuration_id text, revision int4, base_version int4, document json?, environments text[]',
    'client_id text?, updated_at timestamptz=, proposal text?, comments jsonb=',
  ),
  configuration_versions: columns(
    'configuration_id text, version int4, document json?, created_at timestamptz=, client_id text?',
    'comment text?, number int8',
  ),
  configurations: columns(
    'configuration_id text, version int4, deleted bool, document json?, updated_at timestamptz=',
  ),
  deletions: columns(
    'receipt_id uuid, environment text, kind text, subjects text[], requested_at timestamptz=',
    'completed_at timestamptz?, deleted json=, number int8?',
  ),
  event_claims: columns(
    'bucket int4, environment text, event_id text, event_type text, is_public bool',
    'received_at timestamptz',
  ),
  event_ids: columns('bucket int4, environment text, event_id text, received_at timestamptz'),
  events: columns(
    'bucket int4, environment text, lane int4, number int8, received_at timestamptz',
    'occurred_at timestamptz, event_type text, device_id text?, user_id text?, item_type text?',
    'item_id text?, request_id text?, list_name text?, page_type text?, channel text?, user_group text?',
    'version text?, robot bool, event_id text?, details json, is_public bool=, item_group text?',
  ),
  experiments: columns(
    'environment text, experiment_id text, state text, definition json, progress json',
    'updated_at timestamptz=, checked_at timestamptz?, number int8',
  ),
  feeds: columns('bucket int4, feed text, lane int4, last int8'),
  folded: columns('bucket int4, lane int4, reached int8[]'),
  guarantee_progress: columns(
    'environment text, revision int8=, claimed_at int8, position json?, progress json?',
  ),
  handovers: columns(
    'bucket int4, number int8, environment text, subject text, user_id text, since_at int8?',
    'until_at int8?, entries text, impressions text, consumed text',
  ),
  histories: columns(
    'bucket int4, environment text, subject text, seen_day int4, linked_at int8?, linked_user text?',
    'entries text=, older_entries text=, impressions text=, older_impressions text=, consumed text=',
    'freed_at int8?, past_devices jsonb?',
  ),
  import_parts: columns('import_id uuid, part int4, content text'),
  imports: columns(
    'import_id uuid=, environment text, file_name text, format text, columns text[], slot int4?',
    'state text=, part_count int4=, mapping text=, item_type text?, validate_only bool=, last_line int4=',
    'progress float8=, counts json=, causes json=, heading json?, failure text?, attempts int4=',
    'node text?, heartbeat_at timestamptz?, created_at timestamptz=, updated_at timestamptz=',
    'started_at timestamptz?, ended_at timestamptz?',
  ),
  interest_items: columns(
    'environment text, interest_id text, item_type text, item_id text, due_at timestamptz, done bool=',
  ),
  interests: columns(
    'environment text, interest_id text, document json, enabled bool, position json, node text?',
    'leased_until timestamptz?, created_at timestamptz=',
  ),
  items: columns(
    'bucket int4, environment text, item_type text, item_id text, document json, enabled bool=',
    'revision int4=, created_at timestamptz=, updated_at timestamptz=, number int8',
  ),
  lanes: columns('lane int4, node text, seen_at timestamptz'),
  lists: columns('bucket int4, environment text, list_key text, expires_at timestamptz, payload text'),
  local_feeds: columns('feed text, last int8'),
  metric_clicks: columns(
    'bucket int4, environment text, user_id text?, device_id text?, item_id text, item_type text',
    'clicked_at int8, dimension_id int8, variant_id text?, search_id text?',
  ),
  metric_days: {
    ...columns('environment text, dimension text, day int4, item_type text, value text'),
    ...ofMeasures(dayMeasures, 'float8='),
  },
  metric_days_progress: columns('environment text, counted_until json'),
  metric_devices: {
    ...columns(
      'bucket int4, environment text, hour int4, device_id text, dimensions int8[], known_count int2',
    ),
    ...ofMeasures(deviceMeasures, 'float8'),
  },
  metric_dimensions: columns(
    'bucket int4, dimension_id int8, environment text, user_group text, version text, page_type text',
    'list_name text, channel text, configuration text, segments text=, added_at timestamptz=',
  ),
  metric_exposures: columns(
    'bucket int4, environment text, day int4, device_id text, user_group text, version text',
  ),
  metric_hours: {
    ...columns('bucket int4, hour int4, dimension_id int8, counted int8'),
    ...ofMeasures(measures, 'float8?'),
  },
  metric_keys: columns(
    'bucket int4, environment text, kind text, hour int4, key text, dimensions int8[], known_count int2',
  ),
  metric_purchases: columns(
    'bucket int4, purchase_id int8, environment text, user_id text?, device_id text?, item_id text',
    'item_type text, purchased_at int8, window_ms int8, items float8, revenue float8, dimension_id int8?',
    'variant_id text?',
  ),
  metric_served: columns('bucket int4, node text, batch int8, served_at timestamptz'),
  metric_totals: {
    ...columns('bucket int4, environment text, dimension int2, hour int4, value text'),
    ...ofMeasures(measures, 'float8?'),
  },
  model_snapshots: columns('environment text, version int4, chunk int4, bytes bytea'),
  model_versions: columns(
    'environment text, version int4, byte_length int8, chunk_count int4, is_whole bool=',
    'created_at timestamptz=',
  ),
  pages: columns(
    'environment text, page_id text, document json, updated_at timestamptz=, number int8, client_id text?',
  ),
  recorded_requests: columns(
    'bucket int4, environment text, recorded_at timestamptz, request_key uuid, request json',
    'explored json?',
  ),
  rejected_records: columns('import_id uuid, through int4, records text'),
  saved_views: columns(
    'environment text, view_id text, document json, updated_at timestamptz=, number int8, client_id text?',
  ),
  search_clicks: columns(
    'environment text, fingerprint int8, item_type text, item_id text, clicks float8, views float8',
    'counted_at timestamptz, clickers bytea, viewers bytea, number int8',
  ),
  search_clicks_progress: columns('environment text, events_until json'),
  search_queries: columns(
    'environment text, query text, fingerprint int8, searches int4, without_results int4, weight float8',
    'first_searched_at timestamptz=, last_searched_at timestamptz=, witnesses bytea=, typed text?',
  ),
  search_snapshots: columns('environment text, save_id uuid, chunk int4, saved_at timestamptz=, bytes bytea'),
  search_synonyms: columns(
    'environment text, synonym_id text, document json, updated_at timestamptz=, number int8',
    'client_id text?',
  ),
  served_models: columns('environment text, version int4, held bool='),
  settings: columns('key text, value json'),
  signing_keys: columns(
    'key_id text, algorithm text, private_jwk json, public_jwk json, created_at timestamptz=',
  ),
  stream_offsets: columns('consumer_group text, topic text, topic_id text, partition int4, next_offset int8'),
  stream_publications: columns('topic text, environment text, positions json'),
  trainings: columns(
    'training_id uuid=, environment text, reason text, state text=, attempts int4=, stage text?',
    'progress float4=, node text?, requested_at timestamptz=, started_at timestamptz?',
    'heartbeat_at timestamptz?, ended_at timestamptz?, decision text?, version int4?, item_count int4?',
    'event_count int4?, question_count int4?, quality float8?, served_quality float8?, events_until json?',
    'items_until json?, learnt_blend json?, hit_count int4?, served_hit_count int4?',
  ),
  typed_queries: columns(
    'bucket int4, environment text, subject text, linked_user text?, queries text[]',
    'updated_at timestamptz=',
  ),
  webhooks: columns(
    'webhook_id uuid, environment text, url text, kinds text[], description text, state text=',
    'secrets json, position json, revision int4=, attempts int4=, next_at timestamptz=, node text?',
    'leased_until timestamptz?, deliveries jsonb=, created_at timestamptz=, updated_at timestamptz=',
  ),
};

type Tables = typeof tables;

/** JavaScript's values of each type. Numbers of 8 bytes stay far below 2^53. */
type Values = {
  bool: boolean;
  bytea: Buffer;
  int8: number;
  int2: number;
  int4: number;
  text: string;
  json: unknown;
  jsonb: unknown;
  float4: number;
  float8: number;
  'text[]': string[];
  'int8[]': string[];
  timestamptz: Date;
  uuid: string;
};

type Kind = keyof Values;

/** JSON is written as text, so that it is stored as it was sent. */
type Written<K extends Kind> = K extends 'json' | 'jsonb' ? string : Values[K];

type SchemaColumn<Declared extends string> = Declared extends `${infer K extends Kind}?`
  ? ColumnType<Values[K] | null, Written<K> | null | undefined, Written<K> | null>
  : Declared extends `${infer K extends Kind}=`
    ? ColumnType<Values[K], Written<K> | undefined, Written<K>>
    : Declared extends Kind
      ? ColumnType<Values[Declared], Written<Declared>, Written<Declared>>
      : never;

/** The tables in Kysely's types. */
export type Schema = {
  [Table in keyof Tables]: {
    [Name in keyof Tables[Table]]: Tables[Table][Name] extends string
      ? SchemaColumn<Tables[Table][Name]>
      : never;
  };
};
