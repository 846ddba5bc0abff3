/** Secrets that sign webhooks (Standard Webhooks 1.0), encrypted in the database like signing keys. */

import { randomBytes } from 'node:crypto';
import type { WebhookSecret } from '../repository/changes/webhooks.ts';
import type { KeySealer, StoredKey } from './jwt/sealed-keys.ts';

export type WebhookSecrets = {
  /** Creates a secret of 256 bits; `text` is `whsec_…`. */
  create(): Promise<{ text: string; stored: WebhookSecret }>;
  /** Returns the newest secret and those that have not expired, newest first, at most four. */
  active(secrets: readonly WebhookSecret[]): WebhookSecret[];
  /** Returns the texts of the active secrets. */
  open(secrets: readonly WebhookSecret[]): Promise<string[]>;
};

const mostActive = 4;
const prefix = 'whsec_';

/** @param clock Milliseconds since the epoch. */
export function createWebhookSecrets(sealer: KeySealer, clock: () => number): WebhookSecrets {
  const active: WebhookSecrets['active'] = (secrets) =>
    secrets
      .filter(({ expiresAtMs = Number.POSITIVE_INFINITY }) => expiresAtMs > clock())
      .slice(0, mostActive);
  return {
    async create() {
      const bytes = randomBytes(32);
      const key = await sealer.seal({ kty: 'oct', k: bytes.toString('base64url') });
      return { text: prefix + bytes.toString('base64'), stored: { key } };
    },
    active,
    open: (secrets) =>
      Promise.all(
        active(secrets).map(async ({ key }) => {
          const { k } = await sealer.open(key as StoredKey);
          return prefix + Buffer.from(k!, 'base64url').toString('base64');
        }),
      ),
  };
}
