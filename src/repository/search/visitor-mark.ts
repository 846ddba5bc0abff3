/** Visitors as searches remember them: enough to tell a few apart, too little to find out who they were. */

import { createHmac, hash } from 'node:crypto';

export const visitorBytes = 4;

/** @param visitor `u` or `d` and the id of the user or device. */
export function visitorMark(visitor: string): Buffer {
  return Buffer.from(hash('sha256', visitor).slice(0, visitorBytes * 2), 'hex');
}

/** Somebody who asked a query. */
export type Witness = {
  /** `u` or `d` and the id of the user or device. */
  visitor: string;
  /** Network that the call came from; undefined when a client with a token vouches for the visitor. */
  network?: string;
};

const networkBytes = 2;

/** A visitor's mark, and that of the network. */
export const witnessBytes = visitorBytes + networkBytes;

/** Stands for the network of a visitor whom a client vouches for. */
const noNetwork = Buffer.alloc(networkBytes);

/** Where a witness counts, and the secret of the database. */
export type WitnessOf = { key: string; environment: string; query: string };

/**
 * Returns the mark of a witness of a query. Some 256 networks of 24 bits share a mark, and those of two queries have nothing in
 * common, so that nobody who has the key finds out a network by it or follows one from query to query.
 */
export function witnessMark({ visitor, network }: Witness, { key, environment, query }: WitnessOf): Buffer {
  if (network === undefined) return Buffer.concat([visitorMark(visitor), noNetwork]);
  const digest = createHmac('sha256', key)
    .update(JSON.stringify([environment, query, network]))
    .digest();
  const mark = digest.subarray(0, networkBytes);
  return Buffer.concat([visitorMark(visitor), mark.equals(noNetwork) ? Buffer.from([0, 1]) : mark]);
}
