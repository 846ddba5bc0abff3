/** Records of a stream, such as a topic of Kafka, on their way to events or items. */

import type { Violation } from '../../errors.ts';
import type { StreamRange } from '../../repository/events/stream-offsets.ts';
import type { RecordForm } from './import-records.ts';

export type RefusedRecord = { index: number; violations: Violation[] };

export type ReceivedRecords = {
  environment: string;
  /** `json`, `protobuf` or `debezium`. */
  format: string;
  range: StreamRange;
  /** The records of the range in order; null for a tombstone. */
  values: readonly (Uint8Array | null)[];
  /** Takes the faulty records before the others are stored. */
  refuse(records: readonly RefusedRecord[]): Promise<void>;
};

/** Reads a value as a message by `decode`, or as JSON; undefined for a tombstone. A faulty message has no form. */
export function readForm<Message>(
  value: Uint8Array | null,
  decode: false | ((bytes: Uint8Array) => Message),
): RecordForm<Message> | undefined {
  if (value === null) return undefined;
  if (!decode) return { case: 'json', value: new TextDecoder().decode(value) };
  try {
    return { case: 'message', value: decode(value) };
  } catch {
    return { case: undefined };
  }
}
