/** `personalisation doctor`: faults in the events and the catalogue of an environment, for people and for CI. */

import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Diagnosis, DiagnosisSchema } from '../../gen/es/personalisation/v1/diagnosis_pb.js';
import { DiagnosisService } from '../../gen/es/personalisation/v1/diagnosis_service_pb.js';
import { serviceAction } from './connection/actions.ts';
import type { Connection } from './connection/connect.ts';
import { type EnvironmentOptions, withConnection } from './connection/options.ts';
import { type ExitCode, exitCodes } from './connection/outcome.ts';
import {
  describeDiagnosis,
  isAtLeast,
  nameOfFinding,
  type SeverityName,
  severityNames,
} from './explanation/describe-diagnosis.ts';
import { print, printMessage } from './output.ts';

type Options = EnvironmentOptions & {
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
      'check events and catalogue for faults; exit code 2 when there are some, 3 when a check did not finish',
    )
    .requiredOption('--environment <name>', 'environment to check')
    .option('--since <time>', 'age of the oldest events, such as 12h, 7d, 4w', parseHours, 168)
    .option('--stale-after <time>', 'age from which a catalogue without a write is stale', parseHours, 168)
    .option('--json', 'print the diagnosis as JSON')
    .option('--notices', 'print notices too')
    .addOption(
      new Option('--fail-on <severity>', 'least severity that ends with exit code 2')
        .choices([...severityNames, 'never'])
        .default('warning'),
    )
    .option('--ignore <findings...>', 'findings to leave out, such as event_type_missing:batch_open', [])
    .action(serviceAction(diagnose));
}

/** Hours of `36h`, `7d` or `4w`. */
function parseHours(text: string): number {
  const [, count, unit] = /^(\d{1,5})([hdw])$/.exec(text) ?? [];
  if (count === undefined) throw new InvalidArgumentError('Write it as 36h, 7d or 4w.');
  return Number(count) * { h: 1, d: 24, w: 168 }[unit as 'h' | 'd' | 'w'];
}

async function diagnose(connection: Connection, options: Options): Promise<ExitCode> {
  const { environment, since, staleAfter, failOn, notices = failOn === 'notice', ignore } = options;
  const request = { environment, windowHours: since, staleAfterHours: staleAfter, notices };
  const answer = await connection.client(DiagnosisService).getDiagnosis(request);
  const diagnosis = without(answer.diagnosis!, ignore);
  if (options.json) await printMessage(DiagnosisSchema, diagnosis);
  else print(describeDiagnosis(diagnosis));
  if (failOn === 'never') return exitCodes.success;
  if (diagnosis.findings.some((finding) => isAtLeast(finding, failOn))) return exitCodes.differences;
  return diagnosis.unfinishedChecks.length > 0 ? exitCodes.partial : exitCodes.success;
}

/** Leaves out findings by name; a name without subject leaves out the whole check. */
function without(diagnosis: Diagnosis, ignored: readonly string[]): Diagnosis {
  const names = new Set(ignored);
  const findings = diagnosis.findings.filter(
    (finding) => !names.has(finding.check) && !names.has(nameOfFinding(finding)),
  );
  return { ...diagnosis, findings };
}
