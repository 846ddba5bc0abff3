/** Determines which steps supplied the items of a list. */

import type { ItemGroups } from '../catalog/groups.ts';
import type { ComposedItem } from '../rules/compose.ts';
import type { CandidateSource } from './candidates.ts';
import type { ListStep, StepCount } from './recommendation-request.ts';

export type StepsOptions = {
  groups: ItemGroups;
  sourceOf(itemIndex: number): CandidateSource;
  /** Without a known subject, lists follow the context item. */
  isKnown: boolean;
};

/** Returns the step that supplied one item of a list. */
export function stepOf(
  { itemIndex, injected }: ComposedItem,
  { groups, sourceOf, isKnown }: StepsOptions,
): ListStep {
  if (injected?.isPin) return 'pinned';
  if (injected !== undefined || itemIndex === undefined) return 'injected';
  const source = sourceOf(broughtFor(itemIndex, groups, sourceOf));
  if (source !== 'scored') return source;
  return isKnown ? 'personal' : 'context_item';
}

/** Returns the candidate behind an item: in an ordered group, any member may have led to it. */
function broughtFor(itemIndex: number, groups: ItemGroups, sourceOf: StepsOptions['sourceOf']): number {
  if (!groups.isOrdered(itemIndex)) return itemIndex;
  const members = groups.membersOf(groups.of(itemIndex));
  return members.find((member) => sourceOf(member) === 'scored') ?? itemIndex;
}

/** Counts items by step, in order: `asked` comes between the personal steps and the rest. */
export function countSteps(steps: readonly ListStep[], asked: readonly ListStep[]): StepCount[] {
  const order: ListStep[] = ['injected', 'pinned', 'vector', 'personal', 'context_item', ...asked, 'rest'];
  return order.flatMap((step) => {
    const itemCount = steps.filter((one) => one === step).length;
    return itemCount > 0 ? [{ step, itemCount }] : [];
  });
}
