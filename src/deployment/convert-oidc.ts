import type { DeploymentConfig } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { type Faults, isWebAddress } from './checks.ts';
import type { OidcSettings } from './deployment.ts';

const at = '/sign_in/oidc';
/** The client secret must not travel in the clear. */
const safe = /^https:|^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:|\/|$)/;

/** Reads the client secret from the environment of the process. */
export function convertOidc(config: DeploymentConfig, fault: Faults): OidcSettings | undefined {
  const oidc = config.signIn?.oidc;
  if (!oidc) return undefined;
  const { issuer, clientId, clientSecretEnv, name, scopes, emailClaim, redirectUri } = oidc;
  const addresses = { issuer, redirect_uri: redirectUri ?? issuer };
  for (const [field, address] of Object.entries(addresses))
    if (!isWebAddress(address) || !safe.test(address))
      fault(`${at}/${field}`, 'Must be an address with https, or with http on this machine.');
  if (config.authentication?.issuer)
    fault(at, 'Not allowed beside authentication.issuer, whose tokens the console takes instead.');
  const clientSecret = process.env[clientSecretEnv] ?? '';
  if (clientSecret === '')
    fault(`${at}/client_secret_env`, 'Must name an environment variable with the secret of the client.');
  return {
    ...{ issuer, clientId, clientSecret, name, emailClaim, redirectUri },
    scopes: ['openid', ...(scopes.length > 0 ? scopes : ['email'])],
  };
}
