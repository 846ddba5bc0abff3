/** The console of a node: its files, and sessions with the service's tokens. */

import type { AuthenticationSettings } from '../deployment/deployment.ts';
import { createOidc, type PendingSignIn } from '../security/oidc.ts';
import type { Security } from '../security/security.ts';
import type { SignInCode } from '../security/sign-in-code.ts';
import { createConsole } from '../servers/console/console.ts';
import { createProviderSignIn } from '../servers/console/provider.ts';
import { createSessionHandler, type Holder } from '../servers/console/session.ts';
import type { PathHandler } from '../servers/path-handler.ts';
import type { Peers } from '../servers/peer-address.ts';
import type { Node } from './node.ts';

const folder = new URL('../../build/console/', import.meta.url);

export type ConsoleParts = { security: Security; signInCode: SignInCode | undefined; peers: Peers };

/** Returns undefined when the deployment turns the console off. */
export function createNodeConsole({ deployment }: Node, parts: ConsoleParts): PathHandler | undefined {
  const { basePath, authentication, console } = deployment;
  if (!console) return undefined;
  const { tokenEndpoint, authenticator, people } = parts.security;
  const provider = createProvider(authentication, parts);
  const session = createSessionHandler({
    peers: parts.peers,
    lifetimeSeconds: authentication.tokenLifetimeSeconds,
    issuer: authentication.issuer?.name,
    provider,
    async exchange(credentials, peer) {
      const { accessToken } = await tokenEndpoint.createToken(credentials, { peer });
      return accessToken;
    },
    signIn: tokenEndpoint.signIn,
    redeem: async (code, peer) => parts.signInCode?.redeem(code, peer),
    async identify(token, peer): Promise<Holder> {
      const call: Parameters<typeof authenticator.admit>[0] = { authorization: `Bearer ${token}`, peer };
      await authenticator.admit(call, { scope: 'any', access: 'read', writeKeyAllowed: false });
      const { clientId, scopes, session } = call.caller!;
      const name = session === undefined ? undefined : (await people.find(clientId))?.name;
      return { clientId, name, scopes };
    },
  });
  return createConsole({ basePath, imageOrigins: console.imageOrigins, session, provider, folder });
}

function createProvider({ oidc, tokenLifetimeSeconds }: AuthenticationSettings, parts: ConsoleParts) {
  if (!oidc) return undefined;
  const { security, peers } = parts;
  const { people, tokenEndpoint } = security;
  const { begin, finish } = createOidc(oidc);
  return createProviderSignIn({
    ...{ peers, begin, name: oidc.name, redirectUri: oidc.redirectUri },
    lifetimeSeconds: tokenLifetimeSeconds,
    finish: async (address, pending: PendingSignIn) =>
      tokenEndpoint.issue(await people.findByAccount(await finish(address, pending))),
  });
}
