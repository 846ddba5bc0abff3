/** `personalisation people export|delete|receipts`: exports or deletes the data of a user or device. */

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Command, Option } from 'commander';
import { DeletionReceiptSchema, DeletionSchema } from '../../gen/es/personalisation/v1/user_pb.js';
import { UserService } from '../../gen/es/personalisation/v1/user_service_pb.js';
import { parseMoment } from './arguments.ts';
import { interruptibleAction, serviceAction } from './connection/actions.ts';
import { type Connection, withoutDeadline } from './connection/connect.ts';
import { type ConnectionOptions, type EnvironmentOptions, withConnection } from './connection/options.ts';
import { readAll } from './connection/pages.ts';
import { writeOutput } from './files.ts';
import { printMessage, printNote } from './output.ts';

type SubjectOptions = EnvironmentOptions & { user?: string; device?: string };
type ReceiptOptions = ConnectionOptions & { from?: Date };

/** Deleting millions of events takes minutes. */
const deletionTimeoutMs = 1_800_000;

export function registerPeople(program: Command): void {
  const command = program.command('people').description('export or delete the data of a user or device');
  withSubject(command.command('export'))
    .description('all stored data, one JSON object per line')
    .argument('[file]', 'file, packed when its name ends in .gz (default: standard output)')
    .action(interruptibleAction(exportSubject));
  withSubject(command.command('delete'))
    .description('delete all stored data, and print the receipt')
    .action(serviceAction(deleteSubject));
  withConnection(command.command('receipts'))
    .description('print the deletions, one JSON object per line; keep them with your backups')
    .option('--from <time>', 'only deletions requested at or after this moment', parseMoment)
    .action(serviceAction(printReceipts));
}

function withSubject(command: Command): Command {
  return withConnection(command)
    .requiredOption('--environment <name>', 'environment of the user or device')
    .addOption(new Option('--user <id>', 'the user, with their devices').conflicts('device'))
    .option('--device <id>', 'a device, with everything that was done on it');
}

function subjectOf({ user, device }: SubjectOptions): { isUser: boolean; id: string } {
  const id = user ?? device;
  if (id === undefined) throw new Error('Name the subject: --user ID or --device ID.');
  return { isUser: user !== undefined, id };
}

async function exportSubject(
  connection: Connection,
  signal: AbortSignal,
  path: string | undefined,
  options: SubjectOptions,
): Promise<void> {
  const { isUser, id } = subjectOf(options);
  const { environment } = options;
  const users = connection.client(UserService);
  const callOptions = { ...withoutDeadline, signal };
  const answers = isUser
    ? users.exportUser({ environment, userId: id }, callOptions)
    : users.exportDevice({ environment, deviceId: id }, callOptions);
  let recordCount = 0;
  async function* lines() {
    for await (const { json } of answers) {
      recordCount += json.length;
      yield json.map((line) => `${line}\n`).join('');
    }
  }
  await writeOutput(path, lines(), signal);
  printNote(`${recordCount} records.`);
}

async function deleteSubject(connection: Connection, options: SubjectOptions): Promise<void> {
  const { isUser, id } = subjectOf(options);
  const { environment } = options;
  const users = connection.client(UserService);
  const callOptions = { timeoutMs: deletionTimeoutMs };
  const { receipt } = isUser
    ? await users.deleteUser({ environment, userId: id }, callOptions)
    : await users.deleteDevice({ environment, deviceId: id }, callOptions);
  await printMessage(DeletionReceiptSchema, receipt!);
}

async function printReceipts(connection: Connection, { from }: ReceiptOptions): Promise<void> {
  const users = connection.client(UserService);
  const since = from && timestampFromDate(from);
  const list = (pageToken: string) => users.listDeletions({ from: since, pageToken, pageSize: 1_000 });
  for await (const deletion of readAll('deletions', list)) await printMessage(DeletionSchema, deletion, 0);
}
