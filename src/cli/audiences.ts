/** `personalisation audiences create|export|explain`: subjects ranked by their interest in promoted items. */

import type { Command } from 'commander';
import type { AudienceScorePart, AudienceUser } from '../../gen/es/personalisation/v1/audience_pb.js';
import { AudienceService } from '../../gen/es/personalisation/v1/audience_service_pb.js';
import { csvRow } from '../formats/records/csv.ts';
import { parseCount } from './arguments.ts';
import { interruptibleAction, serviceAction } from './connection/actions.ts';
import { type Connection, withoutDeadline } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { type ResultFormat, resultFormatOf, writeOutput } from './files.ts';
import { print } from './output.ts';

type ExportOptions = EnvironmentOptions & { format?: ResultFormat; heldOut?: boolean };
type RequestOptions = EnvironmentOptions & {
  promote: string;
  name: string;
  size: number;
  integrationType: string;
  configuration?: string;
  excludeBought?: boolean;
  excludeMailed?: number;
  holdOut?: number;
};
type ExplainOptions = RequestOptions & { device?: boolean };

export function registerAudiences(program: Command): void {
  const command = program.command('audiences').description('compute, export and explain audiences');
  withRequest(command.command('create'))
    .description('compute and store an audience; prints its ID and number of users')
    .action(serviceAction(createAudience));
  withConnection(command.command('export'))
    .description('write all users of a stored audience')
    .argument('<audience-id>', 'the audience')
    .argument('[file]', 'file, packed when its name ends in .gz (default: standard output)')
    .requiredOption('--environment <name>', 'environment of the audience')
    .option('--format <csv|ndjson>', 'format (default: by the name of the file, else csv)', parseFormat)
    .option('--held-out', 'the held-out users instead')
    .action(interruptibleAction(exportAudience));
  withRequest(command.command('explain'))
    .description('explain the rank of a user in an audience')
    .argument('<user-id>', 'the user')
    .option('--device', 'the ID is that of a device')
    .action(serviceAction(explainUser));
}

function withRequest(command: Command): Command {
  return withConnection(command)
    .requiredOption('--environment <name>', 'environment of users and items')
    .requiredOption(
      '--promote <ids>',
      'promoted items, separated by commas; TYPE/ID where IDs are not unique',
    )
    .option('--name <name>', 'name of the audience', 'audience')
    .option('--size <count>', 'most users', parseCount, 1_000)
    .option('--integration-type <type>', 'how the users are reached', 'email')
    .option('--configuration <id>', 'configuration that restricts the users')
    .option('--exclude-bought', 'leave out buyers of a promoted item')
    .option('--exclude-mailed <days>', 'leave out users mailed in the last days', parseCount)
    .option('--hold-out <share>', 'share of users left out for comparison', Number);
}

function requestOf(options: RequestOptions) {
  return {
    audienceName: options.name,
    audienceSize: options.size,
    integrationType: options.integrationType,
    promotion: options.promote.split(',').map((text) => promotedItem(text.trim())),
    limit: 0,
    configurationId: options.configuration,
    excludeBought: options.excludeBought,
    excludeMailedWithinDays: options.excludeMailed,
    holdOutShare: options.holdOut,
  };
}

function promotedItem(text: string) {
  const slash = text.indexOf('/');
  return slash < 0 ? { id: text } : { itemType: text.slice(0, slash), id: text.slice(slash + 1) };
}

async function createAudience(connection: Connection, options: RequestOptions): Promise<void> {
  const request = { environment: options.environment, audience: requestOf(options) };
  const { audience } = await connection.client(AudienceService).createAudience(request);
  const { audienceId, audienceSize, heldOutCount } = audience!;
  const heldOut = heldOutCount > 0 ? `, ${heldOutCount} held out` : '';
  print(`${audienceId}  ${audienceSize} users${heldOut}`);
}

async function exportAudience(
  connection: Connection,
  signal: AbortSignal,
  audienceId: string,
  path: string | undefined,
  { environment, heldOut, format: given }: ExportOptions,
): Promise<void> {
  const format = resultFormatOf(path, given);
  const request = { environment, audienceId, heldOut };
  const answers = connection.client(AudienceService).exportAudience(request, { ...withoutDeadline, signal });
  async function* lines() {
    if (format === 'csv') yield 'rank,id,user_type,score\n';
    let rank = 0;
    for await (const { users } of answers) yield users.map((user) => userLine(user, ++rank, format)).join('');
  }
  await writeOutput(path, lines(), signal);
}

/** Returns a user as a record of RFC 4180 or as a JSON object, with the end of the line. */
export function userLine(
  { id, userType, score }: Pick<AudienceUser, 'id' | 'userType' | 'score'>,
  rank: number,
  format: ResultFormat,
): string {
  if (format === 'ndjson') return `${JSON.stringify({ rank, id, user_type: userType, score })}\n`;
  return `${csvRow([rank, id, userType, score])}\n`;
}

async function explainUser(connection: Connection, id: string, options: ExplainOptions): Promise<void> {
  const { explanation } = await connection.client(AudienceService).explainAudienceUser({
    environment: options.environment,
    audience: requestOf(options),
    id,
    userType: options.device ? 'device_id' : 'user_id',
  });
  const { excluded, score, rank, parts } = explanation!;
  const place = excluded === '' ? `rank ${rank}` : `left out: ${excluded}`;
  print([`${id}: ${place}, score ${score.toPrecision(3)}`, ...parts.map(partLine)].join('\n'));
}

function partLine({ itemId, itemType, score, own, coVisits, content, activity }: AudienceScorePart): string {
  const evidence = Object.entries({ own, co_visits: coVisits, content, activity })
    .filter(([, part]) => part !== 0)
    .map(([name, part]) => `${name} ${part.toPrecision(3)}`);
  const item = itemType === '' ? itemId : `${itemType}/${itemId}`;
  return `  ${score.toPrecision(3).padStart(8)}  ${item}  ${evidence.join(', ')}`;
}

function parseFormat(text: string): ResultFormat {
  if (text === 'csv' || text === 'ndjson') return text;
  throw new Error(`--format must be csv or ndjson; got ${text}.`);
}
