/** `personalisation clients create|list|disable`: the applications that may call the service. */

import { type Command, Option } from 'commander';
import { type Client, ClientKind } from '../../gen/es/personalisation/v1/client_pb.js';
import { ClientService } from '../../gen/es/personalisation/v1/client_service_pb.js';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type ConnectionOptions, withConnection } from './connection/options.ts';
import { conclude } from './connection/outcome.ts';
import { readAll } from './connection/pages.ts';
import { type ClientCredentials, createLocalClient } from './local-clients.ts';
import { joinParts, momentOf, print } from './output.ts';

type CreateOptions = ConnectionOptions & {
  name?: string;
  scope: string[];
  writeKey?: boolean;
  origin?: string[];
  dataDir?: string;
  databaseUrl?: string;
};

export function registerClients(program: Command): void {
  const command = program.command('clients').description('create, list and disable clients');
  withConnection(command.command('create'))
    .description('create a client; its secret is printed once')
    .requiredOption('--scope <scope...>', 'scopes, such as items:shop events:shop, or admin:*')
    .option('--name <name>', 'display name [with --data-dir or --database-url: admin]')
    .option('--write-key', 'a public key for sending events from web pages; needs --origin')
    .option('--origin <origin...>', 'origins of a write key, such as https://shop.example')
    .option(
      '--data-dir <folder>',
      'create it in the embedded database of this local folder, without credentials, whether the service runs or not',
    )
    .addOption(
      new Option('--database-url <url>', 'the same in the Postgres of the services').conflicts('dataDir'),
    )
    .action((options: CreateOptions, self: Command) => {
      const { dataDir, databaseUrl, name } = options;
      if (dataDir !== undefined || databaseUrl !== undefined) return conclude(() => createHere(options));
      if (name === undefined)
        return conclude(() => Promise.reject(new Error('Name the client with --name.')));
      return serviceAction(createThere)({ ...options, name }, self);
    });
  withConnection(command.command('list')).description('list all clients').action(serviceAction(listClients));
  withConnection(command.command('disable'))
    .description('disable a client permanently')
    .argument('<client-id>')
    .action(
      serviceAction(async (connection, clientId: string, _: ConnectionOptions) => {
        await connection.client(ClientService).disableClient({ clientId });
        print(`${clientId} is disabled.`);
      }),
    );
}

async function createHere(options: CreateOptions): Promise<void> {
  const { name = 'admin', scope: scopes, origin: origins = [], writeKey = false } = options;
  const { dataDir = '', databaseUrl } = options;
  const client = { name, scopes, origins, isWriteKey: writeKey };
  print(describeCredentials(await createLocalClient({ dataDir, databaseUrl }, client)));
}

async function createThere(
  connection: Connection,
  { name, scope: scopes, origin: origins = [], writeKey }: CreateOptions & { name: string },
  _: Command,
): Promise<void> {
  const kind = writeKey ? ClientKind.WRITE_KEY : ClientKind.CONFIDENTIAL;
  const request = { client: { kind, name, scopes, origins } };
  const { client, clientSecret } = await connection.client(ClientService).createClient(request);
  print(describeCredentials({ clientId: client!.clientId, clientSecret }));
}

/** Returns a credentials file, so that `… > credentials.json` writes one. A write key has no secret. */
export function describeCredentials({ clientId, clientSecret }: ClientCredentials): string {
  const secret = clientSecret === '' ? {} : { client_secret: clientSecret };
  return JSON.stringify({ client_id: clientId, ...secret }, null, 2);
}

async function listClients(connection: Connection, _: ConnectionOptions): Promise<void> {
  const service = connection.client(ClientService);
  const list = (pageToken: string) => service.listClients({ pageToken });
  for await (const client of readAll('clients', list)) print(describeClient(client));
}

export function describeClient({ clientId, kind, scopes, origins, name, disableTime }: Client): string {
  const kindName = kind === ClientKind.WRITE_KEY ? 'write key' : 'confidential';
  const disabled = disableTime && `disabled ${momentOf(disableTime)}`;
  return joinParts([clientId, kindName, scopes.join(' '), origins.join(' '), name, disabled]);
}
