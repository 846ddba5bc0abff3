/** Marks of visitors in search statistics: they tell a few visitors apart and are too short to identify one. */

import { createHmac, hash } from 'node:crypto';

export const visitorBytes = 4;

/** @param visitor `u` or `d` followed by the ID of the user or device. */
export function visitorMark(visitor: string): Buffer {
  return Buffer.from(hash('sha256', visitor).slice(0, visitorBytes * 2), 'hex');
}

/** A visitor that searched for a query. */
export type Witness = {
  /** `u` or `d` followed by the ID of the user or device. */
  visitor: string;
  /** Network of the call; undefined when a client with a token names the visitor. */
  network?: string;
};

const networkBytes = 2;

/** A visitor's mark and that of the network. */
export const witnessBytes = visitorBytes + networkBytes;

/** The network of a visitor that a client with a token names. */
const noNetwork = Buffer.alloc(networkBytes);

/** The query that is counted, and the secret of the database. */
type WitnessOf = { key: string; environment: string; query: string };

/**
 * Returns the mark of a witness of a query. Some 256 networks of 24 bits share a mark, and the
 * marks of two queries are independent, so even the key reveals no network and links no queries.
 */
export function witnessMark({ visitor, network }: Witness, { key, environment, query }: WitnessOf): Buffer {
  if (network === undefined) return Buffer.concat([visitorMark(visitor), noNetwork]);
  const digest = createHmac('sha256', key)
    .update(JSON.stringify([environment, query, network]))
    .digest();
  const mark = digest.subarray(0, networkBytes);
  return Buffer.concat([visitorMark(visitor), mark.equals(noNetwork) ? Buffer.from([0, 1]) : mark]);
}
