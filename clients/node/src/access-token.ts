/** Access tokens: one request for all waiting calls, renewal before expiry, dropped when refused. */

export type Token = { value: string; lifetimeMs: number };

export type AccessTokens = {
  /** Resolves with a valid token. Rejects when no valid token exists and none can be fetched. */
  get(): Promise<string>;
  /** Drops a token that the service refused. */
  discard(value: string): void;
};

/** Share of its lifetime after which a token is renewed in the background. */
const renewedAfter = 0.8;

/** A token this close to its expiry is not sent, for clock skew and transit. */
const marginMs = 5_000;

/** @param nowMs Milliseconds of a monotonic clock. */
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
      /** In the background: a failure matters only after the token has expired, and recurs then. */
      if (nowMs() >= held.renewAtMs) renewOnce().catch(() => undefined);
      return held.value;
    },
    discard(value) {
      if (held?.value === value) held = undefined;
    },
  };
}
