/** Checks the limits of FieldShape, alike on all transports. */

import type { FieldPlan } from './field-plan.ts';
import { type Findings, report } from './findings.ts';
import { normalisePath } from './paths.ts';

export const presenceDetail = 'A value is required.';
const emptyDetail = 'Must not be empty.';

/** Checks a string that is a field's value or an element. */
export function checkText(field: FieldPlan, value: string, findings: Findings): void {
  checkString(value, field.maxLength, findings);
  if (value === '' && field.required && !field.explicit && field.container === 'one')
    report(findings, emptyDetail);
  else if (field.alternatives !== undefined && !field.alternatives.has(value))
    report(findings, `Must be one of: ${[...field.alternatives].join(', ')}.`);
  else if (field.path && (value === '' || normalisePath(value) !== value))
    report(findings, 'Must be names joined with `/`, without empty ones or spaces around them.');
}

/** Checks the length in UTF-16 code units, and that protobuf and the database can store it. */
export function checkString(value: string, maxLength: number, findings: Findings): void {
  if (value.length > maxLength) report(findings, `Must be at most ${maxLength} characters long.`);
  else if (!isStorable(value)) report(findings, 'Must not contain NUL characters or unpaired surrogates.');
}

function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

/** Checks that a number is within minimum and maximum, inclusive. */
export function checkNumber(field: FieldPlan, value: number, findings: Findings): void {
  if (!Number.isFinite(value)) report(findings, 'Must be finite, and as an integer below 2^53.');
  else if (value < field.minimum) report(findings, `Must be at least ${field.minimum}.`);
  else if (value > field.maximum) report(findings, `Must be at most ${field.maximum}.`);
  else if (value === 0 && field.required && !field.explicit && field.container === 'one')
    report(findings, presenceDetail);
}

/** Checks the number of elements; returns false if there are too many to visit. */
export function checkCount(field: FieldPlan, count: number, findings: Findings): boolean {
  if (count > field.maxItems) {
    report(findings, `Must have at most ${field.maxItems} elements.`);
    return false;
  }
  if (count === 0 && (field.nonEmpty || (field.required && field.container !== 'one')))
    report(findings, emptyDetail);
  return true;
}
