/** `personalisation events send|tail`: single events for people who try a site, and what arrives. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import {
  EventServiceClient,
  type ExportEventsResponse,
} from '../../gen/grpc/personalisation/v1/event_service.ts';
import { type Connection, withConnected } from './connection/connect.ts';
import { type HttpOptions, openHttp } from './connection/http.ts';
import { type ConnectionOptions, withClient, withConnection, withUrl } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { parseVariables } from './recommend.ts';

type SendOptions = HttpOptions & { environment: string };
type TailOptions = ConnectionOptions & { environment: string; type?: string[] };

const pollingMs = 1_000;
/** An event may carry a time before its arrival; what is older than this when it arrives is not shown. */
const latenessMs = 60_000;

export function registerEvents(program: Command): void {
  const command = program
    .command('events')
    .description('send an event, or watch what arrives; import sends many');
  withClient(withUrl(command.command('send')))
    .description('send one event')
    .argument('<type>', 'event type, e.g. detail_pageview')
    .argument('<name=value...>', 'fields, e.g. device_id=d1 page_type=detail action_item=lamp')
    .requiredOption('--environment <name>', 'environment of the event')
    .action((type: string, fields: string[], options: SendOptions) =>
      conclude(() => sendEvent(type, fields, options)),
    );
  withConnection(command.command('tail'))
    .description('print events as they arrive, one JSON object a line, until Ctrl-C')
    .requiredOption('--environment <name>', 'environment of the events')
    .option('--type <name...>', 'only events of these types')
    .action((options: TailOptions) =>
      conclude((signal) => withConnected(options, (connection) => tail(connection, options, signal))),
    );
}

async function sendEvent(type: string, fields: readonly string[], options: SendOptions): Promise<number> {
  const event = { event_type: type, ...parseVariables(fields, 'field') };
  const http = await openHttp(options);
  const path = `/${encodeURIComponent(options.environment)}/events`;
  const answer = (await http.request('POST', path, { events: [event] })) as { accepted_count: number };
  process.stdout.write(`${answer.accepted_count} accepted.\n`);
  return exitCodes.success;
}

async function tail(connection: Connection, options: TailOptions, signal: AbortSignal): Promise<number> {
  const types = options.type && new Set(options.type);
  let shown = new Set<string>(await readSince(connection, options.environment));
  process.stderr.write(`Watching ${options.environment}; Ctrl-C ends it.\n`);
  while (!signal.aborted) {
    await delay(pollingMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const lines = await readSince(connection, options.environment);
    for (const line of lines) if (!shown.has(line) && isOf(line, types)) process.stdout.write(`${line}\n`);
    shown = new Set(lines);
  }
  return exitCodes.success;
}

/** The events of the last minute. */
async function readSince(connection: Connection, environment: string): Promise<string[]> {
  const request = { environment, from: new Date(Date.now() - latenessMs), to: undefined };
  const stream = connection.client(EventServiceClient).exportEvents(request, connection.metadata);
  const lines: string[] = [];
  for await (const { json } of stream as AsyncIterable<ExportEventsResponse>) lines.push(...json);
  return lines;
}

function isOf(line: string, types: ReadonlySet<string> | undefined): boolean {
  return types === undefined || types.has(JSON.parse(line).event_type);
}
