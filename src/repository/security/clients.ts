/** Clients of the API. Only hashes of their secrets are stored. */
import { type Selectable, sql } from 'kysely';
import { type Actor, auditInsert } from '../audit/audit-entries.ts';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

export type ClientRow = {
  clientId: string;
  kind: 'confidential' | 'write_key' | 'person';
  name: string;
  /** Absent for a write key, which is public; see security/secrets/scrypt.ts. */
  secretHash?: string;
  /** Such as `items:*` or `events:shop`; the roles of a person. */
  scopes: readonly string[];
  /** Origins of the pages that may use a write key; empty for a confidential client. */
  origins: readonly string[];
  createdAt: Date;
  disabledAt?: Date;
  /** Number of a person's session. */
  session?: number;
};

export type NewClient = Omit<ClientRow, 'createdAt' | 'disabledAt' | 'session'>;

/** The audited fields of a client, without the secret's hash. */
const described = sql`json_build_object('kind', kind, 'name', name, 'scopes', scopes, 'origins', origins)`;

/** Returns false when the ID is taken. */
export async function insertClient(db: Database, client: NewClient, actor: Actor = {}): Promise<boolean> {
  const { clientId, kind, name, secretHash = null, scopes, origins } = client;
  const insert = db.kysely
    .insertInto('clients')
    .values({
      ...{ client_id: clientId, kind, name, secret_hash: secretHash },
      ...{ scopes: [...scopes], origins: [...origins] },
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll();
  const audit = auditInsert({
    ...actor,
    action: 'clients.create',
    resource: sql`'clients/' || client_id`,
    after: described,
    from: sql`saved`,
  });
  const saved = await db.kysely
    .with('saved', () => insert)
    .with('audited', () => audit)
    .selectFrom('saved')
    .select('client_id')
    .execute();
  return saved.length === 1;
}

/** Finds a client or person, also a disabled one. */
export async function findClient(db: Database, clientId: string): Promise<ClientRow | undefined> {
  const row = await db.kysely
    .selectFrom('clients')
    .selectAll()
    .where('client_id', '=', clientId)
    .executeTakeFirst();
  return row && readClient(row);
}

/** Lists clients after another one, in the order of creation; an installation has tens. */
export async function listClients(db: Database, limit: number, afterClientId?: string): Promise<ClientRow[]> {
  const isAfter = sql<boolean>`(created_at, client_id) > (
    select created_at, client_id from clients where client_id = ${afterClientId}
  )`;
  const rows = await db.kysely
    .selectFrom('clients')
    .selectAll()
    .where('kind', '<>', 'person')
    .$if(afterClientId !== undefined, (clients) => clients.where(isAfter))
    .orderBy('created_at')
    .orderBy('client_id')
    .limit(limit)
    .execute();
  return rows.map(readClient);
}

/** Disables a client permanently. Returns false when it is unknown. Repeating it changes nothing. */
export async function disableClient(db: Database, clientId: string, actor: Actor = {}): Promise<boolean> {
  const disable = db.kysely
    .updateTable('clients')
    .set({ disabled_at: sql<Date>`now()` })
    .where('client_id', '=', clientId)
    .where('disabled_at', 'is', null)
    .where('kind', '<>', 'person')
    .returningAll();
  const audit = auditInsert({
    ...actor,
    action: 'clients.disable',
    resource: sql`'clients/' || client_id`,
    before: sql`json_build_object('disabled', false)`,
    after: sql`json_build_object('disabled', true)`,
    from: sql`disabled`,
  });
  const known = await db.kysely
    .with('disabled', () => disable)
    .with('audited', () => audit)
    .selectFrom('clients')
    .select('client_id')
    .where('client_id', '=', clientId)
    .where('kind', '<>', 'person')
    .execute();
  return known.length === 1;
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
    session: row.session,
  };
}
