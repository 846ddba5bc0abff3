/** Credentials and access tokens. Options take precedence over the environment, and both over the file. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AccessTokens, createAccessTokens, type Token } from '../../../clients/node/src/access-token.ts';
import { parseJson } from '../json.ts';
import { withSource } from './failure.ts';
import type { ConnectionOptions } from './options.ts';

export type Credentials = { clientId: string; clientSecret: string };

type SourcedCredentials = Credentials & {
  /** Where the credentials come from, for the error that refuses them. */
  source: string;
};

type Options = Pick<ConnectionOptions, 'credentials' | 'clientId' | 'clientSecret' | 'token'>;

/**
 * Returns the given token, or tokens that are fetched and renewed with the credentials.
 *
 * @throws When the first token cannot be fetched.
 */
export async function openTokens(
  options: Options,
  fetchToken: (credentials: Credentials) => Promise<Token>,
): Promise<AccessTokens> {
  const given = options.token ?? process.env.PERSONALISATION_TOKEN;
  if (given !== undefined) return { get: async () => given, discard() {} };
  const { source, ...credentials } = await readCredentials(options);
  const tokens = createAccessTokens(
    () => fetchToken(credentials),
    () => performance.now(),
  );
  await tokens.get().catch((error) => {
    throw withSource(error, source);
  });
  return tokens;
}

async function readCredentials(options: Options, env = process.env): Promise<SourcedCredentials> {
  const clientId = options.clientId ?? env.PERSONALISATION_CLIENT_ID;
  const clientSecret = options.clientSecret ?? env.PERSONALISATION_CLIENT_SECRET;
  if (options.credentials === undefined && clientId !== undefined) {
    if (clientSecret === undefined)
      throw new Error(
        'A client ID needs its secret: add --client-secret or set PERSONALISATION_CLIENT_SECRET.',
      );
    return { clientId, clientSecret, source: 'the options or the environment' };
  }
  return readFileCredentials(options.credentials ?? join(env.DATA_DIR ?? '.data', 'admin-credentials.json'));
}

async function readFileCredentials(path: string): Promise<SourcedCredentials> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
    throw new Error(
      `Credentials cannot be read from ${path}: ${reason}. Name a file with --credentials; if all are lost, ` +
        'create a client with `personalisation clients create` and --data-dir or --database-url.',
    );
  });
  const { client_id: clientId, client_secret: clientSecret } = parseJson(text) ?? {};
  if (typeof clientId === 'string' && typeof clientSecret === 'string')
    return { clientId, clientSecret, source: path };
  throw new Error(`${path} must contain a client_id and a client_secret as JSON.`);
}
