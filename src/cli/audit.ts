/** `personalisation audit`: who changed what. */

import type { Command } from 'commander';
import type { AuditEntry } from '../../gen/grpc/personalisation/v1/audit.ts';
import {
  AuditServiceClient,
  type ListAuditEntriesResponse,
} from '../../gen/grpc/personalisation/v1/audit_service.ts';
import { ask, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, parseCount, parseMoment, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import { readPages } from './connection/pages.ts';

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
    .option('--resource <name>', 'only this resource, e.g. configurations/home, or all below clients/')
    .option('--client <id>', 'only what this client did')
    .option('--from <time>', 'only at or after this moment', parseMoment)
    .option('--to <time>', 'only before this moment', parseMoment)
    .option('--limit <count>', 'most entries', parseCount, 50)
    .option('--json', 'one JSON object a line, with what was before and after')
    .action((options: Options) => conclude(() => listEntries(options)));
}

async function listEntries(options: Options): Promise<number> {
  const { environment, resource, client: client_id, from, to } = options;
  let left = options.limit;
  return withConnected(options, async (connection) => {
    const service = connection.client(AuditServiceClient);
    const pages = readPages((page_token) =>
      ask<ListAuditEntriesResponse>((call, callback) => {
        const request = {
          environment,
          resource,
          client_id,
          from,
          to,
          page_token,
          page_size: Math.min(left, 1_000),
        };
        return service.listAuditEntries(request, connection.metadata, call, callback);
      }),
    );
    for await (const { entries } of pages) {
      for (const entry of entries)
        process.stdout.write(`${options.json ? JSON.stringify(entry) : describeEntry(entry)}\n`);
      left -= entries.length;
      if (left <= 0) break;
    }
    return exitCodes.success;
  });
}

/** One line. */
function describeEntry({ time, action, resource, environment, client_id }: AuditEntry): string {
  const parts = [time?.toISOString() ?? '', action, resource];
  if (environment !== '') parts.push(environment);
  parts.push(client_id === '' ? 'the service' : client_id);
  return parts.join('  ');
}
