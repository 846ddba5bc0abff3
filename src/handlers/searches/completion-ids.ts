/**
 * Identifiers of completions: whole numbers below 2^53, so that JavaScript keeps them exactly, and each given once, over all
 * nodes and restarts, without asking the database for every one.
 *
 *   block (33 bits) · count (20 bits)
 *
 * The database counts blocks, so nobody else has one; numbers begin anew after 2^33 of them. While it cannot be asked and the
 * last block is used up, identifiers are drawn by lot.
 */

import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';

const countBits = 20;
const blockBits = 53 - countBits;
const idsPerBlock = 2 ** countBits;

/** The next block is fetched when this many of the last one are left: minutes before they are needed. */
const leastLeft = idsPerBlock / 2;

export type CompletionIds = {
  next(): number;
  /** Fetches the first block. */
  start(): Promise<void>;
};

export type CompletionIdsOptions = {
  /** A number that is never given twice. */
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
      logger.warn({ err: error }, 'No identifiers for completions could be claimed; drawing them by lot.');
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
