/** `personalisation doctor`: what is wrong with the events and the catalogue of an environment, for people and for CI. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Diagnosis } from '../../gen/grpc/personalisation/v1/diagnosis.ts';
import {
  DiagnosisServiceClient,
  type GetDiagnosisResponse,
} from '../../gen/grpc/personalisation/v1/diagnosis_service.ts';
import { ask, type Connection, withConnected } from './connection/connect.ts';
import { type ConnectionOptions, withConnection } from './connection/options.ts';
import { conclude, exitCodes } from './connection/outcome.ts';
import {
  describeDiagnosis,
  isAtLeast,
  jsonOf,
  nameOfFinding,
  type SeverityName,
  severityNames,
} from './diagnosis/describe.ts';

type Options = ConnectionOptions & {
  environment: string;
  since: number;
  staleAfter: number;
  json?: boolean;
  notices?: boolean;
  failOn: SeverityName | 'never';
  ignore: string[];
};

export function registerDoctor(program: Command): void {
  withConnection(program.command('doctor'))
    .description(
      'look for faults in what is sent; ends with 2 when there are some, 3 when not all could be examined',
    )
    .requiredOption('--environment <name>', 'environment to examine')
    .option('--since <time>', 'arrival of the oldest events, e.g. 12h, 7d, 4w', parseHours, 168)
    .option('--stale-after <time>', 'age from which a catalogue without a write is stale', parseHours, 168)
    .option('--json', 'print the diagnosis as JSON')
    .option('--notices', 'print what is only worth knowing, too')
    .addOption(
      new Option('--fail-on <severity>', 'least severity that ends with 2')
        .choices([...severityNames, 'never'])
        .default('warning'),
    )
    .option('--ignore <findings...>', 'findings to leave out, e.g. event_type_missing:batch_open', [])
    .action((options: Options) => conclude(() => withConnected(options, (it) => examine(it, options))));
}

/** Hours of `36h`, `7d` or `4w`. */
function parseHours(text: string): number {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Write it as 36h, 7d or 4w.');
  return Number(count) * { h: 1, d: 24, w: 168 }[unit as 'h' | 'd' | 'w'];
}

async function examine(connection: Connection, options: Options): Promise<number> {
  const { environment, since, staleAfter, failOn, notices = failOn === 'notice', ignore } = options;
  const service = connection.client(DiagnosisServiceClient);
  const request = { environment, window_hours: since, stale_after_hours: staleAfter, notices };
  const answer = await ask<GetDiagnosisResponse>((call, callback) =>
    service.getDiagnosis(request, connection.metadata, call, callback),
  );
  const diagnosis = without(answer.diagnosis!, ignore);
  const text = options.json ? JSON.stringify(jsonOf(diagnosis), null, 2) : describeDiagnosis(diagnosis);
  process.stdout.write(`${text}\n`);
  return exitCodeOf(diagnosis, failOn);
}

/** A name without its subject leaves out all of a check. */
function without(diagnosis: Diagnosis, ignored: readonly string[]): Diagnosis {
  const names = new Set(ignored);
  const findings = diagnosis.findings.filter(
    (finding) => !names.has(finding.check) && !names.has(nameOfFinding(finding)),
  );
  return { ...diagnosis, findings };
}

function exitCodeOf(
  { findings, unfinished_checks: unfinished }: Diagnosis,
  failOn: Options['failOn'],
): number {
  if (failOn === 'never') return exitCodes.success;
  if (findings.some((finding) => isAtLeast(finding, failOn))) return exitCodes.differences;
  return unfinished.length > 0 ? exitCodes.partial : exitCodes.success;
}
