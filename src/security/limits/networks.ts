/** The network that a peer's address lies in: what one owner of many addresses has at least. */

import { peerKey } from './peers.ts';

/** Returns an IPv4 network of 24 bits (`192.0.2`) or an IPv6 network of 48 bits (`2001:db8:0`). */
export function networkOf(address: string): string {
  const key = peerKey(address);
  return key.slice(0, key.lastIndexOf(key.includes(':') ? ':' : '.'));
}
