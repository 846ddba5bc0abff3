/** Which steps answered: what brought the items of a list. */

import type { ItemGroups } from '../catalog/groups.ts';
import type { ComposedItem } from '../rules/compose.ts';
import type { CandidateSource } from './candidates.ts';
import type { ListStep, StepCount } from './recommendation-request.ts';

export type StepsOptions = {
  groups: ItemGroups;
  sourceOf(itemIndex: number): CandidateSource;
  /** Somebody of whom nothing is known gets what goes with the item on display. */
  isKnown: boolean;
};

/** The step that brought one item of a list. */
export function stepOf(
  { itemIndex, injected }: ComposedItem,
  { groups, sourceOf, isKnown }: StepsOptions,
): ListStep {
  if (injected !== undefined || itemIndex === undefined) return 'injected';
  const source = sourceOf(broughtFor(itemIndex, groups, sourceOf));
  if (source !== 'scored') return source;
  return isKnown ? 'personal' : 'context_item';
}

/** Of an ordered group any may have come, and the next one stands for it. */
function broughtFor(itemIndex: number, groups: ItemGroups, sourceOf: StepsOptions['sourceOf']): number {
  if (!groups.isOrdered(itemIndex)) return itemIndex;
  const members = groups.membersOf(groups.of(itemIndex));
  return members.find((member) => sourceOf(member) === 'scored') ?? itemIndex;
}

/** In the order in which steps are asked, which is that of `asked` between the person and the rest. */
export function countSteps(steps: readonly ListStep[], asked: readonly ListStep[]): StepCount[] {
  const order: ListStep[] = ['injected', 'personal', 'context_item', ...asked, 'rest'];
  return order.flatMap((step) => {
    const itemCount = steps.filter((one) => one === step).length;
    return itemCount > 0 ? [{ step, itemCount }] : [];
  });
}
