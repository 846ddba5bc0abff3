/**
 * Who does not want to be reached, and who was reached when: what events of contact say.
 *
 * Somebody is opted out of an integration type when the latest of their statements that concerns it is an opt-out. A statement
 * that names a known integration type concerns that one, any other statement concerns all: in doubt nobody is written to.
 *
 * Where it is only claimed that a device is a user's, an opt-out of either is the other's too, unless they said otherwise later;
 * its opposite is not, as anybody may claim.
 */

import { grow } from '../../ranking/models/arrays/rows.ts';
import type { People } from './people.ts';

/** The newest so many mailings are remembered, 20 bytes each. */
const mostMailings = 10_000_000;

const mostDay = 2 ** 31 - 1;

/** Different combinations of campaign and audience; mailings of further ones count, but under no name. */
const mostCampaigns = 100_000;

export type Statement = {
  person: number;
  optsOut: boolean;
  /** Unix seconds. */
  atSeconds: number;
  /** What the event names: its integration type, channel, item and group. */
  names: readonly string[];
};

export type Mailing = {
  person: number;
  atSeconds: number;
  /** Days since 1970. */
  arrivalDay: number;
  /** Campaign id, audience id and audience name, as far as the event gives them. */
  names: readonly string[];
};

export type MailingQuery = {
  sinceSeconds: number;
  /** Only mailings that carry one of these names; empty for all. */
  names: ReadonlySet<string>;
};

export type Contacts = {
  addStatement(statement: Statement): void;
  addMailing(mailing: Mailing): void;
  /** Whether a person, by position, said whether they want to be reached. */
  hasStatement(person: number): boolean;
  /** Those that arrived before a day. */
  forgetMailings(beforeDay: number): void;
  /** Calls `exclude` for everybody who is opted out of the integration type. */
  visitOptedOut(integrationType: string, people: Links, exclude: (person: number) => void): void;
  visitMailed(query: MailingQuery, exclude: (person: number) => void): void;
};

type Links = Pick<People, 'standsFor' | 'visitClaims'>;

/** @param integrationTypes Those that the deployment declares; empty when any will do. */
export function createContacts(integrationTypes: ReadonlySet<string>): Contacts {
  /** By position; one statement per set of names, the latest. */
  const statements = new Map<number, Map<string, Statement>>();
  const mailings = createMailings();
  const concerns = ({ names }: Statement, integrationType: string): boolean =>
    names.includes(integrationType) || !names.some((name) => integrationTypes.has(name));

  return {
    addStatement(statement) {
      const own = statements.get(statement.person) ?? new Map<string, Statement>();
      statements.set(statement.person, own);
      const key = JSON.stringify(statement.names.filter((name) => integrationTypes.has(name)));
      const known = own.get(key);
      if (!known || outweighs(statement, known)) own.set(key, statement);
    },
    addMailing: mailings.add,
    hasStatement: (person) => statements.has(person),
    forgetMailings: mailings.forget,
    visitOptedOut(integrationType, { standsFor, visitClaims }, exclude) {
      const latest = new Map<number, Statement>();
      for (const [person, own] of statements) {
        for (const statement of own.values()) {
          if (!concerns(statement, integrationType)) continue;
          const known = latest.get(standsFor[person]);
          if (!known || outweighs(statement, known)) latest.set(standsFor[person], statement);
        }
      }
      for (const [person, { optsOut }] of latest) if (optsOut) exclude(person);
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

/** At the same moment no means no. */
function outweighs(statement: Statement, known: Statement): boolean {
  if (statement.atSeconds !== known.atSeconds) return statement.atSeconds > known.atSeconds;
  return statement.optsOut;
}

function createMailings() {
  let count = 0;
  let persons = new Int32Array(1024);
  /** Unix seconds of any year: 32 bits hold those from 1901 to 2038, and an earlier one became a later one. */
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
  /** Forgets the half that arrived first. */
  const makeRoom = (): void => {
    const first = count >> 1;
    for (const column of [persons, moments, arrivalDays, campaigns]) column.copyWithin(0, first, count);
    count -= first;
  };

  return {
    add({ person, atSeconds, arrivalDay, names }: Mailing): void {
      if (count >= mostMailings) makeRoom();
      persons = grow(persons, count + 1);
      moments = grow(moments, count + 1);
      arrivalDays = grow(arrivalDays, count + 1);
      campaigns = grow(campaigns, count + 1);
      persons[count] = person;
      moments[count] = atSeconds;
      arrivalDays[count] = Math.min(arrivalDay, mostDay);
      campaigns[count++] = codeOf(names);
    },
    forget(beforeDay: number): void {
      let kept = 0;
      for (let entry = 0; entry < count; entry++) {
        if (arrivalDays[entry] < beforeDay) continue;
        for (const column of [persons, moments, arrivalDays, campaigns]) column[kept] = column[entry];
        kept += 1;
      }
      count = kept;
    },
    visit({ sinceSeconds, names }: MailingQuery, exclude: (person: number) => void): void {
      const isMeant = Uint8Array.from(namesOf, (own) => Number(own.some((name) => names.has(name))));
      for (let entry = 0; entry < count; entry++) {
        if (moments[entry] < sinceSeconds) continue;
        if (names.size === 0 || isMeant[campaigns[entry]] === 1) exclude(persons[entry]);
      }
    },
  };
}
