/** Makes a client in the database itself: for whoever has the machine, and has lost the credentials of every administrator. */

import { type LocalDatabaseOptions, withDatabase } from './local-database.ts';

export type LocalClient = { name: string; scopes: string[]; origins: string[]; isWriteKey: boolean };

/** Of a write key there is no secret. */
export type MadeClient = { clientId: string; clientSecret: string };

/** In the record of changes, where the request's id would be. */
const actor = { requestId: 'command line' };

/** Works beside a running service, and starts the embedded database for the moment when none runs. */
export async function createLocalClient(
  options: LocalDatabaseOptions,
  { isWriteKey, ...client }: LocalClient,
): Promise<MadeClient> {
  const { createClients } = await import('../security/clients.ts');
  const { createClientStore } = await import('../security/stores.ts');
  const { listApplied } = await import('../repository/migrations.ts');
  let made: MadeClient | undefined;
  await withDatabase(options, 'present', async (db) => {
    if ((await listApplied(db)).length === 0)
      throw new Error(
        'The database has no tables yet: start the service on it, or `personalisation migrate`.',
      );
    const clients = createClients({ store: createClientStore(db) });
    made = isWriteKey
      ? { clientId: await clients.createWriteKey(client, actor), clientSecret: '' }
      : await clients.createClient(client, actor);
  });
  return made!;
}
