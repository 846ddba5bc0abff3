/** A value of metadata as a message. */
export function valueMessage(value: string | number | boolean) {
  if (typeof value === 'string') return { kind: { case: 'stringValue' as const, value } };
  if (typeof value === 'number') return { kind: { case: 'numberValue' as const, value } };
  return { kind: { case: 'boolValue' as const, value } };
}
