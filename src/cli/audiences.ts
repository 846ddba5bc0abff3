/** `personalisation audiences create|export|explain`: audiences for people and for other programs. */

import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Command } from 'commander';
import type { AudienceScorePart, AudienceUser } from '../../gen/grpc/personalisation/v1/audience.ts';
import { AudienceRequest } from '../../gen/grpc/personalisation/v1/audience.ts';
import {
  AudienceServiceClient,
  type CreateAudienceResponse,
  type ExplainAudienceUserResponse,
  type ExportAudienceResponse,
} from '../../gen/grpc/personalisation/v1/audience_service.ts';
import { csvRow } from '../formats/records/csv.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, parseCount, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { readStream, writeWhole } from './export.ts';

type Format = 'csv' | 'ndjson';
type ExportOptions = ConnectionOptions & { environment: string; format?: Format; heldOut?: boolean };
type RequestOptions = ConnectionOptions & {
  environment: string;
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
    .description('compute and store an audience; prints its id and number of users')
    .action((options: RequestOptions) =>
      conclude(() => withConnected(options, (connection) => createAudience(connection, options))),
    );
  withConnection(command.command('export'))
    .description('write all users of a stored audience')
    .argument('<audience-id>', 'the audience')
    .argument('[file]', 'file, packed when its name ends in .gz (default: standard output)')
    .requiredOption('--environment <name>', 'environment of the audience')
    .option('--format <csv|ndjson>', 'format (default: by the name of the file, else csv)', parseFormat)
    .option('--held-out', 'the users who were held out instead')
    .action((id: string, path: string | undefined, options: ExportOptions) =>
      conclude((signal) => exportAudience(id, path, options, signal)),
    );
  withRequest(command.command('explain'))
    .description('say why a user would have which place in an audience now')
    .argument('<user-id>', 'the user')
    .option('--device', 'the id is that of a device')
    .action((id: string, options: ExplainOptions) =>
      conclude(() => withConnected(options, (connection) => explainUser(connection, id, options))),
    );
}

function withRequest(command: Command): Command {
  return withConnection(command)
    .requiredOption('--environment <name>', 'environment of users and items')
    .requiredOption(
      '--promote <ids>',
      'promoted items, separated by commas; TYPE/ID where ids are not unique',
    )
    .option('--name <name>', 'name of the audience', 'audience')
    .option('--size <count>', 'most users', parseCount, 1_000)
    .option('--integration-type <type>', 'how the users are reached', 'email')
    .option('--configuration <id>', 'configuration that restricts the users')
    .option('--exclude-bought', 'leave out who bought a promoted item')
    .option('--exclude-mailed <days>', 'leave out who was mailed in the last so many days', parseCount)
    .option('--hold-out <share>', 'share of users left out to compare with', Number);
}

function requestOf(options: RequestOptions): AudienceRequest {
  return AudienceRequest.fromPartial({
    audience_name: options.name,
    audience_size: options.size,
    integration_type: options.integrationType,
    promotion: options.promote.split(',').map((text) => promotedItem(text.trim())),
    limit: 0,
    configuration_id: options.configuration,
    exclude_bought: options.excludeBought,
    exclude_mailed_within_days: options.excludeMailed,
    hold_out_share: options.holdOut,
  });
}

function promotedItem(text: string) {
  const slash = text.indexOf('/');
  return slash < 0 ? { id: text } : { item_type: text.slice(0, slash), id: text.slice(slash + 1) };
}

async function createAudience(connection: Connection, options: RequestOptions): Promise<number> {
  const service = connection.client(AudienceServiceClient);
  const request = { environment: options.environment, audience: requestOf(options) };
  const { audience } = await ask<CreateAudienceResponse>((call, callback) =>
    service.createAudience(request, connection.metadata, call, callback),
  );
  const held = audience!.held_out_count > 0 ? `, ${audience!.held_out_count} held out` : '';
  process.stdout.write(`${audience!.audience_id}  ${audience!.audience_size} users${held}\n`);
  return exitCodes.success;
}

async function exportAudience(
  audienceId: string,
  path: string | undefined,
  options: ExportOptions,
  signal: AbortSignal,
): Promise<number> {
  const format = options.format ?? (path && /\.(ndjson|jsonl)(\.gz)?$/.test(path) ? 'ndjson' : 'csv');
  await withConnected(options, async (connection) => {
    const lines = readUsers(connection, audienceId, options, { format, signal });
    if (path === undefined) await pipeline(Readable.from(lines), process.stdout, { signal, end: false });
    else await writeWhole(path, lines, signal);
  });
  return exitCodes.success;
}

async function* readUsers(
  connection: Connection,
  audienceId: string,
  { environment, heldOut = false }: ExportOptions,
  { format, signal }: { format: Format; signal: AbortSignal },
): AsyncIterable<string> {
  const request = { environment, audience_id: audienceId, held_out: heldOut };
  const call = connection.client(AudienceServiceClient).exportAudience(request, connection.metadata);
  if (format === 'csv') yield 'rank,id,user_type,score\n';
  let rank = 0;
  for await (const { users } of readStream<ExportAudienceResponse>(call, signal)) {
    yield users.map((user) => userLine(user, ++rank, format)).join('');
  }
}

/** One user as a record of RFC 4180 or as a JSON object, with the end of the line. */
export function userLine({ id, user_type, score }: AudienceUser, rank: number, format: Format): string {
  if (format === 'ndjson') return `${JSON.stringify({ rank, id, user_type, score })}\n`;
  return `${csvRow([rank, id, user_type, score])}\n`;
}

async function explainUser(connection: Connection, id: string, options: ExplainOptions): Promise<number> {
  const service = connection.client(AudienceServiceClient);
  const request = {
    environment: options.environment,
    audience: requestOf(options),
    id,
    user_type: options.device ? 'device_id' : 'user_id',
  };
  const { explanation } = await ask<ExplainAudienceUserResponse>((call, callback) =>
    service.explainAudienceUser(request, connection.metadata, call, callback),
  );
  const { excluded, score, rank, parts } = explanation!;
  const place = excluded === '' ? `rank ${rank}` : `left out: ${excluded}`;
  process.stdout.write(`${id}: ${place}, score ${score.toPrecision(3)}\n${parts.map(partLine).join('')}`);
  return exitCodes.success;
}

function partLine(part: AudienceScorePart): string {
  const evidence = (['own', 'co_visits', 'content', 'activity'] as const)
    .filter((name) => part[name] !== 0)
    .map((name) => `${name} ${part[name].toPrecision(3)}`);
  const item = part.item_type === '' ? part.item_id : `${part.item_type}/${part.item_id}`;
  return `  ${part.score.toPrecision(3).padStart(8)}  ${item}  ${evidence.join(', ')}\n`;
}

function parseFormat(text: string): Format {
  if (text === 'csv' || text === 'ndjson') return text;
  throw new Error(`--format is csv or ndjson, not ${text}.`);
}
