/**
 * Verification of access tokens, remembered: the signature of a token is checked once in five minutes, every other use of it
 * is one lookup by the token itself.
 */
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { DomainError } from '../../errors.ts';
import { createCache, textBytes } from '../../ranking/runtime/cache.ts';
import type { Caller } from '../caller.ts';

export type TokenVerifier = {
  /** The caller of a token that was verified lately, without waiting. */
  peek(token: string): Caller | undefined;
  /** The token's caller; undefined when it is malformed, expired, for somebody else or not signed by a trusted key. */
  verify(token: string): Promise<Caller | undefined>;
};

export type VerifierOptions = {
  getKey: JWTVerifyGetKey;
  rules: JWTVerifyOptions;
  /** Undefined when the claims name no client. */
  callerOf(claims: JWTPayload): Caller | undefined;
  /** Unix milliseconds. */
  clock: () => number;
};

/** Longer tokens are refused unseen. */
export const longestToken = 8192;

/** Difference between two machines' clocks that is forgiven. */
const clockSkewSeconds = 5;

const mostRememberedMs = 300_000;
/** Of all together: some 15,000 usual tokens. */
const mostRememberedBytes = 32 * 1024 * 1024;
/** Of a caller beside the texts of its token. */
const bytesOfCaller = 1_000;

const compactForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * Tokens are remembered by the last 43 characters, 256 bits of the signature, because hashing all 500 would cost more than the
 * rest of the lookup; the whole token is then compared.
 */
const keyLength = 43;

type Remembered = { token: string; caller: Caller; untilMs: number };

export function createVerifier({ getKey, rules, callerOf, clock }: VerifierOptions): TokenVerifier {
  const remembered = createCache<Remembered>({
    maxBytes: mostRememberedBytes,
    bytesOf: ({ token }) => bytesOfCaller + textBytes(token),
  });
  const verifying = new Map<string, Promise<Caller | undefined>>();

  function peek(token: string): Caller | undefined {
    const known = remembered.get(token.slice(-keyLength));
    return known && known.token === token && known.untilMs > clock() ? known.caller : undefined;
  }

  async function check(token: string): Promise<Caller | undefined> {
    const claims = await verifiedClaims(token, getKey, {
      ...rules,
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(clock()),
      requiredClaims: ['exp', ...(rules.requiredClaims ?? [])],
    });
    const caller = claims && callerOf(claims);
    if (!caller) return undefined;
    const untilMs = Math.min(claims.exp! * 1000, clock() + mostRememberedMs);
    remembered.set(token.slice(-keyLength), { token, caller, untilMs });
    return caller;
  }

  /** Calls that bring the same new token at the same time share one check. */
  async function verify(token: string): Promise<Caller | undefined> {
    if (token.length > longestToken || !compactForm.test(token)) return undefined;
    const known = peek(token) ?? verifying.get(token);
    if (known) return known;
    const started = check(token).finally(() => verifying.delete(token));
    verifying.set(token, started);
    return started;
  }

  return { peek, verify };
}

async function verifiedClaims(
  token: string,
  getKey: JWTVerifyGetKey,
  rules: JWTVerifyOptions,
): Promise<JWTPayload | undefined> {
  try {
    return (await jwtVerify(token, getKey, rules)).payload;
  } catch (error) {
    if (error instanceof DomainError) throw error;
    if (blamesToken(error)) return undefined;
    const message = 'The keys that access tokens are verified with cannot be read at the moment; try again.';
    throw new DomainError('UNAVAILABLE', message, { cause: error });
  }
}

const tokenFaults = [
  errors.JWTClaimValidationFailed,
  errors.JWTExpired,
  errors.JWTInvalid,
  errors.JWSInvalid,
  errors.JWSSignatureVerificationFailed,
  errors.JOSEAlgNotAllowed,
  errors.JOSENotSupported,
  errors.JWKSNoMatchingKey,
  errors.JWKSMultipleMatchingKeys,
];

/** Anything else is a key that could not be had. */
function blamesToken(error: unknown): boolean {
  return tokenFaults.some((fault) => error instanceof fault);
}
