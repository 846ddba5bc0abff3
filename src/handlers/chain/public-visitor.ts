/** Identifies unauthenticated visitors: calls without a token or with a public write key. */

import { anonymousDevice } from '../../ranking/subject.ts';
import { networkOf } from '../../security/limits/peers.ts';
import type { Call } from './call.ts';

/** Returns the network of a public call; undefined for a client with a token. */
export function networkOfPublic({ caller, peer }: Pick<Call, 'caller' | 'peer'>): string | undefined {
  return caller?.kind === 'confidential' || peer === '' ? undefined : networkOf(peer);
}

/** Returns `u` or `d` and the ID, preferring the user; undefined for the anonymous device. */
export function visitorOf({ deviceId, userId }: { deviceId?: string; userId?: string }): string | undefined {
  if (userId) return `u${userId}`;
  return deviceId && deviceId !== anonymousDevice ? `d${deviceId}` : undefined;
}
