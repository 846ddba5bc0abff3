/**
 * All tables, column by column, as `migrations/` leave them; a test compares them with a migrated
 * database.
 *
 * A column is declared by Postgres' name of its type, with `?` when it may be null, and `=` when an
 * insert without it gets a default.
 */
import type { ColumnType } from 'kysely';
import { batchTables } from './tables/batch-tables.ts';
import { changeTables } from './tables/change-tables.ts';
import { eventTables } from './tables/event-tables.ts';
import { importTables } from './tables/import-tables.ts';
import { metricTables } from './tables/metric-tables.ts';
import { searchTables } from './tables/search-tables.ts';
import { trainingTables } from './tables/training-tables.ts';

export const tables = {
  ...batchTables,
  ...changeTables,
  ...eventTables,
  ...importTables,
  ...metricTables,
  ...searchTables,
  ...trainingTables,
  audience_members: {
    environment: 'text',
    audience_id: 'text',
    held_out: 'bool',
    chunk: 'int4',
    members: 'text',
  },
  audiences: {
    environment: 'text',
    audience_id: 'text',
    audience_name: 'text',
    integration_type: 'text',
    request: 'json',
    member_count: 'int4',
    held_out_count: 'int4',
    created_at: 'timestamptz=',
    expires_at: 'timestamptz',
  },
  audit_entries: {
    entry_id: 'uuid=',
    changed_at: 'timestamptz=',
    client_id: 'text?',
    request_id: 'text?',
    action: 'text',
    resource: 'text',
    environment: 'text?',
    before: 'json?',
    after: 'json?',
  },
  clients: {
    client_id: 'text',
    kind: 'text',
    name: 'text',
    secret_hash: 'text?',
    scopes: 'text[]',
    origins: 'text[]',
    created_at: 'timestamptz=',
    disabled_at: 'timestamptz?',
    email: 'text?',
    session: 'int4=',
    link_hash: 'text?',
    link_expires_at: 'timestamptz?',
    totp_key: 'json?',
    totp_step: 'int4?',
    recovery_hashes: 'text[]=',
    oidc_subject: 'text?',
  },
  configuration_drafts: {
    configuration_id: 'text',
    revision: 'int4',
    base_version: 'int4',
    document: 'json?',
    environments: 'text[]',
    client_id: 'text?',
    updated_at: 'timestamptz=',
    proposal: 'text?',
    comments: 'jsonb=',
  },
  configuration_versions: {
    configuration_id: 'text',
    version: 'int4',
    document: 'json?',
    created_at: 'timestamptz=',
    client_id: 'text?',
    comment: 'text?',
    number: 'int8',
  },
  configurations: {
    configuration_id: 'text',
    version: 'int4',
    deleted: 'bool',
    document: 'json?',
    updated_at: 'timestamptz=',
  },
  items: {
    bucket: 'int4',
    environment: 'text',
    item_type: 'text',
    item_id: 'text',
    document: 'json',
    enabled: 'bool=',
    revision: 'int4=',
    created_at: 'timestamptz=',
    updated_at: 'timestamptz=',
    number: 'int8',
  },
  lists: {
    bucket: 'int4',
    environment: 'text',
    list_key: 'text',
    expires_at: 'timestamptz',
    payload: 'text',
  },
  recorded_requests: {
    bucket: 'int4',
    environment: 'text',
    recorded_at: 'timestamptz',
    request_key: 'uuid',
    request: 'json',
    explored: 'json?',
  },
  settings: {
    key: 'text',
    value: 'json',
  },
  signing_keys: {
    key_id: 'text',
    algorithm: 'text',
    private_jwk: 'json',
    public_jwk: 'json',
    created_at: 'timestamptz=',
  },
} as const;

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
