/** `personalisation segments`: values of a property as segments, for a subject or like another one. */

import type { Command } from 'commander';
import { ListSegmentsResponseSchema, PageService } from '../../gen/es/personalisation/v1/page_service_pb.js';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { formatTable, printMessage } from './output.ts';

export function registerSegments(program: Command): void {
  withConnection(program.command('segments'))
    .description('print the segments that a subject likes, or that resemble another one')
    .requiredOption('--environment <name>', 'environment')
    .requiredOption('--property <name>', 'property of the segments, such as brand or categories')
    .option('--user <id>', 'user')
    .option('--device <id>', 'device, with or without a user')
    .option('--like <value>', 'value of the property; instead of a subject')
    .option('--json', 'print the answer as JSON')
    .action(serviceAction(listSegments));
}

type SegmentOptions = EnvironmentOptions & { property: string } & Partial<
    Record<'user' | 'device' | 'like', string>
  > & { json?: boolean };

async function listSegments(
  connection: Connection,
  { environment, property, user: userId, device: deviceId, like, json }: SegmentOptions,
): Promise<void> {
  const request = { environment, property, userId, deviceId, like };
  const answer = await connection.client(PageService).listSegments(request);
  if (json) return printMessage(ListSegmentsResponseSchema, answer);
  const rows = answer.segments.map(({ value, gain }) => [value, gain === undefined ? '' : gain.toFixed(4)]);
  process.stdout.write(formatTable([property, 'gain'], rows));
}
