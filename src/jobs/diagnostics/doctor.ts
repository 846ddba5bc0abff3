/**
 * Diagnoses an integration: checks the recent events of an environment and says how to fix what is
 * wrong.
 *
 * Reads the newest half million events of a window, one query at a time, for at most half a minute;
 * checks that did not finish are listed. Diagnoses run one after the other, so that they leave the
 * database to requests.
 */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { DomainError } from '../../errors.ts';
import type { Database } from '../../repository/database.ts';
import { listLatestItemWrite } from '../../repository/doctor/content-queries.ts';
import { countEventTypes, type TypeCounts } from '../../repository/doctor/sender-queries.ts';
import type { EventWindow } from '../../repository/doctor/timed-query.ts';
import {
  findFirstArrival,
  limitRanges,
  listEventRanges,
  rangesArrivedSince,
} from '../../repository/events/event-ranges.ts';
import type { FeedRange } from '../../repository/feeds.ts';
import {
  checkAnswers,
  checkCatalogue,
  checkDeployment,
  checkMissingItems,
  checkNewNames,
  checkRegistries,
  checkUnseenClicks,
} from './content-checks.ts';
import {
  type AgentCounts,
  type Check,
  type Examination,
  type ExcessNames,
  type NetworkShares,
  sumOf,
} from './examination.ts';
import { checkMissingTypes } from './expected-events.ts';
import { type Finding, sortFindings } from './finding.ts';
import {
  checkAgents,
  checkAnonymous,
  checkClocks,
  checkNetworks,
  checkRepetitions,
  checkRobots,
  checkSharedDevices,
  checkSharedEventIds,
  checkSharedUsers,
} from './sender-checks.ts';

const mostWaiting = 8;

const mostEvents = 500_000;
/** Longest time of a diagnosis; a query gets at most a third of it. */
const usualPatienceMs = 24_000;
/** An impression may precede its click by so much. */
const precedingMs = 24 * 3_600_000;

export type DiagnosisRequest = {
  settings: EnvironmentSettings;
  itemCount: number;
  windowHours: number;
  staleAfterHours: number;
  /** Most events read, the newest first [500,000]. */
  eventLimit?: number;
};

export type Diagnosis = {
  startAt: Date;
  endAt: Date;
  /** Whether the window has more events than were read. */
  truncated: boolean;
  counts: readonly TypeCounts[];
  catalogueAt?: Date;
  findings: Finding[];
  unfinished: string[];
};

export type Doctor = { diagnose(request: DiagnosisRequest): Promise<Diagnosis> };

export type DoctorOptions = {
  db: Database;
  clock: () => number;
  /** Returns the networks of an environment's recent visitors [unknown]. */
  networksOf?: (environment: string) => NetworkShares | undefined;
  /** Counts an environment's recent calls by class of user agent [unknown]. */
  agentsOf?: (environment: string) => AgentCounts;
  patienceMs?: number;
  /** By environment [none]. */
  excessNames?: ReadonlyMap<string, ExcessNames>;
  findProblems?: Examination['findProblems'];
};

/** Checks that run even when no event arrived. */
const independentChecks: Record<string, Check> = {
  catalogue: checkCatalogue,
  deployment_mismatch: checkDeployment,
  too_many_new_names: checkNewNames,
  shared_network: checkNetworks,
  agents: checkAgents,
};

const eventChecks: Record<string, Check> = {
  event_type_missing: checkMissingTypes,
  clicks_without_impressions: checkUnseenClicks,
  events_without_recommendations: checkAnswers,
  items_missing: checkMissingItems,
  unregistered_values: checkRegistries,
  devices_with_several_users: checkSharedDevices,
  users_with_many_devices: checkSharedUsers,
  event_ids_of_several_events: checkSharedEventIds,
  duplicates: checkRepetitions,
  clock_skew: checkClocks,
  robots: checkRobots,
  anonymous: checkAnonymous,
};

export function createDoctor(options: DoctorOptions): Doctor {
  const { db, clock, networksOf, agentsOf, patienceMs = usualPatienceMs, excessNames = new Map() } = options;
  const { findProblems = async () => ({ problems: [], isComplete: true }) } = options;
  let last: Promise<unknown> = Promise.resolve();
  let waitingCount = 0;
  return {
    async diagnose(request) {
      if (waitingCount >= mostWaiting) throw tooMany();
      waitingCount += 1;
      const setting = { db, networksOf, agentsOf, patienceMs, excessNames, findProblems };
      const diagnosis = last.then(() => examine({ ...setting, nowMs: clock() }, request));
      last = diagnosis.catch(() => undefined);
      return diagnosis.finally(() => {
        waitingCount -= 1;
      });
    },
  };
}

function tooMany(): DomainError {
  return new DomainError('RATE_LIMITED', 'Too many diagnoses are running; try again in 10 s.', {
    metadata: { retry_after_seconds: '10' },
  });
}

type Setting = Pick<DoctorOptions, 'db' | 'networksOf' | 'agentsOf'> &
  Required<Pick<DoctorOptions, 'patienceMs' | 'excessNames' | 'findProblems'>> & { nowMs: number };

async function examine(setting: Setting, request: DiagnosisRequest): Promise<Diagnosis> {
  const { db, nowMs, patienceMs, networksOf, agentsOf, excessNames, findProblems } = setting;
  const { settings, windowHours, eventLimit = mostEvents } = request;
  const timeoutMs = createBudget(patienceMs);
  const windowStart = new Date(nowMs - windowHours * 3_600_000);
  const environment = settings.name;
  const all = await listEventRanges(db);
  const recent = await rangesArrivedSince(db, environment, all, windowStart);
  const ranges = await limitRanges(db, environment, recent, eventLimit);
  const isTruncated = positionsOf(ranges) !== positionsOf(recent);
  const firstAt = isTruncated ? await findFirstArrival(db, environment, ranges) : undefined;
  const looked = { environment, since: firstAt ?? windowStart, ranges };
  const judged = { ...looked, ranges: await limitRanges(db, environment, ranges, eventLimit >> 1) };
  const at = (range: Omit<EventWindow, 'timeoutMs'>) => () => ({ ...range, timeoutMs: timeoutMs() });
  const counts = await countEventTypes(db, at(looked)());
  const [latest] = (await listLatestItemWrite(db, settings.name, timeoutMs())) ?? [];
  const earlierStart = new Date(windowStart.getTime() - precedingMs);
  const earlierRanges = await rangesArrivedSince(db, environment, all, earlierStart);
  const earlier = { environment, since: earlierStart, ranges: earlierRanges };
  const examination: Examination = {
    db,
    nowMs,
    ...request,
    excessNames: namesSince(excessNames.get(environment), windowStart),
    findProblems,
    counts: counts ?? [],
    networks: networksOf?.(environment),
    agents: agentsOf?.(environment),
    catalogueAt: latest?.updatedAt,
    window: at(looked),
    judged: at(isTruncated ? judged : looked),
    judgedCounts: async () => (isTruncated ? countEventTypes(db, at(judged)()) : counts),
    preceding: at(isTruncated ? looked : earlier),
  };
  const { findings, unfinished } = await runChecks(examination, counts !== undefined);
  return {
    startAt: looked.since,
    endAt: new Date(nowMs),
    truncated: isTruncated,
    counts: examination.counts,
    catalogueAt: latest?.updatedAt,
    findings: sortFindings(findings),
    unfinished,
  };
}

function namesSince(excess: ExcessNames | undefined, start: Date): ExcessNames | undefined {
  return excess && excess.lastAtMs >= start.getTime() ? excess : undefined;
}

const positionsOf = (ranges: readonly FeedRange[]) => JSON.stringify(ranges);

/** Returns the time limit of the next query in milliseconds; at least one, so that the database ends it at once. */
function createBudget(patienceMs: number): () => number {
  const endMs = performance.now() + patienceMs;
  return () => Math.max(1, Math.min(patienceMs / 3, endMs - performance.now()));
}

async function runChecks(examination: Examination, isCounted: boolean) {
  const findings: Finding[] = [];
  const unfinished: string[] = [];
  const hasEvents = sumOf(examination.counts, 'count') > 0;
  if (isCounted && !hasEvents) findings.push(noEvents(examination.settings.name));
  if (!isCounted) unfinished.push(...Object.keys(eventChecks));
  const checks = { ...independentChecks, ...(hasEvents ? eventChecks : {}) };
  for (const [name, check] of Object.entries(checks)) {
    const found = await check(examination);
    if (found) findings.push(...found);
    else unfinished.push(name);
  }
  return { findings, unfinished };
}

function noEvents(environment: string): Finding {
  return {
    check: 'no_events',
    severity: 'fault',
    count: 0,
    description: 'No event arrived in the window, so nothing is learnt about visitors.',
    hint: `Send events to POST /${environment}/events, first detail_pageview, or choose a longer window.`,
    examples: [],
  };
}
