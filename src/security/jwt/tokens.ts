/** The service's own access tokens: JWTs of RFC 9068, verified without a database read. */
import { randomUUID } from 'node:crypto';
import { errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyGetKey, SignJWT } from 'jose';
import type { Caller } from '../caller.ts';
import { isScope } from '../scopes.ts';
import { type KeyRing, signatureAlgorithm } from './key-ring.ts';
import { createVerifier, type TokenVerifier } from './verifier.ts';

export type Tokens = TokenVerifier & {
  /** Whether the tokens' clients are in the database and can be disabled there. */
  hasOurClients: boolean;
  /** Returns the document at `/.well-known/jwks.json`. */
  jwks(): Promise<JSONWebKeySet>;
};

export type OwnTokens = Tokens & {
  issue(grant: Grant): Promise<string>;
};

/** `session` is the number of a person's session. */
type Grant = { clientId: string; scopes: readonly string[]; lifetimeSeconds: number; session?: number };

export type OwnTokensOptions = {
  keys: KeyRing;
  clock: () => number;
};

const issuer = 'personalisation';
const audience = 'personalisation';
const type = 'at+jwt';

export function createTokens({ keys, clock }: OwnTokensOptions): OwnTokens {
  const getKey: JWTVerifyGetKey = async ({ kid }) => {
    const key = kid === undefined ? undefined : await keys.find(kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key;
  };
  const rules = { algorithms: [signatureAlgorithm], issuer, audience, typ: type };
  const verifier = createVerifier({ getKey, rules, callerOf, clock });

  const issue: OwnTokens['issue'] = async ({ clientId, scopes, lifetimeSeconds, session }) => {
    const { keyId, privateKey } = await keys.newest();
    const issuedAt = Math.floor(clock() / 1000);
    return new SignJWT({ client_id: clientId, scope: scopes.join(' '), session })
      .setProtectedHeader({ alg: signatureAlgorithm, typ: type, kid: keyId })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(clientId)
      .setJti(randomUUID())
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + lifetimeSeconds)
      .sign(privateKey);
  };

  return { ...verifier, issue, hasOurClients: true, jwks: async () => ({ keys: await keys.listPublic() }) };
}

function callerOf({ sub, scope, session }: JWTPayload): Caller | undefined {
  if (!sub || typeof scope !== 'string') return undefined;
  const caller: Caller = { clientId: sub, kind: 'confidential', scopes: scope.split(' ').filter(isScope) };
  return typeof session === 'number' ? { ...caller, session } : caller;
}
