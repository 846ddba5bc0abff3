/** Requests and results of audiences. */

import type { FrequencyCap } from '../../repository/changes/interests.ts';
import type { InterestPart } from './explain-interest.ts';
import type { Subject } from './subjects.ts';

export { itemKey } from '../../ranking/models/item-keys.ts';

export type PromotedKey = {
  itemType: string;
  itemId: string;
  /** Event types that consume the item [none]. */
  consumedBy?: readonly string[];
};

/** Requires events on at least `min` and at most `max` different items of a set. */
export type Restriction = { itemKeys: readonly string[]; min: number; max: number };

export type Suppression = {
  /** Excludes buyers of a promoted item. */
  bought: boolean;
  /** Excludes subjects with a mailing since this time in Unix seconds; 0 for no exclusion. */
  mailedSinceSeconds: number;
  /** Only mailings with one of these campaign IDs, audience IDs or names; empty for all. */
  mailings: readonly string[];
};

export type Targeting = {
  environment: string;
  promotion: readonly PromotedKey[];
  integrationType: string;
  suppression: Suppression;
  restrictions: readonly Restriction[];
  /** The configuration of the restrictions, stored to request the audience again. */
  configuration?: { configurationId: string; variables: Readonly<Record<string, unknown>> };
  /** Days since 1970. */
  today: number;
  halfLifeDays: number;
};

/** The targeting of an audience without its size. */
export type NamedTargeting = Targeting & {
  audienceName: string;
  /** Share of the best subjects that is held out for comparison, 0 to 1. */
  holdOutShare: number;
  /** Selects the hold-out, together with the audience's name. */
  salt: string;
};

export type AudienceRequest = NamedTargeting & {
  audienceId: string;
  audienceSize: number;
  /** Members to return. */
  limit: number;
  lifetimeDays: number;
};

/** Asks for the users with more interest than the average, most interested first. */
export type UsersRequest = NamedTargeting & { size: number; cap: FrequencyCap };

export type ChosenUsers = { userIds: string[]; heldOutCount: number };

export type AudienceMember = Subject & { score: number };

/** A stored audience, or a page of it. */
export type AudiencePage = {
  audienceId: string;
  audienceName: string;
  integrationType: string;
  audienceSize: number;
  heldOutCount: number;
  expiresAt: Date;
  members: AudienceMember[];
};

export type Absence =
  | 'present'
  | 'unknown'
  | 'opted_out'
  | 'bought'
  | 'mailed'
  | 'not_in_configuration'
  | 'held_out'
  | 'no_interest';

export type SubjectExplanation = {
  /** `present`, or the first reason why the audience lacks the subject. */
  absence: Absence;
  score: number;
  /** From 1 among all subjects that are neither excluded nor held out; 0 for the others. */
  rank: number;
  parts: InterestPart[];
};
