/** `personalisation events send|tail`: single events for people who try a site, and what arrives. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { EventSchema } from '../../gen/es/personalisation/v1/event_pb.js';
import {
  EventServiceClient,
  type ListEventsResponse,
} from '../../gen/grpc/personalisation/v1/event_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { type HttpOptions, openHttp } from './connection/http.ts';
import { type ConnectionOptions, withClient, withConnection, withUrl } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { parseVariables } from './recommend.ts';
import { textFieldsOf } from './text-fields.ts';

type SendOptions = HttpOptions & { environment: string };
type TailOptions = ConnectionOptions & { environment: string; type?: string[] };

const pollingMs = 1_000;
/** The most that the service answers. */
const mostAtOnce = 500;

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
  const event = { event_type: type, ...parseVariables(fields, 'field', textFieldsOf(EventSchema)) };
  const http = await openHttp(options);
  const path = `/${encodeURIComponent(options.environment)}/events`;
  const answer = (await http.request('POST', path, { events: [event] })) as { accepted_count: number };
  process.stdout.write(`${answer.accepted_count} accepted.\n`);
  return exitCodes.success;
}

async function tail(connection: Connection, options: TailOptions, signal: AbortSignal): Promise<number> {
  const read = readerOf(connection, options);
  await read(1);
  process.stderr.write(`Watching ${options.environment}; Ctrl-C ends it.\n`);
  while (!signal.aborted) {
    await delay(pollingMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const { events, left_out: isLeftOut } = await read(mostAtOnce);
    if (isLeftOut)
      process.stderr.write(`More than ${mostAtOnce} arrived at once; the earlier ones are left out.\n`);
    for (const { json } of events) process.stdout.write(`${json}\n`);
  }
  return exitCodes.success;
}

/** Each call reads on where the one before ended. */
function readerOf(connection: Connection, { environment, type = [] }: TailOptions) {
  const client = connection.client(EventServiceClient);
  let position: string | undefined;
  return async (pageSize: number) => {
    const request = {
      ...{ environment, event_types: type, page_size: pageSize, position },
      ...{ visitor: undefined, item_id: undefined, page_type: undefined },
    };
    const answer = await ask<ListEventsResponse>((call, callback) =>
      client.listEvents(request, connection.metadata, call, callback),
    );
    position = answer.position;
    return answer;
  };
}
