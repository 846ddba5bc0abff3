/** `personalisation clients create|list|disable`: who may call the service. */

import { type Command, Option } from 'commander';
import { type Client, ClientKind } from '../../gen/grpc/personalisation/v1/client.ts';
import {
  ClientServiceClient,
  type CreateClientResponse,
  type ListClientsResponse,
} from '../../gen/grpc/personalisation/v1/client_service.ts';
import { ask, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { readPages } from './connection/pages.ts';
import { createLocalClient } from './local-clients.ts';

type CreateOptions = ConnectionOptions & {
  name?: string;
  scope: string[];
  writeKey?: boolean;
  origin?: string[];
  dataDir?: string;
  databaseUrl?: string;
};

export function registerClients(program: Command): void {
  const command = program.command('clients').description('make, list and disable clients');
  withConnection(command.command('create'))
    .description('make a client; its secret is printed once')
    .requiredOption('--scope <scope...>', 'what it may do, e.g. items:shop events:shop, or admin:*')
    .option('--name <name>', 'name for people [with --data-dir or --database-url: admin]')
    .option('--write-key', 'a public key for sending events from web pages; needs --origin')
    .option('--origin <origin...>', 'origins of a write key, e.g. https://shop.example')
    .option(
      '--data-dir <folder>',
      'make it in the embedded database of this folder, without credentials: on its machine, whether the service runs or not',
    )
    .addOption(
      new Option('--database-url <url>', 'the same in the Postgres of the services').conflicts('dataDir'),
    )
    .action((options: CreateOptions) => conclude(() => createClient(options)));
  withConnection(command.command('list'))
    .description('list all clients')
    .action((options: ConnectionOptions) => conclude(() => listClients(options)));
  withConnection(command.command('disable'))
    .description('disable a client for good')
    .argument('<client-id>')
    .action((clientId: string, options: ConnectionOptions) =>
      conclude(() => disableClient(clientId, options)),
    );
}

async function createClient(options: CreateOptions): Promise<number> {
  const isLocal = options.dataDir !== undefined || options.databaseUrl !== undefined;
  const { client, clientSecret } = isLocal ? await createHere(options) : await createThere(options);
  process.stdout.write(describeCreated({ client, client_secret: clientSecret }));
  return exitCodes.success;
}

async function createHere({
  name = 'admin',
  scope,
  origin = [],
  writeKey = false,
  dataDir = '',
  databaseUrl,
}: CreateOptions) {
  const client = { name, scopes: scope, origins: origin, isWriteKey: writeKey };
  const { clientId, clientSecret } = await createLocalClient({ dataDir, databaseUrl }, client);
  return { client: { client_id: clientId }, clientSecret };
}

async function createThere(options: CreateOptions) {
  if (options.name === undefined) throw new Error('Name the client with --name.');
  const client: Client = {
    client_id: '',
    kind: options.writeKey ? ClientKind.CLIENT_KIND_WRITE_KEY : ClientKind.CLIENT_KIND_CONFIDENTIAL,
    name: options.name,
    scopes: options.scope,
    origins: options.origin ?? [],
    create_time: undefined,
    disable_time: undefined,
  };
  const answer = await withConnected(options, (connection) =>
    ask<CreateClientResponse>((call, callback) =>
      connection.client(ClientServiceClient).createClient({ client }, connection.metadata, call, callback),
    ),
  );
  return { client: answer.client, clientSecret: answer.client_secret };
}

type Created = { client: Pick<Client, 'client_id'> | undefined; client_secret: string };

/** As a credentials file, so that `… > credentials.json` makes one; of a write key there is nothing secret. */
export function describeCreated({ client, client_secret }: Created): string {
  const credentials = { client_id: client!.client_id, ...(client_secret !== '' && { client_secret }) };
  return `${JSON.stringify(credentials, null, 2)}\n`;
}

async function listClients(options: ConnectionOptions): Promise<number> {
  return withConnected(options, async (connection) => {
    const service = connection.client(ClientServiceClient);
    const pages = readPages((page_token) =>
      ask<ListClientsResponse>((call, callback) =>
        service.listClients({ page_token }, connection.metadata, call, callback),
      ),
    );
    for await (const { clients } of pages)
      for (const client of clients) process.stdout.write(`${describeClient(client)}\n`);
    return exitCodes.success;
  });
}

/** One line. */
export function describeClient(client: Client): string {
  const kind = client.kind === ClientKind.CLIENT_KIND_WRITE_KEY ? 'write key' : 'confidential';
  const parts = [client.client_id, kind, client.scopes.join(' ')];
  if (client.origins.length > 0) parts.push(client.origins.join(' '));
  if (client.name !== '') parts.push(client.name);
  if (client.disable_time) parts.push(`disabled ${client.disable_time.toISOString()}`);
  return parts.join('  ');
}

async function disableClient(clientId: string, options: ConnectionOptions): Promise<number> {
  await withConnected(options, (connection) =>
    ask((call, callback) =>
      connection
        .client(ClientServiceClient)
        .disableClient({ client_id: clientId }, connection.metadata, call, callback),
    ),
  );
  process.stdout.write(`${clientId} is disabled.\n`);
  return exitCodes.success;
}
