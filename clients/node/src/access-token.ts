/** Access tokens: fetched once for all calls that wait, renewed before they expire, thrown away when refused. */

export type Token = { value: string; lifetimeMs: number };

export type AccessTokens = {
  /** A token that is valid now. Rejects only when there is none and none can be had. */
  get(): Promise<string>;
  /** The service has refused this one. */
  discard(value: string): void;
};

/** Part of its lifetime after which a token is renewed, while it is still good for calls. */
const renewedAfter = 0.8;

/** Clocks and transit differ by less; a token so close to its end is not sent. */
const marginMs = 5_000;

/** @param nowMs Milliseconds on any clock that does not go back. */
export function createAccessTokens(fetchToken: () => Promise<Token>, nowMs: () => number): AccessTokens {
  let held: { value: string; renewAtMs: number; expiresAtMs: number } | undefined;
  let fetching: Promise<string> | undefined;

  async function renew(): Promise<string> {
    const startMs = nowMs();
    const { value, lifetimeMs } = await fetchToken();
    held = {
      value,
      renewAtMs: startMs + lifetimeMs * renewedAfter,
      expiresAtMs: startMs + Math.max(lifetimeMs - marginMs, lifetimeMs * renewedAfter),
    };
    return value;
  }

  function renewOnce(): Promise<string> {
    fetching ??= renew().finally(() => {
      fetching = undefined;
    });
    return fetching;
  }

  return {
    async get() {
      if (held === undefined || nowMs() >= held.expiresAtMs) return renewOnce();
      /** In the background: a failure matters only when the token has expired, and is met again then. */
      if (nowMs() >= held.renewAtMs) renewOnce().catch(() => undefined);
      return held.value;
    },
    discard(value) {
      if (held?.value === value) held = undefined;
    },
  };
}
