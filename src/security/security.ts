/** Assembles authentication and limits for a database and a deployment. */

import type { AuthenticationSettings, RateLimitSettings } from '../deployment/deployment.ts';
import { orUnavailable } from '../ranking/runtime/within-time.ts';
import type { Database } from '../repository/database.ts';
import { type Authenticator, type AuthenticatorOptions, createAuthenticator } from './authenticate.ts';
import { createClientCache } from './client-cache.ts';
import { type ClientStore, type Clients, createClients } from './clients.ts';
import { createExternalTokens } from './jwt/external-issuer.ts';
import { createKeyRing } from './jwt/key-ring.ts';
import { createKeySealer } from './jwt/sealed-keys.ts';
import { createPreviewTokens, createTokens, type PreviewTokens, type Tokens } from './jwt/tokens.ts';
import { createPeople, type People } from './people.ts';
import { createRateLimits, type RateLimits } from './rate-limits.ts';
import { createSecondFactor, type SecondFactor } from './second-factor.ts';
import { createClientStore, createSigningKeyStore } from './stores.ts';
import { createForeignTokenEndpoint, createTokenEndpoint, type TokenEndpoint } from './token-endpoint.ts';
import { createWebhookSecrets, type WebhookSecrets } from './webhook-secrets.ts';

export type Security = {
  authenticator: Authenticator;
  clients: Clients;
  people: People;
  secondFactor: SecondFactor;
  rateLimits: RateLimits;
  tokenEndpoint: TokenEndpoint;
  jwks: Tokens['jwks'];
  /** Of previews; signed with the service's own keys even if callers have tokens of an issuer. */
  previewTokens: PreviewTokens;
  webhookSecrets: WebhookSecrets;
};

export type SecurityOptions = {
  db: Database;
  settings: AuthenticationSettings;
  environments: AuthenticatorOptions['environments'];
  rateLimits: readonly RateLimitSettings[];
  /** Encrypts the keys of access tokens and webhooks; undefined to store them as they are. */
  signingKeyPassphrase: string | undefined;
  /** Longest wait for the database during authentication, before UNAVAILABLE. */
  patienceMs: number;
  clock: () => number;
};

export async function createSecurity(options: SecurityOptions): Promise<Security> {
  const { db, settings, patienceMs, clock } = options;
  const elapsedMs = () => performance.now();
  const store = createClientStore(db);
  const timely: ClientStore = { ...store, find: (id) => orUnavailable(patienceMs, store.find(id)) };
  const clients = createClients({ store });
  const people = createPeople({ db, clock });
  const sealer = createKeySealer(options.signingKeyPassphrase);
  const secondFactor = createSecondFactor({ db, sealer, clock, elapsedMs });
  const keyStore = createSigningKeyStore(db, sealer);
  const keys = await createKeyRing({ store: keyStore, patienceMs, elapsedMs });
  const { tokens, tokenEndpoint } = createTokenService();
  const authenticator = createAuthenticator({
    publicScopes: settings.publicOperations,
    environments: options.environments,
    tokens,
    clients: createClientCache({ store: timely, elapsedMs }),
    elapsedMs,
  });
  return {
    authenticator,
    clients,
    people,
    secondFactor,
    rateLimits: createRateLimits({ settings: options.rateLimits, elapsedMs }),
    tokenEndpoint,
    jwks: tokens.jwks,
    previewTokens: createPreviewTokens({ keys, clock }),
    webhookSecrets: createWebhookSecrets(sealer, clock),
  };

  function createTokenService(): { tokens: Tokens; tokenEndpoint: TokenEndpoint } {
    if (settings.issuer) {
      const { name } = settings.issuer;
      return {
        tokens: createExternalTokens({ ...settings.issuer, clock }),
        tokenEndpoint: createForeignTokenEndpoint(name),
      };
    }
    const tokens = createTokens({ keys, clock });
    const { tokenLifetimeSeconds: lifetimeSeconds } = settings;
    const timelyClients = createClients({ store: timely });
    const tokenEndpoint = createTokenEndpoint({
      ...{ clients: timelyClients, people, secondFactor, tokens, lifetimeSeconds, elapsedMs },
    });
    return { tokens, tokenEndpoint };
  }
}
