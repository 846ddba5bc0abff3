/** All that is known of one environment's people for audiences, kept up event by event. */

import type { EventWeights } from '../../ranking/models/event-weights.ts';
import { createItemKeys, type ItemKeys } from '../../ranking/models/item-keys.ts';
import { type Contacts, createContacts } from './contacts.ts';
import { createKinds, type EventKinds } from './kinds.ts';
import { createPeople, type People } from './people.ts';
import {
  createPostingLog,
  createPostings,
  dropArrivedBefore,
  dropOldest,
  mergePostings,
  type Postings,
  strengthsOf,
} from './postings.ts';

/** Nine bytes each; beyond it the oldest are forgotten. */
const mostPostings = 60_000_000;

/** New postings are merged when they are so many, and so many for each old one. */
const fewestMerged = 65_536;
const mergedShare = 1 / 3;

/** Sorting so many takes a twentieth of a second; with more, a request merges them instead, which is then done. */
const mostSortedByRequest = 500_000;

/** Items and groups that people met; events on further ones count for nothing. */
const mostItems = 2_000_000;

const daySeconds = 86_400;

export type AudienceEvent = {
  eventType: string;
  deviceId?: string;
  userId?: string;
  itemType?: string;
  itemId?: string;
  /** Unix seconds. */
  atSeconds: number;
  /** See Subject. */
  arrivedAtSeconds?: number;
  isPublic?: boolean;
  /** Of an event that is an opt-out or takes one back: true for out; and what it names. */
  optsOut?: boolean;
  /** Of a mailing. */
  isMailing?: boolean;
  names?: readonly string[];
};

export type AudienceIndex = {
  readonly people: People;
  readonly items: ItemKeys;
  readonly contacts: Contacts;
  readonly kinds: EventKinds;
  /** The large part and the latest part; together they are what everybody did. */
  parts(): readonly Postings[];
  /**
   * What all people together did with each item, in detail views.
   * @param today Tells one decay from another.
   */
  strengthOfItems(today: number, decay: Float32Array): Float64Array;
  add(event: AudienceEvent): void;
  /**
   * Forgets what arrived before a day, in days since 1970, but for what people said of whether they want to be reached and whose
   * device it was said on.
   */
  forget(beforeDay: number): void;
};

export type AudienceIndexOptions = {
  integrationTypes: ReadonlySet<string>;
  /** What the environment sets; what is absent keeps its default. */
  eventWeights?: EventWeights;
};

export function createAudienceIndex({ integrationTypes, eventWeights }: AudienceIndexOptions): AudienceIndex {
  const people = createPeople();
  const items = createItemKeys();
  const contacts = createContacts(integrationTypes);
  const kinds = createKinds(eventWeights);
  const kindWeights = kinds.weights;
  let merged = createPostings();
  let log = createPostingLog(kinds);
  let latest: Postings | undefined;
  /** Of the large part, which changes rarely. */
  let known: { of: Postings; today: number; strengths: Float64Array } | undefined;

  const merge = (): void => {
    const sorted = log.sort(items.keys.length, people.count);
    merged = dropOldest(
      mergePostings(sorted, merged, { itemCount: items.keys.length, eventKinds: kinds }),
      mostPostings,
    );
    log = createPostingLog(kinds);
    latest = undefined;
  };
  const addPosting = (person: number, event: AudienceEvent): void => {
    const kind = kinds.kindOf(event.eventType);
    if (kind === undefined || event.itemId === undefined) return;
    if (items.keys.length >= mostItems && items.find(event.itemId, event.itemType ?? '') < 0) return;
    const item = items.intern(event.itemType ?? '', event.itemId);
    log.add({ item, person, day: dayOf(event.atSeconds), arrivalDay: arrivalDayOf(event), kind });
    latest = undefined;
    if (log.size >= Math.max(fewestMerged, merged.person.length * mergedShare)) merge();
  };

  const parts = (): readonly [Postings, Postings] => {
    if (log.size > mostSortedByRequest) merge();
    latest ??= log.sort(items.keys.length, people.count);
    return [merged, latest];
  };

  return {
    people,
    items,
    contacts,
    kinds,
    parts,
    strengthOfItems(today, decay) {
      const [large, small] = parts();
      if (known?.of !== large || known.today !== today) {
        known = { of: large, today, strengths: strengthsOf(large, decay, kindWeights) };
      }
      const strengths = strengthsOf(small, decay, kindWeights);
      known.strengths.forEach((strength, item) => {
        strengths[item] += strength;
      });
      return strengths;
    },
    add(event) {
      const person = people.admit(event);
      if (person < 0) return;
      const { atSeconds, optsOut, names = [] } = event;
      if (optsOut !== undefined) contacts.addStatement({ person, atSeconds, optsOut, names });
      if (event.isMailing) contacts.addMailing({ person, atSeconds, arrivalDay: arrivalDayOf(event), names });
      addPosting(person, event);
    },
    forget(beforeDay) {
      merge();
      merged = dropArrivedBefore(merged, beforeDay);
      contacts.forgetMailings(beforeDay);
      people.forgetUnseen(beforeDay, contacts.hasStatement);
    },
  };
}

const dayOf = (seconds: number): number => Math.floor(seconds / daySeconds);

/** Without a moment: after all that have one. */
const arrivalDayOf = ({ arrivedAtSeconds = Number.POSITIVE_INFINITY }: AudienceEvent): number =>
  dayOf(arrivedAtSeconds);
