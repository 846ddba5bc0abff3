/** `personalisation people export|delete|receipts`: what is stored about somebody, and its end. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Command, Option } from 'commander';
import {
  type DeleteDeviceResponse,
  type DeleteUserResponse,
  type ExportDeviceResponse,
  type ExportUserResponse,
  type ListDeletionsResponse,
  UserServiceClient,
} from '../../gen/grpc/personalisation/v1/user_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, parseMoment, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { readPages } from './connection/pages.ts';
import { readStream, writeWhole } from './export.ts';

type PersonOptions = ConnectionOptions & { environment: string; user?: string; device?: string };
/** Millions of events take minutes. */
const longestDeletionMs = 1_800_000;

type ReceiptOptions = ConnectionOptions & { from?: Date };

export function registerPeople(program: Command): void {
  const command = program
    .command('people')
    .description('give out or delete what is stored about a user or device');
  withPerson(command.command('export'))
    .description('all that is stored, one JSON object a line')
    .argument('[file]', 'file, packed when its name ends in .gz (default: standard output)')
    .action((path: string | undefined, options: PersonOptions) =>
      conclude((signal) => exportPerson(path, options, signal)),
    );
  withPerson(command.command('delete'))
    .description('delete all that is stored, and print the receipt')
    .action((options: PersonOptions) => conclude(() => deletePerson(options)));
  withConnection(command.command('receipts'))
    .description('print the deletions, one JSON object a line; keep them beside backups')
    .option('--from <time>', 'only those asked for at or after this moment', parseMoment)
    .action((options: ReceiptOptions) => conclude(() => listReceipts(options)));
}

function withPerson(command: Command): Command {
  return withConnection(command)
    .requiredOption('--environment <name>', 'environment of the user or device')
    .addOption(new Option('--user <id>', 'the user, with the devices that are theirs').conflicts('device'))
    .option('--device <id>', 'a device, with all that was done on it');
}

function nameOf({ user, device }: PersonOptions): { isUser: boolean; id: string } {
  const id = user ?? device;
  if (id === undefined) throw new Error('Say whom: --user ID or --device ID.');
  return { isUser: user !== undefined, id };
}

async function exportPerson(
  path: string | undefined,
  options: PersonOptions,
  signal: AbortSignal,
): Promise<number> {
  const count = { records: 0 };
  await withConnected(options, async (connection) => {
    const lines = readRecords(connection, options, count, signal);
    if (path === undefined) await pipeline(Readable.from(lines), process.stdout, { signal, end: false });
    else await writeWhole(path, lines, signal);
  });
  process.stderr.write(`${count.records} records.\n`);
  return exitCodes.success;
}

async function* readRecords(
  connection: Connection,
  options: PersonOptions,
  count: { records: number },
  signal: AbortSignal,
): AsyncGenerator<string> {
  const { isUser, id } = nameOf(options);
  const { environment } = options;
  const users = connection.client(UserServiceClient);
  const { metadata } = connection;
  const parts = isUser
    ? readStream<ExportUserResponse>(users.exportUser({ environment, user_id: id }, metadata), signal)
    : readStream<ExportDeviceResponse>(users.exportDevice({ environment, device_id: id }, metadata), signal);
  for await (const { json } of parts) {
    count.records += json.length;
    yield json.map((line) => `${line}\n`).join('');
  }
}

async function deletePerson(options: PersonOptions): Promise<number> {
  const { isUser, id } = nameOf(options);
  const { environment } = options;
  const { receipt } = await withConnected(options, (connection) => {
    const users = connection.client(UserServiceClient);
    const { metadata } = connection;
    return isUser
      ? ask<DeleteUserResponse>(
          (call, callback) => users.deleteUser({ environment, user_id: id }, metadata, call, callback),
          longestDeletionMs,
        )
      : ask<DeleteDeviceResponse>(
          (call, callback) => users.deleteDevice({ environment, device_id: id }, metadata, call, callback),
          longestDeletionMs,
        );
  });
  process.stdout.write(`${JSON.stringify(receipt, null, 2)}\n`);
  return exitCodes.success;
}

async function listReceipts({ from, ...options }: ReceiptOptions): Promise<number> {
  return withConnected(options, async (connection) => {
    const users = connection.client(UserServiceClient);
    const pages = readPages((page_token) =>
      ask<ListDeletionsResponse>((call, callback) =>
        users.listDeletions({ from, page_token, page_size: 1_000 }, connection.metadata, call, callback),
      ),
    );
    for await (const { deletions } of pages)
      for (const deletion of deletions) process.stdout.write(`${JSON.stringify(deletion)}\n`);
    return exitCodes.success;
  });
}
