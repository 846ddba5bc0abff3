/** Records the explored lists of an answer, for the evaluation of other configurations. */

import type { Recommendation } from '../../ranking/lists/recommendation-request.ts';

/** The explored lists of an answer, as a recorded request stores them. */
export type ExploredRecord = {
  requestId: string;
  /** Time of the answer, in milliseconds since the epoch. */
  atMs: number;
  /** Version of the A/B test. */
  version: string;
  lists: ExploredListRecord[];
};

export type ExploredListRecord = {
  /** Position of the list in its request, from 0. */
  place: number;
  configurationId: string;
  configurationVersion: number;
  /** Draws that estimated the propensities; 0 if they are exact. */
  draws: number;
  /** In the order of ranks. Items without a propensity would have been shown without exploration. */
  items: [itemId: string, itemType: string][];
  /** Ranks, if injected items left gaps. */
  ranks?: number[];
  /** Propensities of drawn ranks, with four digits. */
  drawn: [rank: number, propensity: number][];
};

/** Returns undefined if no list of the answer is explored. */
export function exploredRecord(
  { requestId, version, lists }: Recommendation,
  atMs: number,
): ExploredRecord | undefined {
  if (!lists.some(({ explored }) => explored)) return undefined;
  return {
    requestId,
    atMs,
    version,
    lists: lists.flatMap((list, place): ExploredListRecord[] => {
      const { explored, configurationId, configurationVersion, items } = list;
      if (!explored) return [];
      const hasGaps = items.some(({ rank }, i) => rank !== i + 1);
      return [
        {
          place,
          configurationId,
          configurationVersion,
          draws: explored.drawCount,
          items: items.map(({ itemId, itemType }) => [itemId, itemType]),
          ranks: hasGaps ? items.map(({ rank }) => rank) : undefined,
          drawn: explored.slots.map(({ rank, propensity }) => [rank, Number(propensity.toPrecision(4))]),
        },
      ];
    }),
  };
}
