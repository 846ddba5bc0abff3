/** What a diagnosis is made of, and how bad a share is. */

export type Severity = 'notice' | 'warning' | 'fault';

export type Finding = {
  /** Name of the check; docs/operations.md has them all. */
  check: string;
  severity: Severity;
  /** What it is about, when the check has several subjects. */
  subject?: string;
  count: number;
  /** Of how many; absent when a share makes no sense. */
  ofCount?: number;
  description: string;
  hint: string;
  /** Items, lists, requests and devices; never users. */
  examples: string[];
};

const severityOrder: readonly Severity[] = ['fault', 'warning', 'notice'];

/** The worst first; otherwise as they were found. */
export function sortFindings(findings: readonly Finding[]): Finding[] {
  return severityOrder.flatMap((severity) => findings.filter((finding) => finding.severity === severity));
}

/** Shares from which something is a warning and a fault. */
export type Shares = { warning: number; fault: number };

/** For what should not happen at all, but does now and then in any integration. */
export const ordinaryShares: Shares = { warning: 0.01, fault: 0.2 };

export function severityOf(count: number, ofCount: number, shares: Shares = ordinaryShares): Severity {
  const share = ofCount > 0 ? count / ofCount : 1;
  if (share >= shares.fault) return 'fault';
  return share >= shares.warning ? 'warning' : 'notice';
}

/** `3 of 40 clicks (7.5 %)`. */
export function describeShare(count: number, ofCount: number, noun: string): string {
  const percent = ofCount > 0 ? (count / ofCount) * 100 : 100;
  const digits = percent < 10 ? 1 : 0;
  return `${count} of ${ofCount} ${noun} (${percent.toFixed(digits)} %)`;
}
