/** What every check works with: the events looked at, their counts, and the time that is left. */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import type { Database } from '../../repository/database.ts';
import type { TypeCounts } from '../../repository/doctor/event-types.ts';
import type { EventWindow } from '../../repository/doctor/question.ts';
import type { Finding } from './finding.ts';

/** Counts whose names were new beyond the limit of the hour, and some of the names. */
export type ExcessNames = { count: number; lastAtMs: number; examples: readonly string[] };
/** What visitors came from in an hour. */
export type NetworkShares = {
  visitorCount: number;
  networkCount: number;
  /** The network with most visitors, and how many those are. */
  largest: string;
  largestCount: number;
};

export type Examination = {
  db: Database;
  settings: EnvironmentSettings;
  /** Milliseconds since the epoch. */
  nowMs: number;
  /** Items in the catalogue. */
  itemCount: number;
  /** Latest write of an item; undefined when there is none or it took too long to find. */
  catalogueAt?: Date;
  staleAfterHours: number;
  /** Counts of this node that went to the name `other`, if any did in the window. */
  excessNames?: ExcessNames;
  /** Where visitors without a token came from lately, as this node saw them; undefined when none came. */
  networks?: NetworkShares;
  /** By event type. */
  counts: readonly TypeCounts[];
  /** The events looked at, with the time that a question may take now. */
  window(): EventWindow;
  /** Those of them that are preceded by enough others to look for what led to them. */
  judged(): EventWindow;
  /** By event type, of those alone; undefined when counting them took too long. */
  judgedCounts(): Promise<readonly TypeCounts[] | undefined>;
  /** Those that may have led to them. */
  preceding(): EventWindow;
};

/** Undefined when a question took too long. */
export type Check = (examination: Examination) => Promise<Finding[] | undefined>;

/** Types of events whose item is a group; it need not be in the catalogue. */
export const groupTypes: readonly string[] = ['group_pageview', 'group_interaction'];

type CountName = Exclude<keyof TypeCounts, 'eventType'>;

/** The sum of a count over all types, or over those that are wanted. */
export function sumOf(
  counts: readonly TypeCounts[],
  name: CountName,
  wants: (eventType: string) => boolean = () => true,
): number {
  return counts.reduce((sum, count) => sum + (wants(count.eventType) ? count[name] : 0), 0);
}
