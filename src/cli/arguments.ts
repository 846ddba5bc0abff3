/** Parsers of arguments and options. */

import { type DescMessage, type JsonObject, type JsonValue, ScalarType } from '@bufbuild/protobuf';
import { InvalidArgumentError } from 'commander';

/** A whole number from 1. */
export function parseCount(text: string): number {
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('It must be a whole number from 1.');
}

export function parseWhole(least: number, most: number): (text: string) => number {
  return (text) => {
    const count = Number(text);
    /** JavaScript reads empty text as 0. */
    if (text.trim() !== '' && Number.isInteger(count) && count >= least && count <= most) return count;
    throw new InvalidArgumentError(`It must be ${least} to ${most}.`);
  };
}

/** ISO 8601: a month, a day, or a time of a day. */
const momentPattern =
  /^(\d{4}-\d{2})(?:(-\d{2})(?:[Tt ](\d{2})(:\d{2})?(:\d{2}(?:\.\d+)?)?([Zz]|[+-]\d{2}:?\d{2})?)?)?$/;

/** A moment; without an offset it is UTC, wherever the command runs. */
export function parseMoment(text: string): Date {
  const [, month, day = '-01', hour = '00', minute = ':00', second = ':00', offset = 'Z'] =
    momentPattern.exec(text) ?? [];
  const midnight = new Date(`${month}${day}T00:00:00Z`);
  const moment = new Date(`${month}${day}T${hour}${minute}${second}${offset.toUpperCase()}`);
  /** JavaScript reads the 30th of February as the 2nd of March. */
  const isInCalendar =
    !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(`${month}${day}`);
  if (isInCalendar && !Number.isNaN(moment.getTime())) return moment;
  throw new InvalidArgumentError('It must be a time such as 2026-11-20T09:30:00Z.');
}

/** Elements separated by commas; empty ones are left out. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '');
}

/** Splits `name=value` at the first sign. @param option Named in the error. */
export function parseAssignment(assignment: string, option: string, form = 'name=value'): [string, string] {
  const [, name, value] = /^([^=]+)=(.*)$/s.exec(assignment) ?? [];
  if (name === undefined) throw new Error(`${option} ${assignment}: write it as ${form}.`);
  return [name, value];
}

/**
 * Reads `name=value` assignments; several values of one name become an array. Values that look like numbers or booleans
 * are read as such.
 *
 * @param texts Names whose values are always text.
 */
export function parseVariables(
  assignments: readonly string[],
  option = '--set',
  texts: ReadonlySet<string> = new Set(),
): JsonObject | undefined {
  const variables: JsonObject = {};
  for (const assignment of assignments) {
    const [name, text] = parseAssignment(assignment, option);
    const value = texts.has(name) ? text : readValue(text);
    variables[name] = Object.hasOwn(variables, name) ? [variables[name], value].flat() : value;
  }
  return assignments.length > 0 ? variables : undefined;
}

/** A number as JSON writes it; 007 is an ID. */
const numberPattern = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** A number with more digits than JavaScript keeps is an ID too. */
function readValue(text: string): JsonValue {
  const isNumber = numberPattern.test(text) && Math.abs(Number(text)) <= Number.MAX_SAFE_INTEGER;
  return isNumber || text === 'true' || text === 'false' ? JSON.parse(text) : text;
}

/** Names of the fields that contain text: an ID may look like a number. */
export function textFieldsOf({ fields }: DescMessage): ReadonlySet<string> {
  return new Set(fields.filter(({ scalar }) => scalar === ScalarType.STRING).map(({ name }) => name));
}
