/** The compact form of answers in the parts of a batch, which is expanded when they are read. */

import type { List } from '../../ranking/lists/recommendation-request.ts';

/** The answer to one subject. */
export type Answered = [
  subject: string,
  requestId: string,
  userGroup: string,
  version: string,
  lists: AnsweredList[],
];

/** A list; `ranks` only when injected items left gaps. */
export type AnsweredList = [items: [itemId: string, itemType: string][], ranks?: number[]];

export function answeredList({ items }: Pick<List, 'items'>): AnsweredList {
  const named = items.map(({ itemId, itemType }): [string, string] => [itemId, itemType]);
  const hasGaps = items.some(({ rank }, place) => rank !== place + 1);
  return hasGaps ? [named, items.map(({ rank }) => rank)] : [named];
}

export type NamedPerson = { userId?: string; deviceId?: string };

export function personOf(subject: string): NamedPerson {
  const id = subject.slice(2);
  return subject.startsWith('u:') ? { userId: id } : { deviceId: id };
}
