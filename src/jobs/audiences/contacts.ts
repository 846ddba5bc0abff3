/**
 * Opt-outs, opt-ins and mailings.
 *
 * A subject is opted out of an integration type when its latest statement about that type is an
 * opt-out. A statement that names a known integration type concerns that one; any other statement
 * concerns all types, because in doubt no message may be sent.
 *
 * A claimed link between a device and a user (subjects.ts) passes an opt-out to the other, unless
 * the other opted in later. It never passes an opt-in, because anyone can make such a claim.
 */

import { grow } from '../../ranking/models/arrays/rows.ts';
import { getOrAdd } from '../../ranking/runtime/get-or-add.ts';
import type { Subjects } from './subjects.ts';

/** 20 bytes each; the oldest half is dropped beyond them. */
const mostMailings = 10_000_000;

const mostDay = 2 ** 31 - 1;

/** Combinations of campaign and audience; mailings of further ones count without a name. */
const mostCampaigns = 100_000;

export type Statement = {
  subject: number;
  optsOut: boolean;
  /** Unix seconds. */
  atSeconds: number;
  /** The integration type, channel, item and group that the event names. */
  names: readonly string[];
};

export type Mailing = {
  subject: number;
  atSeconds: number;
  /** Days since 1970. */
  arrivalDay: number;
  /** The campaign ID, audience ID and audience name that the event gives. */
  names: readonly string[];
};

export type MailingQuery = {
  sinceSeconds: number;
  /** Restricts the query to mailings with one of these names; empty for all. */
  names: ReadonlySet<string>;
};

export type Contacts = {
  addStatement(statement: Statement): void;
  addMailing(mailing: Mailing): void;
  /** Tells whether a subject, by position, has opted out or in. */
  hasStatement(subject: number): boolean;
  forgetMailings(beforeDay: number): void;
  /** Calls `exclude` for each subject that is opted out of the integration type. */
  visitOptedOut(integrationType: string, subjects: Links, exclude: (subject: number) => void): void;
  visitMailed(query: MailingQuery, exclude: (subject: number) => void): void;
};

type Links = Pick<Subjects, 'standsFor' | 'visitClaims'>;

/** @param integrationTypes The declared types; empty when any type is accepted. */
export function createContacts(integrationTypes: ReadonlySet<string>): Contacts {
  /** By position: the latest statement per set of integration types. */
  const statements = new Map<number, Map<string, Statement>>();
  const mailings = createMailings();
  const concerns = ({ names }: Statement, integrationType: string): boolean =>
    names.includes(integrationType) || !names.some((name) => integrationTypes.has(name));

  return {
    addStatement(statement) {
      const own = getOrAdd(statements, statement.subject, () => new Map<string, Statement>());
      const key = JSON.stringify(statement.names.filter((name) => integrationTypes.has(name)));
      const known = own.get(key);
      if (!known || outweighs(statement, known)) own.set(key, statement);
    },
    addMailing: mailings.add,
    hasStatement: (subject) => statements.has(subject),
    forgetMailings: mailings.forget,
    visitOptedOut(integrationType, { standsFor, visitClaims }, exclude) {
      const latest = new Map<number, Statement>();
      for (const [subject, own] of statements) {
        for (const statement of own.values()) {
          if (!concerns(statement, integrationType)) continue;
          const known = latest.get(standsFor[subject]);
          if (!known || outweighs(statement, known)) latest.set(standsFor[subject], statement);
        }
      }
      for (const [subject, { optsOut }] of latest) if (optsOut) exclude(subject);
      const passOn = (from: number, to: number): void => {
        const said = latest.get(from);
        const own = latest.get(to);
        if (said?.optsOut && (!own || outweighs(said, own))) exclude(to);
      };
      visitClaims((device, user) => {
        passOn(standsFor[device], standsFor[user]);
        passOn(standsFor[user], standsFor[device]);
      });
    },
    visitMailed: mailings.visit,
  };
}

/** Compares times; of two statements at the same second the opt-out counts. */
function outweighs(statement: Statement, known: Statement): boolean {
  if (statement.atSeconds !== known.atSeconds) return statement.atSeconds > known.atSeconds;
  return statement.optsOut;
}

function createMailings() {
  let count = 0;
  let subjects = new Int32Array(1024);
  /** Unix seconds. 32 bits would overflow for times before 1901 or after 2038. */
  let moments = new Float64Array(1024);
  let arrivalDays = new Int32Array(1024);
  let campaigns = new Int32Array(1024);
  const codes = new Map<string, number>();
  const namesOf: (readonly string[])[] = [];

  const codeOf = (names: readonly string[]): number => {
    const key = JSON.stringify(names);
    const known = codes.get(key);
    if (known !== undefined) return known;
    if (namesOf.length >= mostCampaigns) return -1;
    codes.set(key, namesOf.length);
    return namesOf.push(names) - 1;
  };
  const makeRoom = (): void => {
    const first = count >> 1;
    for (const column of [subjects, moments, arrivalDays, campaigns]) column.copyWithin(0, first, count);
    count -= first;
  };

  return {
    add({ subject, atSeconds, arrivalDay, names }: Mailing): void {
      if (count >= mostMailings) makeRoom();
      subjects = grow(subjects, count + 1);
      moments = grow(moments, count + 1);
      arrivalDays = grow(arrivalDays, count + 1);
      campaigns = grow(campaigns, count + 1);
      subjects[count] = subject;
      moments[count] = atSeconds;
      arrivalDays[count] = Math.min(arrivalDay, mostDay);
      campaigns[count++] = codeOf(names);
    },
    forget(beforeDay: number): void {
      let kept = 0;
      for (let entry = 0; entry < count; entry++) {
        if (arrivalDays[entry] < beforeDay) continue;
        for (const column of [subjects, moments, arrivalDays, campaigns]) column[kept] = column[entry];
        kept += 1;
      }
      count = kept;
    },
    visit({ sinceSeconds, names }: MailingQuery, exclude: (subject: number) => void): void {
      const isMeant = Uint8Array.from(namesOf, (own) => Number(own.some((name) => names.has(name))));
      for (let entry = 0; entry < count; entry++) {
        if (moments[entry] < sinceSeconds) continue;
        if (names.size === 0 || isMeant[campaigns[entry]] === 1) exclude(subjects[entry]);
      }
    },
  };
}
