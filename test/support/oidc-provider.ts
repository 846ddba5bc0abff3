/** A real provider of OpenID Connect, whose pages for development sign in anybody by a name. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type TestProvider = {
  /** The deployment file's part. */
  settings: string;
  issuer: string;
  /** Begins to answer; before, requests wait for ever. */
  serve(redirectUri: string): Promise<void>;
  stop(): Promise<void>;
};

/** Accounts by login: e-mail addresses, and subjects that differ from the login. */
export type Accounts = Record<string, { email?: string; email_verified?: boolean }>;

const secret = 'TEST_OIDC_SECRET';

export async function startProvider(accounts: Accounts): Promise<TestProvider> {
  process.env[secret] = 'a secret of the console';
  const server = createServer().listen(0, 'localhost');
  await once(server, 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    settings: `sign_in: { oidc: { issuer: "${issuer}", client_id: console, client_secret_env: ${secret}, name: Example } }\n`,
    async serve(redirectUri) {
      const { Provider } = await import('oidc-provider');
      const provider = new Provider(issuer, {
        clients: [{ client_id: 'console', client_secret: process.env[secret], redirect_uris: [redirectUri] }],
        claims: { openid: ['sub'], email: ['email', 'email_verified'] },
        findAccount: (_context, login) => ({
          accountId: login,
          claims: () => ({ sub: login, ...accounts[login] }),
        }),
      });
      server.on('request', provider.callback());
    },
    async stop() {
      if (!server.listening) return;
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
