/**
 * Standing interests: announces each new item to the users who are most likely interested in it, as
 * changes that webhooks deliver.
 *
 * An interest follows the outbox for written items, so it delays no write and misses none. One node
 * at a time works for it. The statement that marks an item as announced appends the changes, so each
 * change has one id however often a node stops.
 */

import type { Logger } from 'pino';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { bindQuery } from '../../ranking/rules/bind.ts';
import type { Query } from '../../ranking/rules/types.ts';
import { createPeriodic, type Periodic } from '../../ranking/runtime/periodic.ts';
import { findChangeEnds, listChanges } from '../../repository/changes/changes.ts';
import {
  announceItem,
  claimInterest,
  findDueItem,
  type Interest,
  type ItemName,
  listCreations,
  listFreeInterests,
  noteItems,
  type PublishedItem,
  releaseInterest,
} from '../../repository/changes/interests.ts';
import type { Database } from '../../repository/database.ts';
import { findGoneSince, findLastDeletion } from '../../repository/people/deletions.ts';
import { personOfSubject } from '../../repository/people/person.ts';
import { erasePersonalData } from '../../repository/people/personal-rows.ts';
import type { Audiences } from '../audiences/audiences.ts';

const pauseMs = 500;
const dayMs = 86_400_000;
/** Items announced before other interests get their turn. */
const itemsPerTurn = 20;
/** Users per change. */
const usersPerChange = 500;

/** The settings of an interest; see Interest in interest.proto. */
export type ParsedInterest = {
  filter: readonly Query[];
  usersPerItem: number;
  itemsPerUser: number;
  periodHours: number;
  holdOutShare: number;
  integrationType: string;
};

export type InterestsOptions = {
  db: Database;
  /** Identifies this process. */
  node: string;
  environments: ReadonlyMap<string, ServingEnvironment>;
  parse(document: unknown): ParsedInterest;
  /** Applies all writes of items before the call to the catalogues. */
  refreshItems(): Promise<void>;
  audiences: Pick<Audiences, 'choose' | 'refresh'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
  logger: Logger;
};

export function createInterests(options: InterestsOptions): Periodic {
  const { db, environments, audiences, logger } = options;
  let followed = '';
  return createPeriodic({
    async work(signal) {
      const free = await listFreeInterests(db, [...environments.keys()]);
      if (free.length === 0) return;
      const names = [...new Set(free.map(({ environment }) => environment))].toSorted().join(' ');
      if (names !== followed) await audiences.refresh();
      followed = names;
      const ends = await findChangeEnds(db);
      const failures: unknown[] = [];
      for (const interest of free)
        if (interest.hasDue || ends.some((end, bucket) => end > (interest.position[bucket] ?? 0)))
          await serveInterest(options, interest, signal).catch((error) => failures.push(error));
      if (failures.length > 0) throw failures[0];
    },
    pauseMs,
    complaint: 'New items could not be announced; trying again.',
    logger,
  });
}

/** An interest while this node holds its lease. */
type Held = InterestsOptions & { interest: Interest; parsed: ParsedInterest };

async function serveInterest(options: InterestsOptions, found: Interest, signal: AbortSignal): Promise<void> {
  const { db, node, parse } = options;
  const interest = await claimInterest(db, found, node);
  if (!interest) return;
  try {
    const held = { ...options, interest, parsed: parse(interest.document) };
    if (!(await noteNewItems(held, signal))) return;
    for (let count = 0; count < itemsPerTurn && !signal.aborted; count++)
      if (!(await announceNext(held))) return;
  } finally {
    await releaseInterest(db, interest, node);
  }
}

/** Reads the changes up to now; false when the lease is lost or the node stops. */
async function noteNewItems(held: Held, signal: AbortSignal): Promise<boolean> {
  const { db, node, interest, refreshItems } = held;
  const { environment } = interest;
  const position = [...interest.position];
  const ends = await findChangeEnds(db);
  await refreshItems();
  for (const [bucket, end] of ends.entries())
    while ((position[bucket] ?? 0) < end) {
      const page = { environment, kinds: ['items.changed'], bucket, sinceNumber: position[bucket] ?? 0, end };
      const { changes, reached } = await listChanges(db, page);
      position[bucket] = reached;
      const written = changes.flatMap(({ data }) => (data as { items: WrittenItem[] }).items);
      const items = await publicationsOf(held, bucket, written);
      if (signal.aborted || !(await noteItems(db, { ...interest, position }, node, items))) return false;
    }
  return true;
}

type WrittenItem = { item_type: string; item_id: string };

/** Returns the matching items, each once, with their publication or else their creation. */
async function publicationsOf(
  held: Held,
  bucket: number,
  written: readonly WrittenItem[],
): Promise<PublishedItem[]> {
  const { environment } = held.interest;
  const { catalog } = held.environments.get(environment)!;
  const isMatch = createTest(held);
  const matching = new Map<number, ItemName>();
  for (const { item_type: itemType, item_id: itemId } of written) {
    const itemIndex = catalog.indexOf(itemType, itemId);
    if (itemIndex !== undefined && isMatch(itemIndex)) matching.set(itemIndex, { itemType, itemId });
  }
  if (matching.size === 0) return [];
  const items = await listCreations(held.db, { environment, bucket }, [...matching.values()]);
  return items.map((item) => {
    const publishedMs = catalog.publishedAt(catalog.indexOf(item.itemType, item.itemId)!);
    return Number.isNaN(publishedMs) ? item : { ...item, publishedAt: new Date(publishedMs) };
  });
}

/** Creates a test of enabled items that is valid until the catalogue's next write. */
function createTest({ interest, parsed, environments, clock }: Held): (itemIndex: number) => boolean {
  const { catalog, matchSets } = environments.get(interest.environment)!;
  const nowMs = clock();
  const sets = parsed.filter.map((query) => {
    const binding = bindQuery(query, { catalog, variables: () => undefined, nowMs });
    return binding.outcome === 'bound' ? matchSets.get(binding.query) : undefined;
  });
  return (itemIndex) => catalog.isPresent(itemIndex, nowMs) && sets.every((set) => set?.has(itemIndex));
}

/** Announces the waiting item that was published last, unless it has changed; false without one. */
async function announceNext(held: Held): Promise<boolean> {
  const { db, node, interest, environments, clock } = held;
  const { catalog } = environments.get(interest.environment)!;
  const item = await findDueItem(db, interest);
  if (!item) return false;
  const itemIndex = catalog.indexOf(item.itemType, item.itemId);
  const isMatch = itemIndex !== undefined && createTest(held)(itemIndex);
  /** A postponed item gets a later time when its change is read. */
  if (isMatch && catalog.publishedAt(itemIndex) > clock()) return false;
  if (!isMatch) return announceItem(db, interest, node, item, []);
  return announceTo(held, item);
}

/** Chooses the users, and leaves out those that are deleted meanwhile. */
async function announceTo(held: Held, item: ItemName): Promise<boolean> {
  const { db, node, interest, audiences } = held;
  const { environment, interestId } = interest;
  const last = await findLastDeletion(db);
  const { userIds, heldOutCount } = await audiences.choose(requestOf(held, item));
  const findGone = async () => {
    const isGone = await findGoneSince(db, environment, last);
    return new Set(isGone && userIds.filter((userId) => isGone(`u:${userId}`)));
  };
  const gone = await findGone();
  const kept = userIds.filter((userId) => !gone.has(userId));
  const changes = Array.from({ length: Math.ceil(kept.length / usersPerChange) }, (_, part) => ({
    ...{ interest_id: interestId, item_type: item.itemType, item_id: item.itemId },
    user_ids: kept.slice(part * usersPerChange, (part + 1) * usersPerChange),
    held_out_count: heldOutCount,
  }));
  const isHeld = await announceItem(db, interest, node, item, changes);
  for (const userId of await findGone())
    await erasePersonalData(db, personOfSubject(environment, `u:${userId}`), 'interest_matches');
  return isHeld;
}

function requestOf({ interest, parsed, environments, clock }: Held, item: ItemName) {
  const { environment, interestId } = interest;
  const { settings } = environments.get(environment)!;
  const { itemsPerUser, periodHours, usersPerItem, holdOutShare, integrationType } = parsed;
  return {
    ...{ environment, integrationType, holdOutShare },
    promotion: [item],
    suppression: { bought: false, mailedSinceSeconds: 0, mailings: [] },
    restrictions: [],
    today: Math.floor(clock() / dayMs),
    halfLifeDays: settings.audiences.halfLifeDays,
    audienceName: `interest ${interestId}`,
    salt: settings.salt,
    size: usersPerItem,
    cap: { environment, interestId, itemsPerUser, periodHours },
  };
}
