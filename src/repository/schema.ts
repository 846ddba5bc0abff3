/** The tables as Kysely knows them; `migrations/` makes them. Read-only columns of no interest to TypeScript are left out. */
import type { ColumnType, Generated } from 'kysely';

/** JSON columns keep the text as it was sent and are written as text. */
export type JsonColumn = ColumnType<unknown, string, string>;
type OptionalJsonColumn = ColumnType<unknown | null, string | null, string | null>;

export type ItemsTable = {
  environment: string;
  item_type: string;
  item_id: string;
  document: JsonColumn;
  enabled: Generated<boolean>;
  revision: Generated<number>;
  created_at: Generated<Date>;
  updated_at: Generated<Date>;
  changed_xid: Generated<string>;
};

export type ConfigurationsTable = {
  configuration_id: string;
  version: number;
  deleted: boolean;
  document: OptionalJsonColumn;
  updated_at: Generated<Date>;
  changed_xid: Generated<string>;
};

export type ConfigurationVersionsTable = {
  configuration_id: string;
  version: number;
  document: OptionalJsonColumn;
  created_at: Generated<Date>;
  client_id: string | null;
  comment: string | null;
};

export type ListsTable = { environment: string; list_key: string; expires_at: Date; payload: string };

export type ClientsTable = {
  client_id: string;
  kind: 'confidential' | 'write_key';
  name: string;
  secret_hash: string | null;
  scopes: string[];
  origins: string[];
  created_at: Generated<Date>;
  disabled_at: Date | null;
};

export type SigningKeysTable = {
  key_id: string;
  algorithm: string;
  private_jwk: JsonColumn;
  public_jwk: JsonColumn;
  created_at: Generated<Date>;
};

export type SettingsTable = { key: string; value: JsonColumn };

export type EventIdsTable = { environment: string; event_id: string; received_at: Date };

export type Schema = {
  items: ItemsTable;
  configurations: ConfigurationsTable;
  configuration_versions: ConfigurationVersionsTable;
  lists: ListsTable;
  clients: ClientsTable;
  signing_keys: SigningKeysTable;
  settings: SettingsTable;
  event_ids: EventIdsTable;
};
