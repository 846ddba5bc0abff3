/** The index of one environment's subjects and their events, which is updated with each event. */

import type { EventWeights } from '../../ranking/models/event-weights.ts';
import { createItemKeys, type ItemKeys } from '../../ranking/models/item-keys.ts';
import { type Contacts, createContacts } from './contacts.ts';
import { createKinds, type EventKinds } from './event-kinds.ts';
import {
  createPostingLog,
  createPostings,
  dropArrivedBefore,
  dropOldest,
  mergePostings,
  type Postings,
  strengthsOf,
} from './postings.ts';
import { createSubjects, type Subjects } from './subjects.ts';

/** Nine bytes each; beyond them the oldest days are dropped. */
const mostPostings = 60_000_000;

/** New postings are merged when they reach both the number and the share of the merged ones. */
const fewestMerged = 65_536;
const mergedShare = 1 / 3;

/** Sorting these takes 50 ms; a request with more merges them instead. */
const mostSortedByRequest = 500_000;

/** Events on further items and groups are ignored. */
const mostItems = 2_000_000;

const daySeconds = 86_400;

export type AudienceEvent = {
  eventType: string;
  /** See events/meaning.ts. */
  qualifier?: string;
  deviceId?: string;
  userId?: string;
  itemType?: string;
  itemId?: string;
  /** Unix seconds. */
  atSeconds: number;
  /** See EventSubject. */
  arrivedAtSeconds?: number;
  isPublic?: boolean;
  signsOut?: boolean;
  /** True for an opt-out, false for an opt-in. */
  optsOut?: boolean;
  isMailing?: boolean;
  /** The integration type, channel or campaign that an opt-out, opt-in or mailing names. */
  names?: readonly string[];
};

export type AudienceIndex = {
  readonly subjects: Subjects;
  readonly items: ItemKeys;
  readonly contacts: Contacts;
  readonly kinds: EventKinds;
  /** The merged postings and the latest ones; together they hold all events. */
  parts(): readonly Postings[];
  /** Returns the decayed events by item, in detail views. @param today Identifies the decay. */
  strengthOfItems(today: number, decay: Float32Array): Float64Array;
  add(event: AudienceEvent): void;
  /** Forgets events that arrived before a day (since 1970), except opt-outs and their links. */
  forget(beforeDay: number): void;
};

export type AudienceIndexOptions = {
  integrationTypes: ReadonlySet<string>;
  /** Weights that the environment sets; the others keep their defaults. */
  eventWeights?: EventWeights;
  /** IDs that are nobody's; events stored before one was declared may still have it [none]. */
  placeholderIds?: ReadonlySet<string>;
};

export function createAudienceIndex(options: AudienceIndexOptions): AudienceIndex {
  const { integrationTypes, eventWeights, placeholderIds } = options;
  const subjects = createSubjects(placeholderIds);
  const items = createItemKeys();
  const contacts = createContacts(integrationTypes);
  const kinds = createKinds(eventWeights);
  let merged = createPostings();
  let log = createPostingLog(kinds);
  let latest: Postings | undefined;
  /** The strengths of the merged part, which changes rarely. */
  let known: { of: Postings; today: number; strengths: Float64Array } | undefined;

  const merge = (): void => {
    const sorted = log.sort(items.keys.length, subjects.count);
    merged = dropOldest(
      mergePostings(sorted, merged, { itemCount: items.keys.length, eventKinds: kinds }),
      mostPostings,
    );
    log = createPostingLog(kinds);
    latest = undefined;
  };
  const addPosting = (subject: number, event: AudienceEvent): void => {
    const kind = kinds.kindOf(event.eventType, event.qualifier);
    if (kind === undefined || event.itemId === undefined) return;
    if (items.keys.length >= mostItems && items.find(event.itemId, event.itemType ?? '') < 0) return;
    const item = items.intern(event.itemType ?? '', event.itemId);
    log.add({ item, subject, day: dayOf(event.atSeconds), arrivalDay: arrivalDayOf(event), kind });
    latest = undefined;
    if (log.size >= Math.max(fewestMerged, merged.subject.length * mergedShare)) merge();
  };

  const parts = (): readonly [Postings, Postings] => {
    if (log.size > mostSortedByRequest) merge();
    latest ??= log.sort(items.keys.length, subjects.count);
    return [merged, latest];
  };

  return {
    subjects,
    items,
    contacts,
    kinds,
    parts,
    strengthOfItems(today, decay) {
      const [large, small] = parts();
      if (known?.of !== large || known.today !== today) {
        known = { of: large, today, strengths: strengthsOf(large, decay, kinds.weights) };
      }
      const latestStrengths = strengthsOf(small, decay, kinds.weights);
      for (const [item, strength] of known.strengths.entries()) latestStrengths[item] += strength;
      return latestStrengths;
    },
    add(event) {
      const subject = subjects.admit(event);
      if (subject < 0) return;
      const { atSeconds, optsOut, names = [] } = event;
      if (optsOut !== undefined) contacts.addStatement({ subject, atSeconds, optsOut, names });
      if (event.isMailing)
        contacts.addMailing({ subject, atSeconds, arrivalDay: arrivalDayOf(event), names });
      addPosting(subject, event);
    },
    forget(beforeDay) {
      merge();
      merged = dropArrivedBefore(merged, beforeDay);
      contacts.forgetMailings(beforeDay);
      subjects.forgetUnseen(beforeDay, contacts.hasStatement);
    },
  };
}

const dayOf = (seconds: number): number => Math.floor(seconds / daySeconds);

/** Events without a time of arrival come after all others. */
const arrivalDayOf = ({ arrivedAtSeconds = Number.POSITIVE_INFINITY }: AudienceEvent): number =>
  dayOf(arrivedAtSeconds);
