/** What of a message is stored: its JSON as it was sent, or a rendering of what a gRPC caller set. */

import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { encodeJson, verbatimOf } from '../../formats/codec.ts';

export type JsonDocument = Record<string, unknown>;

/** In a message an empty list is an absent one. Of what stands beside its fields in JSON, an empty array was sent as such. */
export function documentOf<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): JsonDocument {
  const verbatim = verbatimOf(message);
  if (verbatim) return verbatim;
  const isField = (name: string) => schema.fields.some((field) => field.name === name);
  const rendered = Object.entries(encodeJson(schema, message) as JsonDocument);
  return Object.fromEntries(
    rendered.filter(([name, value]) => !Array.isArray(value) || value.length > 0 || !isField(name)),
  );
}
