/**
 * Collapses groups, as if the configuration ended with a diversity rule by group. Quotas, limits
 * and groups are met together, and the group's best item for the subject is shown; in an ordered
 * group, the next item. A configuration that limits group_id itself overrides this.
 */

import type { ListEnvironment } from '../environment/serving-environment.ts';
import type { BoundRule } from '../rules/bind-configuration.ts';
import type { CandidateStream } from '../rules/candidate-stream.ts';
import type { ComposedList } from '../rules/compose.ts';
import type { BoundList } from './bind-list.ts';
import { groupStream } from './group-stream.ts';
import type { Exclusions } from './person/exclusions.ts';
import type { NextInGroup } from './person/next-in-group.ts';
import type { AbsenceReason } from './recommendation-request.ts';

const groupKey = 'group_id';

export type OneOfGroup = {
  /** Added after the configuration's rules. */
  rule: BoundRule;
  stream(stream: CandidateStream): CandidateStream;
  /** Returns the item shown for a candidate: in an ordered group, the next one. */
  standInOf(itemIndex: number): number;
  /** Returns the same item for every member of a group. */
  firstOf(itemIndex: number): number;
  /** Whether another item of its ordered group is shown instead. */
  isPassedOver(itemIndex: number): boolean;
  /** Returns the other group member that excludes an item from a list, if any. */
  exclusionOf(
    itemIndex: number,
    list: Pick<ComposedList, 'items'>,
    exclusions: Pick<Exclusions, 'isGroupUsed'>,
  ): AbsenceReason | undefined;
  /** Returns the item with the deciding score: itself, or the best of its ordered group. */
  placerOf(itemIndex: number, scoreOf: (itemIndex: number) => number): number;
};

/** Returns undefined if no group needs collapsing, at no cost. */
export function oneOfGroup(
  { declared }: BoundList,
  { catalog, matchSets }: ListEnvironment,
  next: NextInGroup,
): OneOfGroup | undefined {
  const { groups } = catalog;
  if (groups.count === 0) return undefined;
  if (declared.rules.some((rule) => rule.kind === 'diversify' && rule.key === groupKey)) return undefined;
  const codes = () => matchSets.valuesOf(groupKey);
  const isPassedOver = (itemIndex: number) => next.of(itemIndex) !== itemIndex;
  return {
    rule: { kind: 'diversify', column: catalog.column(groupKey), max: 1, codes },
    stream: (stream) => groupStream(stream, groups, next),
    standInOf: (itemIndex) => next.of(itemIndex) ?? itemIndex,
    firstOf(itemIndex) {
      const group = groups.of(itemIndex);
      return group < 0 ? itemIndex : groups.membersOf(group)[0];
    },
    isPassedOver,
    exclusionOf(itemIndex, { items }, exclusions) {
      if (isPassedOver(itemIndex)) return 'not_next';
      if (!exclusions.isGroupUsed(itemIndex)) return undefined;
      const group = groups.of(itemIndex);
      const isListed = items.some(
        (item) => item.itemIndex !== undefined && groups.of(item.itemIndex) === group,
      );
      return isListed ? 'in_group' : 'in_other_list';
    },
    placerOf(itemIndex, scoreOf) {
      if (!groups.isOrdered(itemIndex)) return itemIndex;
      const members = groups.membersOf(groups.of(itemIndex));
      return members.reduce((best, one) => (scoreOf(one) > scoreOf(best) ? one : best), itemIndex);
    },
  };
}
