/** Records of an import: each is a message or JSON text. */

import { create, type DescMessage, type MessageShape } from '@bufbuild/protobuf';
import { type Refusal, RefusalSchema } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import type { Violation } from '../../errors.ts';
import { decodeJson, validateMessage } from '../../formats/codec.ts';
import { parseExact } from '../../formats/records/reading/parse-json.ts';

export type ReadRecord<Desc extends DescMessage> =
  | { message: MessageShape<Desc>; violations?: undefined }
  | { message?: undefined; violations: Violation[] };

/** Form of a record: `oneof form` in protobuf-es. */
export type RecordForm<Message> =
  | { case: 'json'; value: string }
  | { case: 'message'; value: Message }
  | { case: undefined };

export function readRecord<Desc extends DescMessage>(
  schema: Desc,
  form: RecordForm<MessageShape<Desc>>,
): ReadRecord<Desc> {
  if (form.case === undefined)
    return { violations: [{ pointer: '', detail: 'Must be given, as a message or as JSON.' }] };
  if (form.case === 'message') {
    const violations = validateMessage(schema, form.value);
    return violations.length > 0 ? { violations } : { message: form.value };
  }
  let json: unknown;
  try {
    json = parseExact(form.value);
  } catch {
    return { violations: [{ pointer: '', detail: 'Is not JSON.' }] };
  }
  const { message, violations } = decodeJson(schema, json);
  return violations.length > 0 ? { violations } : { message };
}

export function refusal(line: bigint, violations: Violation[]): Refusal {
  return create(RefusalSchema, { line, details: violations });
}
