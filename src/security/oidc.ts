/**
 * Sign-in of people with an OpenID Connect provider: authorization code flow with PKCE, state and
 * nonce. The provider proves an e-mail address; roles stay here.
 */
import * as client from 'openid-client';
import type { OidcSettings } from '../deployment/deployment.ts';
import { DomainError } from '../errors.ts';
import { createGate } from './limits/gate.ts';

/** What the answer of the provider must fit. */
export type PendingSignIn = { state: string; nonce: string; verifier: string };

/** An account of the provider. `subject` names the issuer, too. */
export type Account = { subject: string; email: string };

export type Oidc = {
  /** Returns the address to sign in at. @throws UNAVAILABLE */
  begin(redirectUri: string): Promise<{ address: URL; pending: PendingSignIn }>;
  /** @param address The one that the provider led back to. @throws CLIENT_INVALID, UNAVAILABLE or RATE_LIMITED */
  finish(address: URL, pending: PendingSignIn): Promise<Account>;
};

/** Of one request to the provider. */
const timeoutSeconds = 5;
/** Sign-ins that ask the provider at once. */
const asking = { concurrency: 16, mostWaiting: 64 };
const longestEmail = 254;

export function createOidc({ issuer, clientId, clientSecret, name, scopes, emailClaim }: OidcSettings): Oidc {
  const gate = createGate(asking);
  let discovered: Promise<client.Configuration> | undefined;

  async function discover(): Promise<client.Configuration> {
    const execute = issuer.startsWith('http:') ? [client.allowInsecureRequests] : [];
    const options = { execute, timeout: timeoutSeconds };
    discovered ??= client.discovery(new URL(issuer), clientId, clientSecret, undefined, options);
    return discovered.catch((cause) => {
      discovered = undefined;
      throw unreachable(name, cause);
    });
  }

  async function ask(address: URL, { state, nonce, verifier }: PendingSignIn): Promise<Account> {
    const configuration = await discover();
    const tokens = await client.authorizationCodeGrant(configuration, address, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const isEnough = typeof claims[emailClaim ?? 'email'] === 'string';
    const more = isEnough ? {} : await client.fetchUserInfo(configuration, tokens.access_token, claims.sub);
    const { sub, ...known }: Record<string, unknown> = { ...claims, ...more };
    const email = known[emailClaim ?? 'email'];
    if (typeof email !== 'string' || email === '' || email.length > longestEmail)
      throw refusal(`${name} told no e-mail address of you.`);
    if (emailClaim === undefined && known.email_verified !== true)
      throw refusal(`${name} has not verified your e-mail address.`);
    return { subject: `${claims.iss} ${sub}`, email };
  }

  return {
    async begin(redirectUri) {
      const configuration = await gate.run(discover);
      const [state, nonce, verifier] = [
        client.randomState(),
        client.randomNonce(),
        client.randomPKCECodeVerifier(),
      ];
      const address = client.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: scopes.join(' '),
        ...{ state, nonce, code_challenge_method: 'S256' },
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
      });
      return { address, pending: { state, nonce, verifier } };
    },
    finish: (address, pending) =>
      gate.run(() =>
        ask(address, pending).catch((error) => {
          throw error instanceof DomainError ? error : explain(name, error);
        }),
      ),
  };
}

const unreachable = (name: string, cause: unknown) =>
  new DomainError('UNAVAILABLE', `${name} cannot be reached. Try again in a moment.`, { cause });

const refusal = (message: string, cause?: unknown) => new DomainError('CLIENT_INVALID', message, { cause });

function explain(name: string, error: unknown): DomainError {
  if (error instanceof client.AuthorizationResponseError)
    return refusal(`${name} did not sign you in (${error.error}).`, error);
  if (error instanceof client.ResponseBodyError)
    return refusal(`${name} refused to confirm the sign-in (${error.error}). Try again.`, error);
  const isLost = error instanceof TypeError || (error as { code?: string }).code === 'OAUTH_TIMEOUT';
  return isLost
    ? unreachable(name, error)
    : refusal(`The answer of ${name} does not fit this sign-in. Try again.`, error);
}
