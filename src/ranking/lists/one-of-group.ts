/**
 * A list shows one of a group: as if its configuration ended with a diversify rule, so that quotas, limits and groups are met
 * together and the best of the group for the person stands for it. Of an ordered group the next one stands for it, where the
 * best would. A configuration that diversifies by group_id itself says how many, and then all of a group compete.
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
  /** Comes after the configuration's rules. */
  rule: BoundRule;
  stream(stream: CandidateStream): CandidateStream;
  /** The item that stands for a candidate of such a stream: of an ordered group the next one. */
  standInOf(itemIndex: number): number;
  /** The same item for all of a group. */
  firstOf(itemIndex: number): number;
  /** Whether another one of its ordered group stands for it. */
  isPassedOver(itemIndex: number): boolean;
  /** Which other one of its group keeps an item out of a list, where one does. */
  exclusionOf(
    itemIndex: number,
    list: Pick<ComposedList, 'items'>,
    exclusions: Pick<Exclusions, 'isGroupUsed'>,
  ): AbsenceReason | undefined;
  /** Whose score placed an item: its own, or that of the best of its ordered group. */
  placerOf(itemIndex: number, scoreOf: (itemIndex: number) => number): number;
};

/** Undefined where there is nothing to do, which costs nothing. */
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
