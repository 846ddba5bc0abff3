/**
 * Identifiers of completions: whole numbers below 2^53, exact in JavaScript and unique over all
 * nodes and restarts, without a query for each.
 *
 *   block (33 bits) · count (20 bits)
 *
 * The database counts blocks; numbers begin anew after 2^33 of them. While the database is
 * unavailable and the last block is used up, identifiers are random.
 */

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';

const countBits = 20;
const blockBits = 53 - countBits;
const idsPerBlock = 2 ** countBits;

/** The next block is claimed when this many identifiers are left, minutes before it is needed. */
const leastLeft = idsPerBlock / 2;

export type CompletionIds = {
  next(): number;
  /** Claims the first block. */
  start(): Promise<void>;
};

export type CompletionIdsOptions = {
  /** Returns a number that is never returned twice. */
  claimBlock: () => Promise<bigint>;
  logger: Pick<Logger, 'warn'>;
};

export function createCompletionIds({ claimBlock, logger }: CompletionIdsOptions): CompletionIds {
  let block: number | undefined;
  let coming: number | undefined;
  let count = 0;
  let fetching: Promise<void> | undefined;

  const fetchBlock = async () => {
    try {
      const claimed = Number(BigInt.asUintN(blockBits, await claimBlock()));
      if (block === undefined) block = claimed;
      else coming = claimed;
    } catch (error) {
      logger.warn({ err: error }, 'Cannot claim identifiers for completions; using random ones.');
    }
    fetching = undefined;
  };

  return {
    next() {
      if (count === idsPerBlock) {
        block = coming;
        coming = undefined;
        count = 0;
      }
      const isShort = block === undefined || (coming === undefined && idsPerBlock - count <= leastLeft);
      if (isShort) fetching ??= fetchBlock();
      return block === undefined ? drawn() : block * idsPerBlock + count++;
    },
    start: () => {
      fetching ??= fetchBlock();
      return fetching;
    },
  };
}

function drawn(): number {
  return Number(BigInt.asUintN(blockBits + countBits, randomBytes(8).readBigUInt64BE()));
}
