/** Values of messages. */

import { type Timestamp, timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';

/** Returns the member of an enum with a stored name, such as `running`. */
export const enumValue = <Name extends string, Members extends Record<Uppercase<Name>, unknown>>(
  members: Members,
  name: Name,
): Members[Uppercase<Name>] => members[name.toUpperCase() as Uppercase<Name>];

export const timeOf = (moment: Date | null | undefined): Timestamp | undefined =>
  moment ? timestampFromDate(moment) : undefined;

export function valueMessage(value: string | number | boolean) {
  if (typeof value === 'string') return { kind: { case: 'stringValue' as const, value } };
  if (typeof value === 'number') return { kind: { case: 'numberValue' as const, value } };
  return { kind: { case: 'boolValue' as const, value } };
}

/** Whether a property has string values that items share. */
export function holdsTexts(
  key: string | undefined,
  { properties }: Pick<EnvironmentSettings, 'properties'>,
): boolean {
  const type = properties.get(key ?? '')?.type;
  return key === 'categories' || type === 'string' || type === 'string[]';
}
