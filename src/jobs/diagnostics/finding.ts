/** Findings of a diagnosis and their severity. */

export type Severity = 'notice' | 'warning' | 'fault';

export type Finding = {
  /** Name of the check, as listed in docs/operations.md. */
  check: string;
  severity: Severity;
  /** For checks that report several findings, such as an event type. */
  subject?: string;
  count: number;
  /** Total that `count` is a part of; absent when a share makes no sense. */
  ofCount?: number;
  description: string;
  hint: string;
  /** Items, lists, requests and devices; never users. */
  examples: string[];
};

const severityOrder: readonly Severity[] = ['fault', 'warning', 'notice'];

export function sortFindings(findings: readonly Finding[]): Finding[] {
  return severityOrder.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
}

/** Shares from which a finding is a warning or a fault. */
export type Shares = { warning: number; fault: number };

/** For mistakes that occasionally happen in any integration. */
const ordinaryShares: Shares = { warning: 0.01, fault: 0.2 };

export function severityOf(count: number, ofCount: number, shares: Shares = ordinaryShares): Severity {
  const share = ofCount > 0 ? count / ofCount : 1;
  if (share >= shares.fault) return 'fault';
  return share >= shares.warning ? 'warning' : 'notice';
}

type Share = Omit<Finding, 'severity' | 'ofCount' | 'description'> & {
  ofCount: number;
  /** By the share, unless it is given. */
  severity?: Severity;
  shares?: Shares;
  noun: string;
  /** The rest of the description. */
  predicate: string;
};

/** Describes a part of a total: `3 of 40 clicks (7.5 %) have no impression.` */
export function shareFinding({ shares, noun, predicate, ...finding }: Share): Finding {
  const { count, ofCount, severity = severityOf(count, ofCount, shares) } = finding;
  const percent = ofCount > 0 ? (count / ofCount) * 100 : 100;
  const share = `${count} of ${ofCount} ${noun} (${percent.toFixed(percent < 10 ? 1 : 0)} %)`;
  return { ...finding, severity, description: `${share} ${predicate}` };
}
