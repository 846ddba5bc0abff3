/**
 * Tokens of the deployment's identity provider instead of the service's own
 * (`authentication.issuer`).
 *
 * Scopes come from the claim `scope` (a string, RFC 8693) or `scp` (a string or a list). Unknown
 * scopes are ignored. Such clients are not in the database: they are disabled at the issuer, and
 * their tokens last until they expire.
 */
import { createRemoteJWKSet, type JWTPayload } from 'jose';
import type { Caller } from '../caller.ts';
import { isScope } from '../scopes.ts';
import type { Tokens } from './tokens.ts';
import { createVerifier } from './verifier.ts';

export type ExternalIssuer = {
  /** Expected `iss`. */
  name: string;
  jwksUri: string;
  /** Expected `aud` [any]. */
  audience?: string;
  clock: () => number;
};

/** Asymmetric algorithms only: with a shared secret, a verifier could forge tokens. */
const algorithms = [
  ...['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'],
  ...['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'],
];

export function createExternalTokens({ name, jwksUri, audience, clock }: ExternalIssuer): Tokens {
  const verifier = createVerifier({
    getKey: createRemoteJWKSet(new URL(jwksUri)),
    rules: { algorithms, issuer: name, audience },
    callerOf,
    clock,
  });
  return { ...verifier, hasOurClients: false, jwks: async () => ({ keys: [] }) };
}

function callerOf(claims: JWTPayload): Caller | undefined {
  const clientId = claims.client_id ?? claims.azp ?? claims.sub;
  if (typeof clientId !== 'string' || clientId === '') return undefined;
  return { clientId, kind: 'confidential', scopes: scopesOf(claims.scope ?? claims.scp) };
}

function scopesOf(claim: unknown): string[] {
  const texts = Array.isArray(claim) ? claim : typeof claim === 'string' ? claim.split(' ') : [];
  return texts.filter((text) => typeof text === 'string' && isScope(text));
}
