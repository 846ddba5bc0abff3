/** `personalisation audit`: the record of changes. */

import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Command } from 'commander';
import { type AuditEntry, AuditEntrySchema } from '../../gen/es/personalisation/v1/audit_pb.js';
import { AuditService } from '../../gen/es/personalisation/v1/audit_service_pb.js';
import { parseCount, parseMoment } from './arguments.ts';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type ConnectionOptions, withConnection } from './connection/options.ts';
import { readAll } from './connection/pages.ts';
import { joinParts, momentOf, print, printMessage } from './output.ts';

type Options = ConnectionOptions & {
  environment?: string;
  resource?: string;
  client?: string;
  from?: Date;
  to?: Date;
  limit: number;
  json?: boolean;
};

export function registerAudit(program: Command): void {
  withConnection(program.command('audit'))
    .description('list changes: configurations, clients, items, models, deletions of people; newest first')
    .option('--environment <name>', 'only changes in this environment')
    .option('--resource <name>', 'only this resource, such as configurations/home, or all below clients/')
    .option('--client <id>', 'only changes of this client')
    .option('--from <time>', 'only changes at or after this moment', parseMoment)
    .option('--to <time>', 'only changes before this moment', parseMoment)
    .option('--limit <count>', 'most entries', parseCount, 50)
    .option('--json', 'one JSON object per line, with the state before and after')
    .action(serviceAction(listEntries));
}

async function listEntries(connection: Connection, options: Options): Promise<void> {
  const { environment, resource, client: clientId, from, to, json } = options;
  const service = connection.client(AuditService);
  const interval = { from: from && timestampFromDate(from), to: to && timestampFromDate(to) };
  const filter = { environment, resource, clientId, ...interval };
  let left = options.limit;
  const list = (pageToken: string) =>
    service.listAuditEntries({ ...filter, pageToken, pageSize: Math.min(left, 1_000) });
  for await (const entry of readAll('entries', list)) {
    if (json) await printMessage(AuditEntrySchema, entry, 0);
    else print(describeEntry(entry));
    left -= 1;
    if (left === 0) break;
  }
}

function describeEntry({ time, action, resource, environment, clientId }: AuditEntry): string {
  return joinParts([momentOf(time), action, resource, environment, clientId || 'the service']);
}
