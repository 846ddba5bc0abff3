/** Access to the service, and sign-in to the console. */

export type AuthenticationSettings = {
  publicOperations: ReadonlySet<string>;
  tokenLifetimeSeconds: number;
  issuer?: { name: string; jwksUri: string; audience?: string };
  /** Sign-in of people besides passwords. */
  oidc?: OidcSettings;
};

/** An OpenID Connect provider. */
export type OidcSettings = {
  issuer: string;
  clientId: string;
  clientSecret: string;
  name: string;
  scopes: readonly string[];
  /** Undefined for `email`, which must be verified. */
  emailClaim?: string;
  /** Undefined to derive it from the request. */
  redirectUri?: string;
};
