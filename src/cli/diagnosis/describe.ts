/** A diagnosis as text for people, and which of its findings make a run fail. */

import {
  type Diagnosis,
  type Finding,
  type Severity,
  severityToJSON,
} from '../../../gen/grpc/personalisation/v1/diagnosis.ts';

export const severityNames = ['fault', 'warning', 'notice'] as const;

export type SeverityName = (typeof severityNames)[number];

/** `fault` for SEVERITY_FAULT. */
function nameOfSeverity(severity: Severity): SeverityName {
  return severityToJSON(severity).slice('SEVERITY_'.length).toLowerCase() as SeverityName;
}

/** `check`, or `check:subject` where a check has several subjects. */
export function nameOfFinding({ check, subject }: Finding): string {
  return subject === '' ? check : `${check}:${subject}`;
}

export function isAtLeast(finding: Finding, least: SeverityName): boolean {
  return severityNames.indexOf(nameOfSeverity(finding.severity)) <= severityNames.indexOf(least);
}

/** As the HTTP interface writes it. */
export function jsonOf(diagnosis: Diagnosis): object {
  const findings = diagnosis.findings.map((finding) => ({
    ...finding,
    severity: nameOfSeverity(finding.severity),
  }));
  return { ...diagnosis, findings };
}

/** A summary, then each finding with what to do about it. */
export function describeDiagnosis(diagnosis: Diagnosis): string {
  const { findings, unfinished_checks: unfinished } = diagnosis;
  const closing = [
    ...(findings.length === 0 ? ['No faults found.'] : []),
    ...(unfinished.length > 0 ? [`Not examined, for it took too long: ${unfinished.join(', ')}.`] : []),
  ];
  return [describeScope(diagnosis), ...findings.map(describeFinding), ...closing].join('\n\n');
}

function describeScope(diagnosis: Diagnosis): string {
  const { environment, event_count: count, start_time: start, end_time: end, truncated } = diagnosis;
  const share = (part: number) => `${count > 0 ? Math.round((part / count) * 100) : 0} %`;
  const events = `${truncated ? 'the newest ' : ''}${count} events`;
  return [
    `${environment}: ${events} that arrived from ${start?.toISOString()} to ${end?.toISOString()};`,
    `robots ${share(diagnosis.robot_count)}, anonymous ${share(diagnosis.anonymous_count)},`,
    `without a user ${share(diagnosis.without_user_count)}; ${diagnosis.item_count} items.`,
  ].join(' ');
}

function describeFinding(finding: Finding): string {
  const { severity, description, hint, examples } = finding;
  return [
    `${nameOfSeverity(severity).toUpperCase()}  ${nameOfFinding(finding)}`,
    `  ${description}`,
    `  → ${hint}`,
    ...examples.map((example) => `    ${printable(example)}`),
  ].join('\n');
}

/** Examples are the callers' own texts; control characters must not reach a terminal. */
function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '�');
}
