/** `personalisation alerts`: placements whose metrics drop. */

import type { Command } from 'commander';
import { type Alert, AlertSchema } from '../../gen/es/personalisation/v1/alert_pb.js';
import { AlertService } from '../../gen/es/personalisation/v1/alert_service_pb.js';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { readAll } from './connection/pages.ts';
import { rounded } from './metrics.ts';
import { formatTable, momentOf, printMessage } from './output.ts';

type Options = EnvironmentOptions & { open?: boolean; json?: boolean };

export function registerAlerts(program: Command): void {
  const command = program.command('alerts').description('placements whose metrics drop');
  withConnection(command.command('list'))
    .description('print the alerts, newest first')
    .requiredOption('--environment <name>', 'environment')
    .option('--open', 'only alerts that are not resolved')
    .option('--json', 'one JSON object per line')
    .action(serviceAction(listAlerts));
}

async function listAlerts(connection: Connection, { environment, open, json }: Options): Promise<void> {
  const service = connection.client(AlertService);
  const list = (pageToken: string) => service.listAlerts({ environment, open, pageToken, pageSize: 200 });
  const rows: string[][] = [];
  for await (const alert of readAll('alerts', list)) {
    if (json) await printMessage(AlertSchema, alert, 0);
    else rows.push(describe(alert));
  }
  const heads = ['raised', 'resolved', 'placement', 'metric', 'expected', 'observed'];
  if (!json) process.stdout.write(formatTable(heads, rows));
}

function describe({ raiseTime, resolveTime, placement, metric, expected, observed }: Alert): string[] {
  return [
    momentOf(raiseTime),
    momentOf(resolveTime),
    placement,
    metric,
    `${rounded(expected)}`,
    `${rounded(observed)}`,
  ];
}
