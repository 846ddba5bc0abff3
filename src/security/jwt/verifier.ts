/** Verifies access tokens and caches the result: a signature is checked once in five minutes. */
import { errors, type JWTPayload, type JWTVerifyGetKey, type JWTVerifyOptions, jwtVerify } from 'jose';
import { DomainError } from '../../errors.ts';
import { createCache, textBytes } from '../../ranking/runtime/cache.ts';
import type { Caller } from '../caller.ts';

/** `Holder` is what the claims of a token say. */
export type TokenVerifier<Holder = Caller> = {
  /** Returns the caller of a recently verified token without waiting. */
  peek(token: string): Holder | undefined;
  /** Returns undefined for a malformed, expired or foreign token, or one of an unknown key. */
  verify(token: string): Promise<Holder | undefined>;
};

export type VerifierOptions<Holder> = {
  getKey: JWTVerifyGetKey;
  rules: JWTVerifyOptions;
  callerOf(claims: JWTPayload): Holder | undefined;
  clock: () => number;
};

/** Characters; longer tokens are refused unread. */
export const longestToken = 8192;

/** Tolerated difference between two machines' clocks. */
const clockSkewSeconds = 5;

const mostRememberedMs = 300_000;
/** Some 15,000 typical tokens. */
const mostRememberedBytes = 32 * 1024 * 1024;
/** Bytes of a caller besides the texts of its token. */
const bytesOfCaller = 1_000;

const compactForm = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/**
 * Cache keys are the last 43 characters, 256 bits of the signature, because hashing a whole token
 * would cost more than the lookup. The whole token is then compared.
 */
const keyLength = 43;

type Remembered<Holder> = { token: string; caller: Holder; untilMs: number };

export function createVerifier<Holder>({
  getKey,
  rules,
  callerOf,
  clock,
}: VerifierOptions<Holder>): TokenVerifier<Holder> {
  const remembered = createCache<Remembered<Holder>>({
    maxBytes: mostRememberedBytes,
    bytesOf: ({ token }) => bytesOfCaller + textBytes(token),
  });
  const verifying = new Map<string, Promise<Holder | undefined>>();

  function peek(token: string): Holder | undefined {
    const known = remembered.get(token.slice(-keyLength));
    return known && known.token === token && known.untilMs > clock() ? known.caller : undefined;
  }

  async function check(token: string): Promise<Holder | undefined> {
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

  /** Concurrent calls with the same new token share one check. */
  async function verify(token: string): Promise<Holder | undefined> {
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
    const message = 'The keys for verifying access tokens cannot be read at the moment; try again.';
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

/** Other errors mean that a key was unavailable. */
function blamesToken(error: unknown): boolean {
  return tokenFaults.some((fault) => error instanceof fault);
}
