/**
 * The audiences of one environment: follows its events, ranks its subjects and stores the result.
 *
 * Each answer includes all events that any node committed before the request: the index reads them
 * before it ranks.
 */

import { type RatingScale, usualInterpretation } from '../../events/meaning.ts';
import { featuresOf } from '../../ranking/models/features.ts';
import { contentOf } from '../../ranking/models/item-content.ts';
import { createSingleFlight } from '../../ranking/runtime/single-flight.ts';
import { type AudienceEventRow, copyAudienceEvents } from '../../repository/audiences/audience-events.ts';
import { insertAudience, type MemberRow } from '../../repository/audiences/audiences.ts';
import { listCappedUsers } from '../../repository/changes/interests.ts';
import type { Database } from '../../repository/database.ts';
import {
  findNewestEvents,
  listEventRanges,
  positionAfter,
  rangesUpTo,
} from '../../repository/events/event-ranges.ts';
import type { FeedRange, Position } from '../../repository/feeds.ts';
import { findItem } from '../../repository/items/items.ts';
import { findGoneSince, findLastDeletion, listDeletionsAfter } from '../../repository/people/deletions.ts';
import { createMarker } from '../../repository/people/marks.ts';
import { personOfSubject } from '../../repository/people/person.ts';
import { erasePersonalData } from '../../repository/people/personal-rows.ts';
import { type AudienceIndex, type AudienceIndexOptions, createAudienceIndex } from './audience-index.ts';
import type {
  AudienceMember,
  AudiencePage,
  AudienceRequest,
  ChosenUsers,
  NamedTargeting,
  SubjectExplanation,
  Targeting,
  UsersRequest,
} from './audience-request.ts';
import type { EventKinds } from './event-kinds.ts';
import { readEvent } from './event-reader.ts';
import { type Exclusion, findExclusions, joinExclusions } from './exclusions.ts';
import { explainInterest } from './explain-interest.ts';
import { countMembers, holdOutOf, isHeldOut, take } from './hold-out.ts';
import { findInterest, type Interest, type Promoted } from './interest.ts';
import { type ItemModels, readItemModels } from './item-models.ts';
import { rank } from './rank.ts';
import { keyOf, type Subject } from './subjects.ts';

/** Older events are read for opt-outs and opt-ins only. */
const mostEvents = 100_000_000;

/** Promoted items per request that are missing in the models, and so are read for their content. */
const mostNewItems = 500;

/** See interest.ts. */
const averageInterest = 1;

const dayMs = 86_400_000;

export type AudienceEngine = {
  /** Reads all committed events. */
  catchUp(): Promise<void>;
  /** Takes the latest models, which are read when a request needs them. */
  serveWith(buffer: SharedArrayBuffer): void;
  /** Computes and stores an audience; the page holds its first members. */
  create(request: AudienceRequest): Promise<AudiencePage>;
  /** Computes users for an item, without storing them. */
  choose(request: UsersRequest): Promise<ChosenUsers>;
  explain(targeting: NamedTargeting, subject: Subject): Promise<SubjectExplanation>;
};

export type AudienceEngineOptions = AudienceIndexOptions & {
  db: Database;
  environment: string;
  ratingScale?: RatingScale;
  /** Retention of events since their arrival [unlimited]. */
  eventsDays?: number;
  clock: () => number;
};

export function createAudienceEngine(options: AudienceEngineOptions): AudienceEngine {
  const { db, environment, clock } = options;
  const index = createAudienceIndex(options);
  const forgetting = createForgetting(db, environment, index);
  const follow = createEventFollower(options, { index, forgetting });
  let buffer: SharedArrayBuffer | undefined;
  let models: ItemModels | undefined;

  const currentModels = (): ItemModels | undefined => {
    if (buffer) models = readItemModels(buffer);
    buffer = undefined;
    return models;
  };
  const measure = async (targeting: Targeting): Promise<Interest> => {
    await follow();
    const promotion = await withContent(db, targeting, { models: currentModels(), kinds: index.kinds });
    return findInterest({ ...targeting, index, models: currentModels(), promotion });
  };

  return {
    catchUp: follow,
    serveWith(next) {
      buffer = next;
    },
    async create(request) {
      const interest = await measure(request);
      const { last } = forgetting;
      const excluded = joinExclusions(findExclusions(index, request), index.subjects.count);
      const { audienceName, limit } = request;
      const ranking = rank(index, interest, excluded);
      const taken = take(ranking, index.subjects, request.audienceSize, holdOutOf(request));
      const expiresAt = new Date(clock() + request.lifetimeDays * dayMs);
      await insertAudience(db, {
        ...request,
        request: describe(request),
        expiresAt,
        members: taken.members.map(rowOf),
        heldOut: taken.heldOut.map(rowOf),
      });
      const gone = await forgetGone(db, environment, last!, [...taken.members, ...taken.heldOut]);
      return {
        audienceId: request.audienceId,
        audienceName,
        integrationType: request.integrationType,
        audienceSize: taken.members.length,
        heldOutCount: taken.heldOut.length,
        expiresAt,
        members: taken.members.slice(0, limit).filter((member) => !gone.has(keyOf(member))),
      };
    },
    async choose({ size, cap, ...targeting }) {
      const capped = new Set(await listCappedUsers(db, cap));
      const interest = await measure(targeting);
      const excluded = joinExclusions(findExclusions(index, targeting), index.subjects.count);
      const isEligible = ({ id, userType, score }: AudienceMember) =>
        userType === 'user_id' && score > averageInterest && !capped.has(id);
      const ranking = rank(index, interest, excluded);
      const taken = take(ranking, index.subjects, size, holdOutOf(targeting), isEligible);
      return { userIds: taken.members.map(({ id }) => id), heldOutCount: taken.heldOut.length };
    },
    async explain(targeting, subject) {
      const interest = await measure(targeting);
      return explainSubject(index, interest, targeting, subject);
    },
  };
}

/** Removes members that were deleted during the ranking; returns their keys. */
async function forgetGone(
  db: Database,
  environment: string,
  last: number,
  stored: readonly Subject[],
): Promise<ReadonlySet<string>> {
  const isGone = await findGoneSince(db, environment, last);
  const gone = new Set(isGone && stored.map(keyOf).filter(isGone));
  for (const subject of gone)
    await erasePersonalData(db, personOfSubject(environment, subject), 'audience_members');
  return gone;
}

/** Returns a function that reads all events committed before its call. */
function createEventFollower(
  { db, environment, eventsDays = Number.POSITIVE_INFINITY, clock, ...options }: AudienceEngineOptions,
  { index, forgetting }: { index: AudienceIndex; forgetting: ReturnType<typeof createForgetting> },
): () => Promise<void> {
  let position: Position | undefined;
  /** The first day of arrival that is kept; moves once a day, as in the database. */
  let firstDay = Number.NEGATIVE_INFINITY;
  const { eventWeights = {}, ratingScale = usualInterpretation.ratingScale } = options;
  const add = (row: AudienceEventRow) => index.add(readEvent(row, { eventWeights, ratingScale }));
  const read = async (): Promise<void> => {
    await forgetting.begin();
    position ??= await readEarly(db, environment, add);
    const ranges = await listEventRanges(db, position);
    /** Events after a deletion start a new history, so the deletion comes first. */
    await forgetting.followUp();
    /** The next read continues where a failed one ended. */
    const onRead = (part: FeedRange) => {
      position = positionAfter([part], position);
    };
    await copyAudienceEvents(db, environment, { ranges, onRead }, add);
    await forgetting.followUp();
    const firstKept = Math.floor(clock() / dayMs) - eventsDays;
    if (firstKept > firstDay) index.forget(firstKept);
    firstDay = firstKept;
  };
  return createSingleFlight(read);
}

/** Applies deletions since the first read; subjects deleted before have no events. */
function createForgetting(db: Database, environment: string, { subjects }: AudienceIndex) {
  let last: number | undefined;
  return {
    /** Number of the last applied deletion. */
    get last() {
      return last;
    },
    async begin(): Promise<void> {
      last ??= await findLastDeletion(db);
    },
    async followUp(): Promise<void> {
      const deletions = await listDeletionsAfter(db, last!);
      if (deletions.length === 0) return;
      const { among } = await createMarker(db);
      const own = deletions.filter((deletion) => deletion.environment === environment);
      const isGone = among(own.flatMap(({ subjects }) => subjects));
      subjects.forget((key) => isGone(environment, key));
      last = deletions.at(-1)!.number;
    },
  };
}

/** Reads opt-outs and opt-ins of older events; returns where the others begin. */
async function readEarly(
  db: Database,
  environment: string,
  add: (row: AudienceEventRow) => void,
): Promise<Position> {
  const { ranges, until } = await findNewestEvents(db, environment, mostEvents);
  const early = rangesUpTo(until).map((range) => {
    const newest = ranges.find(({ bucket, lane }) => bucket === range.bucket && lane === range.lane);
    return { ...range, until: newest?.since ?? range.until };
  });
  await copyAudienceEvents(db, environment, { ranges: early, statementsOnly: true }, add);
  return positionAfter(early);
}

/** Returns the promoted items, with the content of those that the models lack. */
async function withContent(
  db: Database,
  { environment, promotion }: Targeting,
  { models, kinds }: { models: ItemModels | undefined; kinds: EventKinds },
): Promise<Promoted[]> {
  const promoted: Promoted[] = [];
  let newCount = 0;
  for (const { itemType, itemId, consumedBy } of promotion) {
    const isKnown = models === undefined || models.localOf(itemType, itemId) >= 0;
    const item =
      isKnown || newCount++ >= mostNewItems
        ? undefined
        : await findItem(db, { environment, itemType, itemId });
    promoted.push({
      itemType,
      itemId,
      features: item && featuresOf(contentOf(item.document as Record<string, unknown>)),
      consumedBy: consumedBy && kindsOf(consumedBy, kinds),
    });
  }
  return promoted;
}

function kindsOf(eventTypes: readonly string[], { names }: EventKinds): Uint8Array {
  return Uint8Array.from(names, (name) => Number(eventTypes.includes(name.split(':', 1)[0])));
}

/** Returns the part of the request that explains the stored audience later. */
function describe({ environment, limit, ...request }: AudienceRequest) {
  const restrictions = request.restrictions.map(({ itemKeys, min, max }) => ({
    itemCount: itemKeys.length,
    min,
    max: Math.min(max, 0xffffffff),
  }));
  return { ...request, restrictions };
}

const rowOf = (member: AudienceMember): MemberRow => [keyOf(member), Number(member.score.toPrecision(6))];

function explainSubject(
  index: AudienceIndex,
  interest: Interest,
  targeting: NamedTargeting,
  asked: Subject,
): SubjectExplanation {
  const position = index.subjects.find(asked);
  if (position < 0) return { absence: 'unknown', score: 0, rank: 0, parts: [] };
  const parts = explainInterest(index, interest, position);
  const score = parts.reduce((sum, part) => sum + part.score, 0);
  const exclusions = findExclusions(index, targeting);
  const [reason] = Object.entries(exclusions).find(([, marks]) => marks[position] === 1) ?? [];
  if (reason !== undefined) return { absence: reason as Exclusion, score, rank: 0, parts };
  const ranking = rank(index, interest, joinExclusions(exclusions, index.subjects.count));
  const place = ranking.subjects.indexOf(position);
  if (place < 0) return { absence: 'no_interest', score, rank: 0, parts };
  const holdOut = holdOutOf(targeting);
  if (isHeldOut(index.subjects.at(position), holdOut)) return { absence: 'held_out', score, rank: 0, parts };
  const before = countMembers(ranking.subjects.subarray(0, place), index.subjects, holdOut);
  return { absence: 'present', score, rank: before + 1, parts };
}
