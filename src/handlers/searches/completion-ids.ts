/**
 * Identifiers of completions: whole numbers below 2^53, exact in JavaScript and unique over all
 * nodes and restarts. The upper 20 bits number the starts of nodes, the lower 33 bits count.
 */

const startCount = 2 ** 20;
const idsPerStart = 2 ** 33;

export type CompletionIds = {
  next(): number;
  start(): Promise<void>;
};

/** @param claimStart Returns a number that no other start gets. */
export function createCompletionIds(claimStart: () => Promise<number>): CompletionIds {
  let first = 0;
  let count = 0;
  return {
    next: () => first + (count++ % idsPerStart),
    async start() {
      first = ((await claimStart()) % startCount) * idsPerStart;
    },
  };
}
