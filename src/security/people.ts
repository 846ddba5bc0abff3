/**
 * People: principals with roles and a password, besides clients. A one-time link sets the password;
 * whoever invites or resets a person passes it on.
 */
import { createHash, randomBytes } from 'node:crypto';
import { DomainError, invalid } from '../errors.ts';
import type { Actor } from '../repository/audit/audit-entries.ts';
import type { Database } from '../repository/database.ts';
import {
  changePerson,
  findPerson,
  insertPerson,
  linkAccount,
  listPeople,
  type PersonRow,
  redeemLink,
} from '../repository/security/people.ts';
import { createGate } from './limits/gate.ts';
import { checkTexts, isRole, splitScope } from './scopes.ts';
import { createDecoyPassword, hashPassword, matchesPassword } from './secrets/argon2.ts';

export type Person = PersonRow;

/** The person after a change, and the link to pass on. */
type Linked = { person: Person; link: string };

export type People = {
  /** Returns undefined if the e-mail address is taken. */
  invite(person: { name: string; email: string; roles: string[] }, actor: Actor): Promise<Linked | undefined>;
  find(personId: string): Promise<Person | undefined>;
  list(limit: number, afterId?: string): Promise<Person[]>;
  /** The changes return undefined if the person has changed since it was read. */
  setRoles(person: Person, roles: string[], actor: Actor): Promise<Person | undefined>;
  reset(person: Person, actor: Actor): Promise<Linked | undefined>;
  remove(person: Person, actor: Actor): Promise<boolean>;
  /** Returns the person of the password; unknown ones take as long. */
  verifyPassword(email: string, password: string): Promise<Person | undefined>;
  /** Ends the sessions, as `reset` and `remove` do. */
  changePassword(person: Person, password: string, actor: Actor): Promise<Person | undefined>;
  /** Returns the person of an account of OpenID Connect, by the e-mail address. @throws CLIENT_INVALID */
  findByAccount(account: { subject: string; email: string }): Promise<Person>;
  /** Sets the password of the link's person; undefined for a link that was used or has expired. */
  redeem(link: string, password: string): Promise<Person | undefined>;
};

/** A hash takes 30 ms and 19 MiB. */
const hashing = { concurrency: 2, mostWaiting: 32 };

const linkLifetimeMs = 7 * 86_400_000;
const passwordLength = { least: 12, most: 256 };

export type PeopleOptions = { db: Database; clock: () => number };

export function createPeople({ db, clock }: PeopleOptions): People {
  const gate = createGate(hashing);
  const decoy = createDecoyPassword();
  const createLink = () => {
    const link = randomBytes(32).toString('base64url');
    return { link, linkHash: hashLink(link), linkExpiresAt: new Date(clock() + linkLifetimeMs) };
  };
  const find = (personId: string) => findPerson(db, { personId });
  return {
    find,
    list: (limit, afterId) => listPeople(db, limit, afterId),
    async invite({ name, email, roles }, actor) {
      const { link, ...hashed } = createLink();
      const checked = { name: checkName(name), email: checkEmail(email), roles: checkRoles(roles) };
      const personId = `u_${randomBytes(16).toString('hex')}`;
      if (!(await insertPerson(db, { personId, ...checked, ...hashed }, actor))) return undefined;
      return { person: (await find(personId))!, link };
    },
    async setRoles(person, roles, actor) {
      const change = { roles: checkRoles(roles) };
      const isDone = await changePerson(db, person, change, { ...actor, action: 'people.set_roles' });
      return isDone ? { ...person, ...change } : undefined;
    },
    async reset(person, actor) {
      const { link, ...hashed } = createLink();
      const isDone = await changePerson(db, person, hashed, { ...actor, action: 'people.reset' });
      const { linkExpiresAt } = hashed;
      return isDone ? { person: { ...person, linkExpiresAt }, link } : undefined;
    },
    remove: (person, actor) => changePerson(db, person, {}, { ...actor, action: 'people.remove' }),
    async verifyPassword(email, password) {
      const person = await findPerson(db, { email: email.trim().toLowerCase() });
      const isRight = await gate.run(() => matchesPassword(password, person?.passwordHash ?? decoy));
      return isRight ? person : undefined;
    },
    async changePassword(person, password, actor) {
      checkPassword(password, '/new_password');
      const passwordHash = await gate.run(() => hashPassword(password));
      const change = { ...actor, action: 'people.change_password' as const };
      const isDone = await changePerson(db, person, { passwordHash }, change);
      return isDone ? { ...person, session: person.session + 1 } : undefined;
    },
    async findByAccount({ subject, email: text }) {
      const email = text.trim().toLowerCase();
      const person = await linkAccount(db, email, subject);
      if (person) return person;
      const why = (await findPerson(db, { email }))
        ? `${email} belongs to another account. Ask an administrator to reset your access.`
        : `There is no invitation for ${email}. Ask an administrator for one.`;
      throw new DomainError('CLIENT_INVALID', why);
    },
    async redeem(link, password) {
      checkPassword(password, '/password');
      const linkHash = hashLink(link);
      if (!(await findPerson(db, { linkHash }))) return undefined;
      return redeemLink(db, linkHash, await gate.run(() => hashPassword(password)));
    },
  };
}

/** A link has 256 random bits, so that its hash needs no salt. */
const hashLink = (link: string) => createHash('sha256').update(link).digest('base64url');

function checkName(name: string): string {
  if (name.trim() !== '') return name.trim();
  throw invalid('/name', 'Give a name.');
}

/** Not more than the form: only a message that arrives proves an address. */
function checkEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (/^[^\s@]+@[^\s@]+$/.test(email)) return email;
  throw invalid('/email', 'Give an e-mail address such as anna@shop.example.');
}

function checkRoles(texts: readonly string[]): string[] {
  const explain = (text: string) =>
    `${JSON.stringify(text.slice(0, 100))} is not a role; write viewer, editor, publisher or admin, with :* or :ENVIRONMENT.`;
  const roles = checkTexts(texts, { list: 'roles', isValid: isRole, explain });
  const places = roles.map((role) => splitScope(role)[1]);
  const twice = places.find((place, index) => places.indexOf(place) < index);
  if (twice !== undefined) throw invalid('/roles', `Give one role for ${twice}.`);
  return roles;
}

function checkPassword(password: string, pointer: string): void {
  const { least, most } = passwordLength;
  if (password.length < least || password.length > most)
    throw invalid(pointer, `Choose a password of ${least} to ${most} characters.`);
}
