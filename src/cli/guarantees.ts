/** `personalisation guarantees`: today's progress of guarantees of impressions. */

import type { Command } from 'commander';
import {
  GuaranteeService,
  ListGuaranteesResponseSchema,
} from '../../gen/es/personalisation/v1/guarantee_service_pb.js';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { formatTable, printMessage } from './output.ts';

export function registerGuarantees(program: Command): void {
  const command = program.command('guarantees').description('guarantees of impressions');
  withConnection(command.command('list'))
    .description("print the guarantees with today's progress")
    .requiredOption('--environment <name>', 'environment')
    .option('--json', 'print the answer as JSON')
    .action(serviceAction(listGuarantees));
}

async function listGuarantees(
  connection: Connection,
  { environment, json }: EnvironmentOptions & { json?: boolean },
): Promise<void> {
  const answer = await connection.client(GuaranteeService).listGuarantees({ environment });
  if (json) return printMessage(ListGuaranteesResponseSchema, answer);
  const rows = answer.guarantees.map(({ configurationId, guaranteeId, status, pace, ...counts }) => [
    ...[configurationId, guaranteeId, status],
    ...[counts.target, counts.due, counts.delivered, counts.total].map((count) => Math.round(count)),
    ...[`${Math.round(100 * pace)} %`, counts.clicksForgone.toFixed(1)],
  ]);
  const heads = [
    'configuration',
    'guarantee',
    'status',
    'target',
    'due',
    'delivered',
    'of',
    'pace',
    'clicks forgone',
  ];
  process.stdout.write(formatTable(heads, rows));
}
