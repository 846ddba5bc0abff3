/** What an audience is asked for, as the audiences room and its thread understand it. */

import type { Evidence } from './interest.ts';
import type { Person } from './people.ts';

export { itemKey } from '../../ranking/models/item-keys.ts';

/** A promoted item. */
export type PromotedKey = {
  itemType: string;
  itemId: string;
  /** Event types after which the item no longer interests whoever caused them; absent when it may be had again. */
  consumedBy?: readonly string[];
};

/** Only people who met at least `min` and at most `max` different items of a set. */
export type Restriction = { itemKeys: readonly string[]; min: number; max: number };

export type Suppression = {
  /** Leaves out who bought a promoted item. */
  bought: boolean;
  /** Leaves out who was mailed since then; 0 for nobody. Unix seconds. */
  mailedSinceSeconds: number;
  /** Only mailings that carry one of these campaign ids, audience ids or names; empty for all. */
  mailings: readonly string[];
};

export type Targeting = {
  environment: string;
  promotion: readonly PromotedKey[];
  integrationType: string;
  suppression: Suppression;
  restrictions: readonly Restriction[];
  /** Whose constraints those are, where the request names one; kept, so that an audience can be asked for again. */
  configuration?: { configurationId: string; variables: Readonly<Record<string, unknown>> };
  /** Days since 1970. */
  today: number;
  halfLifeDays: number;
};

/** Who would be in an audience of that name, whatever its size. */
export type NamedTargeting = Targeting & {
  audienceName: string;
  /** 0 to 1: of the best people, who is left out to compare with. */
  holdOutShare: number;
  /** Decides who is held out together with the audience's name. */
  salt: string;
};

export type AudienceRequest = NamedTargeting & {
  audienceId: string;
  audienceSize: number;
  /** Users to return. */
  limit: number;
  lifetimeDays: number;
};

export type AudienceMember = Person & { score: number };

/** A stored audience, or a page of it. */
export type AudiencePage = {
  audienceId: string;
  audienceName: string;
  integrationType: string;
  /** People that the audience holds. */
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

export type PersonExplanation = {
  /** `present`, or the first reason why the person is in no such audience. */
  absence: Absence;
  score: number;
  /** From 1 among all whom nothing excludes and who are not held out; 0 for the others. */
  rank: number;
  parts: {
    itemType: string;
    itemId: string;
    score: number;
    evidence: Record<Evidence, number>;
    eventCount: number;
  }[];
};
