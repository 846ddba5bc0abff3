/** Visitors as search clicks remember them. */

import { hash } from 'node:crypto';

export const visitorBytes = 4;

/** @param visitor `u` or `d` and the id of the user or device. */
export function visitorMark(visitor: string): Buffer {
  return Buffer.from(hash('sha256', visitor).slice(0, visitorBytes * 2), 'hex');
}
