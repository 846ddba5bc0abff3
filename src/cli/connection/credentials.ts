/** As whom to call the service: options come before the environment, and both before the file. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ConnectionOptions } from './options.ts';

export type Credentials = {
  clientId: string;
  clientSecret: string;
  /** Where they were read, for whoever finds them wrong. */
  source: string;
};

type Options = Pick<ConnectionOptions, 'credentials' | 'clientId' | 'clientSecret'>;

export async function readCredentials(options: Options, env = process.env): Promise<Credentials> {
  const clientId = options.clientId ?? env.PERSONALISATION_CLIENT_ID;
  const clientSecret = options.clientSecret ?? env.PERSONALISATION_CLIENT_SECRET;
  if (options.credentials === undefined && clientId !== undefined) {
    if (clientSecret === undefined)
      throw new Error(
        'A client id needs its secret: add --client-secret or set PERSONALISATION_CLIENT_SECRET.',
      );
    return { clientId, clientSecret, source: 'the options or the environment' };
  }
  return await readFileCredentials(
    options.credentials ?? join(env.DATA_DIR ?? '.data', 'admin-credentials.json'),
  );
}

async function readFileCredentials(path: string): Promise<Credentials> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === 'ENOENT' ? 'there is no such file' : error.message;
    throw new Error(
      `Credentials cannot be read from ${path}: ${reason}. Name a file with --credentials; where all are lost, ` +
        '`personalisation clients create` makes a client with --data-dir or --database-url.',
    );
  });
  const credentials = parse(text, path);
  if (!credentials) throw new Error(`${path} does not hold a client_id and a client_secret as JSON.`);
  return credentials;
}

function parse(text: string, source: string): Credentials | undefined {
  try {
    const { client_id: clientId, client_secret: clientSecret } = JSON.parse(text);
    const isWhole = typeof clientId === 'string' && typeof clientSecret === 'string';
    return isWhole ? { clientId, clientSecret, source } : undefined;
  } catch {
    return undefined;
  }
}
