/** Addresses and networks in text form. */

import { isIP } from 'node:net';
import type { Network } from './deployment.ts';

/** Reads `10.0.0.0/8`, `192.0.2.1` or `2001:db8::/32`; returns undefined for other text. */
export function parseNetwork(text: string): Network | undefined {
  const [, address, bits] = /^([0-9a-f.:]+)(?:\/(\d{1,3}))?$/i.exec(text) ?? [];
  const version = isIP(address ?? '');
  if (version === 0) return undefined;
  const most = version === 6 ? 128 : 32;
  const given = bits === undefined ? most : Number(bits);
  return given <= most ? { address, bits: given, family: version === 6 ? 'ipv6' : 'ipv4' } : undefined;
}
