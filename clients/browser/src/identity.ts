/** Identifies the visitor by a cookie of this site, stored only with consent. Servers read it to render lists. */

import { deviceIdOf } from './device-proof.ts';
import { withStorage } from './event-store.ts';

export const deviceCookie = 'personalisation_device';

/** Entry of the browser's storage; unlike the cookie, no server reads it. */
const secretKey = 'personalisation_secret';

/** An ID without stored data, here or in the service. */
export const anonymous = 'anonymous';

/** Browsers keep a cookie no longer than 400 days. */
const cookieSeconds = 400 * 86_400;

export type Identity = {
  deviceId(): string;
  /** Returns the secret of the device ID; undefined for an ID that was not made here. */
  secret(): string | undefined;
  hasConsent(): boolean;
  setConsent(given: boolean): void;
  /** Forgets the visitor: the next one has another ID, unless the site gave its own. */
  reset(): void;
};

/** @param fixedId The caller's own identifier, in place of the cookie's. */
export function createIdentity(consent: boolean, fixedId?: string): Identity {
  let id: string | undefined;
  let isGiven = consent;
  const setConsent = (given: boolean) => {
    isGiven = given;
    if (!given) id = undefined;
    if (!given) withStorage((storage) => storage.removeItem(secretKey));
    if (!given || fixedId) writeCookie('', 0);
  };
  if (!consent) setConsent(false);
  return {
    hasConsent: () => isGiven,
    setConsent,
    reset() {
      id = undefined;
      if (!isGiven || fixedId) return;
      id = newDeviceId();
      writeCookie(id, cookieSeconds);
    },
    secret() {
      let secret: string | null | undefined;
      withStorage((storage) => {
        secret = storage.getItem(secretKey);
      });
      return secret && deviceIdOf(secret) === id ? secret : undefined;
    },
    deviceId() {
      if (!isGiven) return anonymous;
      if (fixedId) return fixedId;
      if (typeof document === 'undefined') return anonymous;
      id ??= readCookie() ?? newDeviceId();
      writeCookie(id, cookieSeconds);
      return id;
    },
  };
}

function newDeviceId(): string {
  const secret = newId();
  withStorage((storage) => storage.setItem(secretKey, secret));
  return deviceIdOf(secret);
}

/** Pages without TLS have no `randomUUID`. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function readCookie(): string | undefined {
  return new RegExp(`(?:^|; )${deviceCookie}=([^;]+)`).exec(document.cookie)?.[1];
}

function writeCookie(value: string, seconds: number): void {
  if (typeof document === 'undefined') return;
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: the Cookie Store is asynchronous, and not everywhere.
  document.cookie = `${deviceCookie}=${value}; Path=/; Max-Age=${seconds}; SameSite=Lax${secure}`;
}
