/** Position in the events of an environment, as text that is opaque to callers. */

import { DomainError } from '../../errors.ts';
import type { Position } from '../../repository/feeds.ts';

const feedKey = /^\d{1,9}\.\d{1,9}$/;

export function writePosition(position: Position): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

/** @throws BODY_INVALID for a text that no answer contained. */
export function readPosition(text: string): Position {
  const position = parse(text);
  const isPosition =
    typeof position === 'object' &&
    position !== null &&
    Object.entries(position).every(([key, number]) => feedKey.test(key) && Number.isSafeInteger(number));
  if (isPosition) return position as Position;
  const detail = 'Must be the position of an answer.';
  throw new DomainError('BODY_INVALID', `/position: ${detail}`, {
    violations: [{ pointer: '/position', detail }],
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}
