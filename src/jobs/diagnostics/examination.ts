/** The input of checks: the events, their counts, and the remaining time. */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import type { Database } from '../../repository/database.ts';
import type { TypeCounts } from '../../repository/doctor/sender-queries.ts';
import type { EventWindow } from '../../repository/doctor/timed-query.ts';
import type { DeploymentFit } from './deployment-fit.ts';
import type { Finding } from './finding.ts';

/** Number of counts with names beyond the hourly limit of new names, and some of the names. */
export type ExcessNames = { count: number; lastAtMs: number; examples: readonly string[] };

export type NetworkShares = {
  visitorCount: number;
  networkCount: number;
  largest: string;
  largestCount: number;
};

/** Calls of visitors, and of programs that name themselves in `User-Agent`. */
export type AgentCounts = Readonly<Record<'visitor' | 'crawler' | 'automation' | 'assistant', number>>;

export type Examination = {
  db: Database;
  settings: EnvironmentSettings;
  nowMs: number;
  itemCount: number;
  /** Latest write of an item; undefined when there is none or the query timed out. */
  catalogueAt?: Date;
  staleAfterHours: number;
  /** Counts of this node under the name `other` within the window. */
  excessNames?: ExcessNames;
  /** Networks of this node's recent visitors without a token; undefined when there were none. */
  networks?: NetworkShares;
  /** Recent calls to this node by class of user agent. */
  agents?: AgentCounts;
  /** Compares the deployment file with the stored data of all environments. */
  findProblems(timeoutMs: number): Promise<DeploymentFit>;
  counts: readonly TypeCounts[];
  /** The events to check, with the time limit of the next query. */
  window(): EventWindow;
  /** The events that have enough earlier ones to search for their impressions. */
  judged(): EventWindow;
  /** Counts of the judged events by type; undefined when the query timed out. */
  judgedCounts(): Promise<readonly TypeCounts[] | undefined>;
  /** The events that may precede the judged ones. */
  preceding(): EventWindow;
};

/** Returns undefined when a query timed out. */
export type Check = (examination: Examination) => Promise<Finding[] | undefined>;

/** Event types with a group as their item, which need not be in the catalogue. */
export const groupTypes: readonly string[] = ['group_pageview', 'group_interaction'];

type CountName = Exclude<keyof TypeCounts, 'eventType'>;

/** Sums a count over all event types, or over the wanted ones. */
export function sumOf(
  counts: readonly TypeCounts[],
  name: CountName,
  wants: (eventType: string) => boolean = () => true,
): number {
  return counts.reduce((sum, count) => sum + (wants(count.eventType) ? count[name] : 0), 0);
}
