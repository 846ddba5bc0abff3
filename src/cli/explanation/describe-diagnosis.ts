/** A diagnosis as text, and the severity of its findings. */

import { type Diagnosis, type Finding, Severity } from '../../../gen/es/personalisation/v1/diagnosis_pb.js';
import { joinParts, momentOf } from '../output.ts';

export const severityNames = ['fault', 'warning', 'notice'] as const;

export type SeverityName = (typeof severityNames)[number];

/** Returns `check`, or `check:subject` where a check has several subjects. */
export function nameOfFinding({ check, subject }: Finding): string {
  return joinParts([check, subject], ':');
}

export function isAtLeast({ severity }: Finding, least: SeverityName): boolean {
  const name = Severity[severity].toLowerCase() as SeverityName;
  return severityNames.indexOf(name) <= severityNames.indexOf(least);
}

/** Returns a summary, then each finding with its remedy. */
export function describeDiagnosis(diagnosis: Diagnosis): string {
  const { findings, unfinishedChecks } = diagnosis;
  const closing = [
    ...(findings.length === 0 ? ['No faults found.'] : []),
    ...(unfinishedChecks.length > 0 ? [`Not examined in time: ${unfinishedChecks.join(', ')}.`] : []),
  ];
  return [describeScope(diagnosis), ...findings.map(describeFinding), ...closing].join('\n\n');
}

function describeScope(diagnosis: Diagnosis): string {
  const { environment, eventCount: count, startTime, endTime, truncated } = diagnosis;
  const share = (part: number) => `${count > 0 ? Math.round((part / count) * 100) : 0} %`;
  const events = `${truncated ? 'the newest ' : ''}${count} events`;
  return [
    `${environment}: ${events} that arrived from ${momentOf(startTime)} to ${momentOf(endTime)};`,
    `robots ${share(diagnosis.robotCount)}, anonymous ${share(diagnosis.anonymousCount)},`,
    `without a user ${share(diagnosis.withoutUserCount)}; ${diagnosis.itemCount} items.`,
  ].join(' ');
}

function describeFinding(finding: Finding): string {
  const { severity, description, hint, examples } = finding;
  return [
    `${Severity[severity]}  ${nameOfFinding(finding)}`,
    `  ${description}`,
    `  → ${hint}`,
    ...examples.map((example) => `    ${printable(example)}`),
  ].join('\n');
}

/** Examples contain text of callers; control characters must not reach a terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '�');
}
