/** Who may call the service. Only a hash of a secret is ever stored. */
import { type Selectable, sql } from 'kysely';
import type { Database } from '../database.ts';
import type { ClientsTable } from '../schema.ts';

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

/** Returns false when the id is taken. */
export async function insertClient(db: Database, client: NewClient): Promise<boolean> {
  const { clientId, kind, name, secretHash = null, scopes, origins } = client;
  const row = {
    client_id: clientId,
    kind,
    name,
    secret_hash: secretHash,
    scopes,
    origins,
    disabled_at: null,
  };
  const insert = db.kysely
    .insertInto('clients')
    .values(row)
    .onConflict((conflict) => conflict.doNothing());
  return (await insert.executeTakeFirst()).numInsertedOrUpdatedRows === 1n;
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
export async function disableClient(db: Database, clientId: string): Promise<boolean> {
  const result = await db.kysely
    .updateTable('clients')
    .set((expression) => ({ disabled_at: expression.fn.coalesce('disabled_at', expression.fn<Date>('now')) }))
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return result.numUpdatedRows === 1n;
}

function readClient(row: Selectable<ClientsTable>): ClientRow {
  return {
    clientId: row.client_id,
    kind: row.kind,
    name: row.name,
    secretHash: row.secret_hash ?? undefined,
    scopes: row.scopes,
    origins: row.origins,
    createdAt: row.created_at,
    disabledAt: row.disabled_at ?? undefined,
  };
}
