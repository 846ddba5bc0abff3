/** What is wrong with a request, collected on the way through it. */

import type { ErrorReason, Violation } from '../../errors.ts';

/** Most faults that are reported of one request. */
export const maxViolationCount = 100;

/** Most faults that are reported of each element of a list whose elements are judged one by one: as many as it has fields. */
export const maxElementViolationCount = 30;

/** Longer property names are cut in pointers and sentences, so that answers stay small. */
const maxSegmentLength = 256;
const maxShownLength = 64;

export type Place = 'body' | 'path' | 'query';

export type Findings = {
  readonly violations: Violation[];
  /** Where we are: property names and positions from the root of the place. */
  readonly trail: (string | number)[];
  place: Place;
  /** Faults beyond this number are not noted. */
  capacity: number;
  /** The elements of the body's list are judged one by one: a fault in one must not hide a fault in another. */
  perElement: boolean;
  /** A reason that weighs more than BODY_INVALID and PARAMETER_INVALID. */
  graver: ErrorReason | undefined;
};

export function createFindings(place: Place = 'body'): Findings {
  return {
    violations: [],
    trail: [],
    place,
    capacity: maxViolationCount,
    perElement: false,
    graver: undefined,
  };
}

/** Notes a fault where we are, or in the property `name` of it. */
export function report(findings: Findings, detail: string, name?: string): void {
  if (isFull(findings)) return;
  const { trail, place } = findings;
  const segments = name === undefined ? trail : [...trail, name];
  findings.violations.push({ pointer: pointerOf(place, segments), detail });
}

export function isFull(findings: Findings): boolean {
  return findings.violations.length >= findings.capacity;
}

/** Makes room for more faults than those found so far. */
export function makeRoom(findings: Findings, count: number): void {
  findings.capacity = findings.violations.length + count;
}

/** The reason that a request with these faults fails with. */
export function reasonOf(violations: readonly Violation[]): ErrorReason {
  const isParameter = ({ pointer }: Violation) => pointer.startsWith('query:') || pointer.startsWith('path:');
  return violations.length > 0 && violations.every(isParameter) ? 'PARAMETER_INVALID' : 'BODY_INVALID';
}

/** A caller's name as our sentences may show it. */
export function shown(name: string): string {
  return cut(name, maxShownLength);
}

function cut(name: string, maxLength: number): string {
  const short = name.length > maxLength ? `${name.slice(0, maxLength)}…` : name;
  return short.toWellFormed();
}

function pointerOf(place: Place, segments: readonly (string | number)[]): string {
  const names = segments.map((segment) => cut(String(segment), maxSegmentLength));
  if (place !== 'body') return `${place}:${names.join('.')}`;
  return names.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
