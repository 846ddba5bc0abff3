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

export function createTokens({ keys, clock }: OwnTokensOptions): OwnTokens {
  const signing = createSigning({ keys, clock }, 'personalisation', 'at+jwt', callerOf);
  const issue: OwnTokens['issue'] = ({ clientId, scopes, lifetimeSeconds, session }) =>
    signing.sign({ sub: clientId, client_id: clientId, scope: scopes.join(' '), session }, lifetimeSeconds);
  const jwks = async () => ({ keys: await keys.listPublic() });
  return { ...signing.verifier, issue, hasOurClients: true, jwks };
}

/** Signs and verifies tokens of one audience and type, which are refused as those of another. */
function createSigning<Holder>(
  { keys, clock }: OwnTokensOptions,
  audience: string,
  type: string,
  callerOf: (claims: JWTPayload) => Holder | undefined,
) {
  const getKey: JWTVerifyGetKey = async ({ kid }) => {
    const key = kid === undefined ? undefined : await keys.find(kid);
    if (!key) throw new errors.JWKSNoMatchingKey();
    return key;
  };
  const rules = { algorithms: [signatureAlgorithm], issuer, audience, typ: type };
  return {
    verifier: createVerifier({ getKey, rules, callerOf, clock }),
    async sign(claims: JWTPayload, lifetimeSeconds: number): Promise<string> {
      const { keyId, privateKey } = await keys.newest();
      const issuedAt = Math.floor(clock() / 1000);
      return new SignJWT(claims)
        .setProtectedHeader({ alg: signatureAlgorithm, typ: type, kid: keyId })
        .setIssuer(issuer)
        .setAudience(audience)
        .setJti(randomUUID())
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(privateKey);
    },
  };
}

/** Content of a token for previews: a draft in an environment, in one revision [any]. */
export type Previewed = { environment: string; configurationId: string; revision?: number };

export type PreviewTokens = {
  issue(previewed: Previewed, lifetimeSeconds: number): Promise<string>;
  /** Returns undefined for a malformed, expired or foreign token, such as an access token. */
  verify(token: string): Promise<Previewed | undefined>;
};

export function createPreviewTokens(options: OwnTokensOptions): PreviewTokens {
  const { sign, verifier } = createSigning(options, 'personalisation-preview', 'preview+jwt', previewedOf);
  return { issue: (previewed, lifetimeSeconds) => sign(previewed, lifetimeSeconds), verify: verifier.verify };
}

const previewedOf = ({ environment, configurationId, revision }: JWTPayload): Previewed =>
  ({ environment, configurationId, revision }) as Previewed;

function callerOf({ sub, scope, session }: JWTPayload): Caller | undefined {
  if (!sub || typeof scope !== 'string') return undefined;
  const caller: Caller = { clientId: sub, kind: 'confidential', scopes: scope.split(' ').filter(isScope) };
  return typeof session === 'number' ? { ...caller, session } : caller;
}
