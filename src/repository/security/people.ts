/** The people of the console: clients of the kind `person`, with roles as scopes. */
import { type Selectable, sql, type Updateable } from 'kysely';
import { type Actor, type AuditAction, auditInsert } from '../audit/audit-entries.ts';
import type { Database } from '../database.ts';
import type { Schema } from '../schema.ts';

export type PersonRow = {
  personId: string;
  name: string;
  /** In lower case; undefined after the removal. */
  email?: string;
  /** Such as `editor:shop`. */
  roles: string[];
  /** Tokens of other sessions are refused. */
  session: number;
  passwordHash?: string;
  /** Key of the second factor, as sealed-keys.ts stores it. */
  totpKey?: object;
  recoveryCodeCount: number;
  linkExpiresAt?: Date;
  createdAt: Date;
};

export type NewPerson = Pick<PersonRow, 'personId' | 'name' | 'roles'> & {
  email: string;
  linkHash: string;
  linkExpiresAt: Date;
};

/** Returns false when the e-mail address is taken. */
export async function insertPerson(db: Database, person: NewPerson, actor: Actor): Promise<boolean> {
  const { personId, name, email, roles, linkHash, linkExpiresAt } = person;
  const insert = db.kysely
    .insertInto('clients')
    .values({
      ...{ client_id: personId, kind: 'person', name, email, scopes: roles, origins: [] },
      ...{ link_hash: linkHash, link_expires_at: linkExpiresAt },
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll();
  return (await audited(db, insert, { ...actor, action: 'people.invite' })).length === 1;
}

const selectPeople = ({ kysely }: Database) =>
  kysely.selectFrom('clients').selectAll().where('kind', '=', 'person').where('disabled_at', 'is', null);

/** Identifies one person. A link counts until it expires. */
export type PersonKey = { personId: string } | { email: string } | { linkHash: string };

export async function findPerson(db: Database, key: PersonKey): Promise<PersonRow | undefined> {
  const people = selectPeople(db);
  const found =
    'personId' in key
      ? people.where('client_id', '=', key.personId)
      : 'email' in key
        ? people.where('email', '=', key.email)
        : people.where('link_hash', '=', key.linkHash).where('link_expires_at', '>', sql<Date>`now()`);
  const row = await found.executeTakeFirst();
  return row && readPerson(row);
}

/** Lists people after another one, in the order of their invitations. */
export async function listPeople(db: Database, limit: number, afterId?: string): Promise<PersonRow[]> {
  const isAfter = sql<boolean>`(created_at, client_id) > (
    select created_at, client_id from clients where client_id = ${afterId}
  )`;
  const rows = await selectPeople(db)
    .$if(afterId !== undefined, (people) => people.where(isAfter))
    .orderBy('created_at')
    .orderBy('client_id')
    .limit(limit)
    .execute();
  return rows.map(readPerson);
}

type Changes = Updateable<Schema['clients']>;

type Change = Partial<NewPerson & Pick<PersonRow, 'passwordHash'> & NewSecondFactor>;

/** `totpStep`: the 30 seconds since the epoch of the first used code. */
type NewSecondFactor = { totpKey: object; totpStep: number; recoveryHashes: string[] };

const noSecondFactor: Changes = { totp_key: null, totp_step: null, recovery_hashes: [] };

type Action =
  `people.${'set_roles' | 'reset' | 'change_password' | 'set_second_factor' | 'remove_second_factor' | 'remove'}`;

const changesOf: Record<Action, (change: Change) => Changes> = {
  'people.set_roles': ({ roles }) => ({ scopes: roles }),
  'people.reset': ({ linkHash, linkExpiresAt }) => ({
    ...{ ...noSecondFactor, secret_hash: null, oidc_subject: null },
    ...{ link_hash: linkHash, link_expires_at: linkExpiresAt },
  }),
  'people.change_password': ({ passwordHash }) => ({ secret_hash: passwordHash }),
  'people.set_second_factor': ({ totpKey, totpStep, recoveryHashes }) => ({
    ...{ totp_key: JSON.stringify(totpKey), totp_step: totpStep, recovery_hashes: recoveryHashes },
  }),
  'people.remove_second_factor': () => noSecondFactor,
  'people.remove': () => ({
    ...{ ...noSecondFactor, scopes: [], email: null, secret_hash: null, oidc_subject: null },
    ...{ link_hash: null, link_expires_at: null, disabled_at: sql<Date>`now()` as unknown as Date },
  }),
};

/** Changes a person whose roles and session are still the given ones; false otherwise. All but roles ends the sessions. */
export async function changePerson(
  db: Database,
  { personId, roles, session }: Pick<PersonRow, 'personId' | 'roles' | 'session'>,
  change: Change,
  actor: Actor & { action: Action },
): Promise<boolean> {
  const update = db.kysely
    .updateTable('clients')
    .set(changesOf[actor.action](change))
    .$if(actor.action !== 'people.set_roles', (people) => people.set({ session: sql<number>`session + 1` }))
    .where('client_id', '=', personId)
    .where(sql<boolean>`scopes = ${roles}::text[]`)
    .where('session', '=', session)
    .where('kind', '=', 'person')
    .where('disabled_at', 'is', null)
    .returningAll();
  return (await audited(db, update, { ...actor, before: { roles } })).length === 1;
}

/** Sets the password of a link's person, and ends the link and all sessions; undefined if it was used. */
export async function redeemLink(
  db: Database,
  linkHash: string,
  passwordHash: string,
): Promise<PersonRow | undefined> {
  const row = await db.kysely
    .updateTable('clients')
    .set({ secret_hash: passwordHash, link_hash: null, link_expires_at: null })
    .set({ session: sql<number>`session + 1` })
    .where('link_hash', '=', linkHash)
    .where('link_expires_at', '>', sql<Date>`now()`)
    .where('disabled_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return row && readPerson(row);
}

/** Links a person to the account of its first sign-in, and ends an unused link; undefined if it has another one. */
export async function linkAccount(
  db: Database,
  email: string,
  subject: string,
): Promise<PersonRow | undefined> {
  const row = await db.kysely
    .updateTable('clients')
    .set({ oidc_subject: subject, link_hash: null, link_expires_at: null })
    .where('email', '=', email)
    .where(sql<boolean>`coalesce(oidc_subject, ${subject}) = ${subject}`)
    .where('disabled_at', 'is', null)
    .returningAll()
    .executeTakeFirst();
  return row && readPerson(row);
}

/** Uses up a code that no other sign-in has used; false otherwise. */
export async function spendCode(
  db: Database,
  personId: string,
  code: { step: number } | { recoveryHash: string },
): Promise<boolean> {
  const person = db.kysely.updateTable('clients').where('client_id', '=', personId);
  const spending =
    'step' in code
      ? person.set({ totp_step: code.step }).where('totp_step', '<', code.step)
      : person
          .set({ recovery_hashes: sql<string[]>`array_remove(recovery_hashes, ${code.recoveryHash})` })
          .where(sql<boolean>`${code.recoveryHash} = any(recovery_hashes)`);
  const { numUpdatedRows } = await spending.executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Views that a removed person has not shared. */
const personalViewsDeleted = sql<object>`(delete from saved_views using saved
  where saved_views.client_id = saved.client_id and strpos(document::text, '"shared":false') > 0)`;

const nothing = sql<object>`(select)`;

type Returning = { compile(): unknown };

function audited(
  db: Database,
  change: Returning,
  { before, ...actor }: Actor & { action: AuditAction; before?: object },
): Promise<unknown[]> {
  const audit = auditInsert({
    ...actor,
    resource: sql`'people/' || client_id`,
    before: before && sql`${JSON.stringify(before)}::json`,
    after: sql`json_build_object('roles', scopes)`,
    from: sql`saved`,
  });
  return db.kysely
    .with('saved', () => change as never)
    .with('audited', () => audit)
    .with('forgotten', () => (actor.action === 'people.remove' ? personalViewsDeleted : nothing))
    .selectFrom('saved' as never)
    .selectAll()
    .execute();
}

function readPerson(row: Selectable<Schema['clients']>): PersonRow {
  return {
    personId: row.client_id,
    name: row.name,
    email: row.email ?? undefined,
    roles: row.scopes,
    session: row.session,
    passwordHash: row.secret_hash ?? undefined,
    totpKey: (row.totp_key ?? undefined) as object | undefined,
    recoveryCodeCount: row.recovery_hashes.length,
    linkExpiresAt: row.link_expires_at ?? undefined,
    createdAt: row.created_at,
  };
}
