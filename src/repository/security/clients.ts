/** Who may call the service. Only a hash of a secret is ever stored. */
import { type Selectable, sql } from 'kysely';
import { type Actor, auditPart } from '../audit/audit-entries.ts';
import { type Database, queryRaw } from '../database.ts';
import type { Schema } from '../schema.ts';

export type ClientRow = {
  clientId: string;
  kind: 'confidential' | 'write_key';
  name: string;
  /** Absent for a write key, which is no secret. */
  secretHash?: string;
  /** `items:*`, `events:shop` and the like. */
  scopes: string[];
  /** Of the pages that may use a write key; empty for a confidential client. */
  origins: string[];
  createdAt: Date;
  disabledAt?: Date;
};

export type NewClient = Omit<ClientRow, 'createdAt' | 'disabledAt'>;

/** What the record of changes says of a client: no secret, nor what one is checked by. */
const described = sql`json_build_object('kind', kind, 'name', name, 'scopes', scopes, 'origins', origins)`;

/** Returns false when the id is taken. */
export async function insertClient(db: Database, client: NewClient, actor: Actor = {}): Promise<boolean> {
  const { clientId, kind, name, secretHash = null, scopes, origins } = client;
  const statement = sql`
    with saved as (
      insert into clients (client_id, kind, name, secret_hash, scopes, origins)
      values (${clientId}, ${kind}, ${name}, ${secretHash}, ${scopes}, ${origins})
      on conflict do nothing returning *
    ),
    ${auditPart({
      ...actor,
      action: 'clients.create',
      resource: sql`'clients/' || client_id`,
      after: described,
      from: sql`saved`,
    })}
    select client_id as "clientId" from saved`;
  return (await queryRaw<{ clientId: string }>(db, statement, { clientId: 'text' })).length === 1;
}

/** A disabled client too. */
export async function findClient(db: Database, clientId: string): Promise<ClientRow | undefined> {
  const row = await db.kysely
    .selectFrom('clients')
    .selectAll()
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row && readClient(row);
}

/** In the order of their making, those after another; an installation has tens. */
export async function listClients(db: Database, limit: number, afterClientId?: string): Promise<ClientRow[]> {
  const isAfter = sql<boolean>`(created_at, client_id) > (
    select created_at, client_id from clients where client_id = ${afterClientId}
  )`;
  const rows = await db.kysely
    .selectFrom('clients')
    .selectAll()
    .$if(afterClientId !== undefined, (clients) => clients.where(isAfter))
    .orderBy('created_at')
    .orderBy('client_id')
    .limit(limit)
    .execute();
  return rows.map(readClient);
}

/** Takes a client's access away for good; false when it is unknown. Repeating it changes nothing. */
export async function disableClient(db: Database, clientId: string, actor: Actor = {}): Promise<boolean> {
  const statement = sql`
    with disabled as (
      update clients set disabled_at = now() where client_id = ${clientId} and disabled_at is null returning *
    ),
    ${auditPart({
      ...actor,
      action: 'clients.disable',
      resource: sql`'clients/' || client_id`,
      before: sql`json_build_object('disabled', false)`,
      after: sql`json_build_object('disabled', true)`,
      from: sql`disabled`,
    })}
    select exists (select from clients where client_id = ${clientId}) as "isKnown"`;
  return (await queryRaw<{ isKnown: boolean }>(db, statement, { isKnown: 'bool' }))[0].isKnown;
}

function readClient(row: Selectable<Schema['clients']>): ClientRow {
  return {
    clientId: row.client_id,
    kind: row.kind as ClientRow['kind'],
    name: row.name,
    secretHash: row.secret_hash ?? undefined,
    scopes: row.scopes,
    origins: row.origins,
    createdAt: row.created_at,
    disabledAt: row.disabled_at ?? undefined,
  };
}
