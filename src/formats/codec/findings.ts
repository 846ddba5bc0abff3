import { type ErrorReason, pointerStep, type Violation } from '../../errors.ts';
import { nearestName } from '../../nearest-name.ts';

/** Maximum violations reported for a request. */
export const maxViolationCount = 100;

/** Maximum violations reported for each separately checked element; no element has more fields. */
const maxElementViolationCount = 30;

/** Longer property names are cut in pointers and messages, so that answers stay small. */
const maxSegmentLength = 256;
const maxShownLength = 64;

export type Place = 'body' | 'path' | 'query';

export type Findings = {
  readonly violations: Violation[];
  /** Current path: property names and positions from the root of the place. */
  readonly trail: (string | number)[];
  place: Place;
  /** Further violations are dropped. */
  capacity: number;
  /** Whether elements are checked separately, so that one cannot hide violations of another. */
  perElement: boolean;
  /** A reason that takes precedence over BODY_INVALID and PARAMETER_INVALID. */
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

/** Adds a violation at the current path, or at its property `name`. */
export function report(findings: Findings, detail: string, name?: string): void {
  if (isFull(findings)) return;
  const { trail, place } = findings;
  const segments = name === undefined ? trail : [...trail, name];
  findings.violations.push({ pointer: pointerOf(place, segments), detail });
}

/** Visits elements until the findings are full; separately checked ones have their own limit. */
export function visitElements(
  findings: Findings,
  elementCount: number,
  visit: (index: number) => void,
): void {
  const isPerElement = findings.perElement && findings.trail.length === 1;
  for (let index = 0; index < elementCount; index++) {
    if (isPerElement) allowMore(findings, maxElementViolationCount);
    else if (isFull(findings)) break;
    findings.trail.push(index);
    visit(index);
    findings.trail.pop();
  }
  if (isPerElement) allowMore(findings, maxViolationCount);
}

export function isFull(findings: Findings): boolean {
  return findings.violations.length >= findings.capacity;
}

/** Allows more violations than found so far. */
function allowMore(findings: Findings, count: number): void {
  findings.capacity = findings.violations.length + count;
}

/** Returns the reason of a request with these violations. */
export function reasonOf(violations: readonly Violation[]): ErrorReason {
  const isParameter = ({ pointer }: Violation) => pointer.startsWith('query:') || pointer.startsWith('path:');
  return violations.length > 0 && violations.every(isParameter) ? 'PARAMETER_INVALID' : 'BODY_INVALID';
}

/** Says that a name is unknown, and which one was probably meant. */
export function unknownName(kind: string, name: string, known: Iterable<string>): string {
  const nearest = nearestName(name, known);
  const hint = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`;
  return `There is no ${kind} \`${shown(name)}\`.${hint}`;
}

/** Shortens a caller's name for a message. */
function shown(name: string): string {
  return cut(name, maxShownLength);
}

function cut(name: string, maxLength: number): string {
  const short = name.length > maxLength ? `${name.slice(0, maxLength)}…` : name;
  return short.toWellFormed();
}

function pointerOf(place: Place, segments: readonly (string | number)[]): string {
  const names = segments.map((segment) => cut(String(segment), maxSegmentLength));
  if (place !== 'body') return `${place}:${names.join('.')}`;
  return names.map(pointerStep).join('');
}
