/** Members of the audiences that search configurations name, read again every minute. */
import type { Logger } from 'pino';
import type { SearchConfiguration } from '../../../ranking/rules/active-configuration.ts';
import type { Forgetting } from '../../../ranking/runtime/forgetting.ts';
import { createPeriodic } from '../../../ranking/runtime/periodic.ts';
import { findAudience, listMembers } from '../../../repository/audiences/audiences.ts';
import type { Database } from '../../../repository/database.ts';

/** Maximum delay until a configuration steers by a new audience. */
const intervalMs = 1_000;
const freshMs = 60_000;
const membersPerPage = 10_000;

/** Further members of an audience are ignored. */
const mostPeople = 200_000;

type Subject = { environment: string; deviceId?: string; userId?: string };

export type AudienceMembers = {
  has(asking: Subject, audienceId: string): boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
};

export type AudienceMembersOptions = {
  db: Database;
  environments: readonly string[];
  configurations(): readonly SearchConfiguration[];
  forgetting?: Forgetting;
  logger: Logger;
};

/** Subjects are `u:USER` or `d:DEVICE`. */
type Members = { environment: string; subjects: Set<string>; readAtMs: number };

export function createAudienceMembers(options: AudienceMembersOptions): AudienceMembers {
  const { db, configurations, forgetting, logger } = options;
  const membersByKey = new Map<string, Members>();

  const named = (): Map<string, { environment: string; audienceId: string }> => {
    const all = configurations().flatMap(({ search: { environments, when } }) => {
      const where = environments.length > 0 ? environments : options.environments;
      return where.flatMap((environment) =>
        when.audienceIds.map((audienceId) => ({ environment, audienceId })),
      );
    });
    return new Map(all.map((one) => [keyOf(one.environment, one.audienceId), one]));
  };
  const follow = async () => {
    const wanted = named();
    for (const key of membersByKey.keys()) if (!wanted.has(key)) membersByKey.delete(key);
    const nowMs = performance.now();
    for (const [key, { environment, audienceId }] of wanted) {
      const known = membersByKey.get(key);
      if (known && nowMs - known.readAtMs < freshMs) continue;
      const subjects = await readSubjects(db, environment, audienceId);
      membersByKey.set(key, { environment, subjects, readAtMs: nowMs });
    }
  };
  const follower = createPeriodic({
    work: follow,
    pauseMs: intervalMs,
    complaint: 'Cannot read the members of audiences; searches use the known ones.',
    facts: { follower: 'audiences of searches' },
    logger,
  });
  forgetting?.add((isGone) => {
    for (const { environment, subjects } of membersByKey.values())
      for (const subject of subjects) if (isGone(environment, subject)) subjects.delete(subject);
  });

  return {
    has({ environment, deviceId, userId }, audienceId) {
      const subjects = membersByKey.get(keyOf(environment, audienceId))?.subjects;
      if (!subjects) return false;
      return (
        (userId !== undefined && subjects.has(`u:${userId}`)) ||
        (deviceId !== undefined && subjects.has(`d:${deviceId}`))
      );
    },
    async start() {
      follower.start();
    },
    stop: follower.stop,
  };
}

const keyOf = (environment: string, audienceId: string): string => JSON.stringify([environment, audienceId]);

/** Returns an empty set for an unknown or expired audience. */
async function readSubjects(db: Database, environment: string, audienceId: string): Promise<Set<string>> {
  const subjects = new Set<string>();
  const audience = await findAudience(db, environment, audienceId);
  const count = Math.min(audience?.memberCount ?? 0, mostPeople);
  for (let offset = 0; offset < count; offset += membersPerPage) {
    const page = { environment, audienceId, heldOut: false, offset, limit: membersPerPage };
    for (const [subject] of await listMembers(db, page)) subjects.add(subject);
  }
  return subjects;
}
