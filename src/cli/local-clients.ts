/** Creates a client in the database itself, for operators without an administrator's credentials. */

import { type LocalDatabaseOptions, withDatabase } from './local-database.ts';

export type LocalClient = { name: string; scopes: string[]; origins: string[]; isWriteKey: boolean };

/** A write key has an empty secret. */
export type ClientCredentials = { clientId: string; clientSecret: string };

/** Replaces the request's ID in the record of changes. */
const actor = { requestId: 'command line' };

/** Works beside a running service; without one, starts the embedded database for the moment. */
export function createLocalClient(
  options: LocalDatabaseOptions,
  { isWriteKey, ...client }: LocalClient,
): Promise<ClientCredentials> {
  return withDatabase(options, 'present', async (db) => {
    const { createClients } = await import('../security/clients.ts');
    const { createClientStore } = await import('../security/stores.ts');
    const { listApplied } = await import('../repository/migrations.ts');
    if ((await listApplied(db)).length === 0)
      throw new Error(
        'The database has no tables yet: start the service on it, or run `personalisation migrate`.',
      );
    const clients = createClients({ store: createClientStore(db) });
    return isWriteKey
      ? { clientId: await clients.createWriteKey(client, actor), clientSecret: '' }
      : clients.createClient(client, actor);
  });
}
