/** Who may speak for a query being popular: visitors with evidence besides the search, so that one peer is no crowd. */

import type { SearchRequest } from '../../../ranking/searches/search-request.ts';
import type { Witness } from '../../../repository/search/visitor-mark.ts';
import { askerOf } from './typed-queries.ts';

/** A device is known when it did something so long ago. */
const leastAgeMs = 3_600_000;

/** @param oldestMs Time of the first thing known of the visitor; undefined when nothing is. */
export function witnessOf(
  request: SearchRequest,
  { oldestMs, nowMs }: { oldestMs: number | undefined; nowMs: number },
): Witness | undefined {
  const visitor = askerOf(request);
  if (visitor === undefined) return undefined;
  /** The address is that of the client, which knows its visitors. */
  if (request.isVouchedFor) return { visitor };
  const isKnown = oldestMs !== undefined && oldestMs <= nowMs - leastAgeMs;
  return isKnown ? { visitor, network: request.network ?? '' } : undefined;
}
