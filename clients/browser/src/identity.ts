/** Identifies the visitor by a cookie of this site, stored only with consent. Servers read it to render lists. */

export const deviceCookie = 'personalisation_device';

/** An ID without stored data, here or in the service. */
export const anonymous = 'anonymous';

/** Browsers keep a cookie no longer than 400 days. */
const cookieSeconds = 400 * 86_400;

export type Identity = {
  deviceId(): string;
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
    if (!given || fixedId) writeCookie('', 0);
  };
  if (!consent) setConsent(false);
  return {
    hasConsent: () => isGiven,
    setConsent,
    reset() {
      id = newId();
      if (isGiven && !fixedId) writeCookie(id, cookieSeconds);
    },
    deviceId() {
      if (!isGiven) return anonymous;
      if (fixedId) return fixedId;
      if (typeof document === 'undefined') return anonymous;
      id ??= readCookie() ?? newId();
      writeCookie(id, cookieSeconds);
      return id;
    },
  };
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
