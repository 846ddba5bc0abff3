/** Replaces items of ordered groups among a list's candidates with the subject's next item. */

import type { ItemGroups } from '../catalog/groups.ts';
import { grown } from '../catalog/growth.ts';
import type { CandidateStream } from '../rules/candidate-stream.ts';
import type { NextInGroup } from './person/next-in-group.ts';

/** Keeps places: the first candidate of a group yields the group's next item. */
export function groupStream(stream: CandidateStream, groups: ItemGroups, next: NextInGroup): CandidateStream {
  let items = new Int32Array(0);
  let read = 0;
  const readOn = () => {
    const { items: source, count } = stream;
    items = grown(items, count, 0);
    for (; read < count; read++) items[read] = next.of(source[read]) ?? source[read];
  };
  const nearest = (itemIndex: number): number => {
    if (!groups.isOrdered(itemIndex)) return stream.positionOf!(itemIndex);
    const members = groups.membersOf(groups.of(itemIndex));
    return members.reduce((least, one) => Math.min(least, stream.positionOf!(one)), Number.POSITIVE_INFINITY);
  };
  readOn();
  return {
    get items() {
      return items;
    },
    get count() {
      return read;
    },
    more() {
      const goesOn = stream.more?.() ?? false;
      readOn();
      return goesOn;
    },
    positionOf: stream.positionOf && nearest,
  };
}
