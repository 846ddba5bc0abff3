/** Limits the size of unary answers (`limits.answer_bytes`). */

import { DomainError } from '../../errors.ts';
import type { Call } from './call.ts';

/** Refuses an answer that is too large before it is encoded, by its texts. */
export type AnswerBudget = {
  /** @param characters At most the number of encoded bytes. @throws ANSWER_TOO_LARGE */
  take(characters: number): void;
};

export function createAnswerBudget({ answerBytes }: Pick<Call, 'answerBytes'>): AnswerBudget {
  let taken = 0;
  return {
    take(characters) {
      taken += characters;
      if (answerBytes !== undefined && taken > answerBytes) throw answerTooLarge(answerBytes);
    },
  };
}

/** @throws ANSWER_TOO_LARGE unless an encoded answer is within the limit of its call. */
export function checkAnswerSize(
  { answerBytes, holdsOneElement }: Pick<Call, 'answerBytes' | 'holdsOneElement'>,
  byteCount: number,
): void {
  if (answerBytes !== undefined && byteCount > answerBytes && !holdsOneElement)
    throw answerTooLarge(answerBytes);
}

function answerTooLarge(answerBytes: number): DomainError {
  const message = `The answer is larger than ${answerBytes} bytes. Ask for fewer fields, a smaller limit or fewer lists.`;
  return new DomainError('ANSWER_TOO_LARGE', message, { metadata: { limit_bytes: String(answerBytes) } });
}
