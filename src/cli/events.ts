/** `personalisation events send|tail`: sends a single event, and prints events as they arrive. */

import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { EventSchema } from '../../gen/es/personalisation/v1/event_pb.js';
import { EventService } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { parseVariables, textFieldsOf } from './arguments.ts';
import { httpAction, interruptibleAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import type { Http, HttpOptions } from './connection/http.ts';
import { type EnvironmentOptions, withConnection, withHttp } from './connection/options.ts';
import { print, printNote } from './output.ts';

type SendOptions = HttpOptions & { environment: string };
type TailOptions = EnvironmentOptions & { type?: string[] };

const pollingMs = 1_000;
/** Events of one answer, at most. */
const mostAtOnce = 500;

export function registerEvents(program: Command): void {
  const command = program
    .command('events')
    .description('send an event, or watch what arrives; import sends many');
  withHttp(command.command('send'))
    .description('send one event')
    .argument('<type>', 'event type, such as detail_pageview')
    .argument('<name=value...>', 'fields, such as device_id=d1 page_type=detail action_item=lamp')
    .requiredOption('--environment <name>', 'environment of the event')
    .action(httpAction(sendEvent));
  withConnection(command.command('tail'))
    .description('print events as they arrive, one JSON object per line, until Ctrl-C')
    .requiredOption('--environment <name>', 'environment of the events')
    .option('--type <name...>', 'only events of these types')
    .action(interruptibleAction(tail));
}

async function sendEvent(
  http: Http,
  type: string,
  fields: readonly string[],
  options: SendOptions,
): Promise<void> {
  const event = { event_type: type, ...parseVariables(fields, 'field', textFieldsOf(EventSchema)) };
  const path = `/${encodeURIComponent(options.environment)}/events`;
  const answer = (await http.request('POST', path, { events: [event] })) as { accepted_count: number };
  print(`${answer.accepted_count} accepted.`);
}

async function tail(connection: Connection, signal: AbortSignal, options: TailOptions): Promise<void> {
  const { environment, type: eventTypes } = options;
  const service = connection.client(EventService);
  const filter = { environment, eventTypes };
  /** Each call continues where the one before ended. */
  let { position } = await service.listEvents({ ...filter, pageSize: 1 });
  printNote(`Watching ${environment}; Ctrl-C ends it.`);
  while (!signal.aborted) {
    await delay(pollingMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    const answer = await service.listEvents({ ...filter, pageSize: mostAtOnce, position });
    ({ position } = answer);
    if (answer.leftOut) printNote(`More than ${mostAtOnce} arrived at once; the earlier ones are left out.`);
    for (const { json } of answer.events) print(json);
  }
}
