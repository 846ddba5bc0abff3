/** Gathers the subjects of a batch page by page and stores them as its parts. */

import { DomainError } from '../../errors.ts';
import { findAudience, listMembers } from '../../repository/audiences/audiences.ts';
import { listActivePeople, listIdle } from '../../repository/batches/active-people.ts';
import {
  type BatchName,
  deleteParts,
  insertParts,
  listParts,
  type PartPeople,
  subjectsPerPart,
} from '../../repository/batches/batch-parts.ts';
import { listBuckets } from '../../repository/buckets.ts';
import type { Database } from '../../repository/database.ts';
import { findGoneSince, findLastDeletion } from '../../repository/people/deletions.ts';
import { personOfSubject } from '../../repository/people/person.ts';
import { erasePersonalData } from '../../repository/people/personal-rows.ts';

/** Subjects that the database finds. */
export type SubjectSource = { audienceId: string } | { activeWithinDays: number };

const membersPerPage = 2_000;
/** About 200 kB of IDs. */
const partsPerStatement = 20;
const dayMs = 86_400_000;

export type GatherOptions = {
  db: Database;
  /** The largest number of subjects. */
  largest: number;
  nowMs: number;
  signal: AbortSignal;
};

/** Replaces the parts of an earlier attempt; returns the number of subjects. */
export async function gatherSubjects(
  options: GatherOptions,
  batch: BatchName,
  source: SubjectSource,
): Promise<number> {
  const { db, signal } = options;
  await forgetParts(db, batch);
  return storeSubjects(options, batch, listSubjects(options, batch.environment, source), signal);
}

export async function forgetParts(db: Database, batch: BatchName): Promise<void> {
  while ((await deleteParts(db, batch, partsPerStatement * 5)) > 0);
}

/** Cuts pages of subjects into parts. A subject that is deleted meanwhile becomes null. */
export async function storeSubjects(
  { db, largest }: Pick<GatherOptions, 'db' | 'largest'>,
  batch: BatchName,
  pages: AsyncIterable<readonly string[]> | Iterable<readonly string[]>,
  signal?: AbortSignal,
): Promise<number> {
  let waiting: string[] = [];
  let partCount = 0;
  let peopleCount = 0;
  const lastDeletion = await findLastDeletion(db);
  const store = async (isLast: boolean) => {
    const size = isLast ? waiting.length : waiting.length - (waiting.length % subjectsPerPart);
    const parts: string[][] = [];
    for (let start = 0; start < size; start += subjectsPerPart)
      parts.push(waiting.slice(start, Math.min(size, start + subjectsPerPart)));
    waiting = waiting.slice(size);
    if (parts.length > 0) await insertParts(db, batch, partCount, parts);
    partCount += parts.length;
  };
  for await (const page of pages) {
    signal?.throwIfAborted();
    peopleCount += page.length;
    checkSize(peopleCount, largest);
    for (const subject of page) waiting.push(subject);
    if (waiting.length >= subjectsPerPart * partsPerStatement) await store(false);
  }
  await store(true);
  await forgetGone(db, batch, lastDeletion, partCount);
  return peopleCount;
}

/** Removes subjects deleted meanwhile, because the deletion may have missed a part. */
async function forgetGone(
  db: Database,
  batch: BatchName,
  lastDeletion: number,
  partCount: number,
): Promise<void> {
  const { environment } = batch;
  const isGone = await findGoneSince(db, environment, lastDeletion);
  for (let part = 0; isGone && part < partCount; part += partsPerStatement) {
    const parts = await listParts(db, batch, part, partsPerStatement);
    const people = parts.flatMap(({ people: text }) => JSON.parse(text) as PartPeople);
    for (const subject of people)
      if (subject !== null && isGone(subject))
        await erasePersonalData(db, personOfSubject(environment, subject), 'batch_results');
  }
}

async function* listSubjects(
  { db, nowMs }: GatherOptions,
  environment: string,
  source: SubjectSource,
): AsyncGenerator<string[]> {
  if ('audienceId' in source) {
    yield* listAudience(db, environment, source.audienceId);
    return;
  }
  yield* listActive(db, environment, Math.floor(nowMs / dayMs) - source.activeWithinDays);
}

/**
 * Lists active devices first, and with them those of their users that were active on devices only.
 * The other users follow by their own activity, also when they become active meanwhile.
 */
async function* listActive(db: Database, environment: string, sinceDay: number): AsyncGenerator<string[]> {
  const known = new Set<string>();
  for (const kind of ['d', 'u'] as const) {
    for (const bucket of await listBuckets(db)) {
      for (let after: string | null = ''; after !== null; ) {
        const page = await listActivePeople(db, { bucket, environment, kind }, after, sinceDay);
        const owners = page.owners.filter((user) => !known.has(user));
        const idle = await listIdle(db, environment, owners, sinceDay);
        yield [...page.subjects.filter((subject) => !known.has(subject)), ...idle];
        for (const user of idle) known.add(user);
        after = page.reached;
      }
    }
  }
}

async function* listAudience(
  db: Database,
  environment: string,
  audienceId: string,
): AsyncGenerator<string[]> {
  const audience = await findAudience(db, environment, audienceId);
  if (!audience) throw unknownAudience(audienceId);
  for (let offset = 0; offset < audience.memberCount; offset += membersPerPage) {
    const page = { environment, audienceId, heldOut: false, offset, limit: membersPerPage };
    yield (await listMembers(db, page)).map(([subject]) => subject);
  }
}

function unknownAudience(audienceId: string): DomainError {
  return new DomainError('AUDIENCE_UNKNOWN', `There is no audience ${JSON.stringify(audienceId)}.`, {
    metadata: { audience_id: audienceId },
  });
}

export function checkSize(peopleCount: number, largest: number): void {
  if (peopleCount <= largest) return;
  const message = `The batch is for more than ${largest} people; request fewer, or raise batches.largest in the deployment file.`;
  throw new DomainError('BODY_INVALID', message, { metadata: { largest: String(largest) } });
}
