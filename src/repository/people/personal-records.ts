/** Converts rows of personal data to their exported form. */

import { parseSubject } from '../../ranking/subject.ts';
import { readAllLines } from '../events/history-lines.ts';
import { type DeviceMeasure, millionths } from '../metrics/metric-measures.ts';

export type Row = Record<string, unknown>;

export const dateOf = (text: unknown) => new Date(String(text));

export function idOf(subject: unknown): object {
  const { kind, id } = parseSubject(String(subject));
  return { [`${kind}_id`]: id };
}

/** A subject without lists yet has no answer. */
export function readBatchResult({ batch_id, subject, answer }: Row): object {
  const [, request_id, user_group, version, lists] = (answer ?? []) as unknown[];
  return { batch_id, ...idOf(subject), request_id, user_group, version, lists };
}

export function readMeasures({ device_id, time, ...measures }: Row): object {
  const counted = Object.entries(measures).filter(([, value]) => value !== 0);
  const inUnits = counted.map(([name, value]) => [
    name,
    millionths.has(name as DeviceMeasure) ? Number(value) / 1e6 : value,
  ]);
  return { device_id, time, ...Object.fromEntries(inUnits) };
}

export function readHistory({
  subject,
  linked_user,
  is_claimed,
  entries,
  impressions,
  consumed,
}: Row): object {
  const linesOf = (text: unknown) =>
    readAllLines(text as string).map(({ eventType, itemType, itemId, occurredAtSeconds }) => ({
      event_type: eventType,
      item_type: itemType,
      item_id: itemId,
      timestamp: occurredAtSeconds,
    }));
  return {
    ...idOf(subject),
    ...(linked_user !== null && { [is_claimed ? 'claimed_user_id' : 'linked_user_id']: linked_user }),
    entries: linesOf(entries),
    impressions: linesOf(impressions),
    ...(consumed !== '' && { consumed: linesOf(consumed) }),
  };
}
