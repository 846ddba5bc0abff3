/**
 * A code that signs the user of this machine in once, without copying a secret. The start prints
 * it; the first use from the same machine redeems it.
 */

import { randomBytes, timingSafeEqual } from 'node:crypto';
import { readFile } from 'node:fs/promises';

const codeBytes = 24;

export type SignInCode = {
  code: string;
  /** Returns the administrator's credentials once, for this code and this machine. */
  redeem(code: string, peer: string): Promise<{ clientId: string; clientSecret: string } | undefined>;
};

/** @param credentialsPath File of admin-credentials.ts. */
export function createSignInCode(credentialsPath: string): SignInCode {
  const code = randomBytes(codeBytes).toString('base64url');
  let isUsed = false;
  return {
    code,
    async redeem(shown, peer) {
      if (isUsed || !isLoopback(peer) || !equals(shown, code)) return undefined;
      isUsed = true;
      const { client_id: clientId, client_secret: clientSecret } = JSON.parse(
        await readFile(credentialsPath, 'utf8'),
      );
      return { clientId, clientSecret };
    },
  };
}

function isLoopback(peer: string): boolean {
  const address = peer.replace(/^::ffff:/, '');
  return address === '::1' || address.startsWith('127.');
}

function equals(shown: string, code: string): boolean {
  const [a, b] = [Buffer.from(shown), Buffer.from(code)];
  return a.length === b.length && timingSafeEqual(a, b);
}
