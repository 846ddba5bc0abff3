/** Stored form of a message: its JSON as sent, or a rendering of a gRPC message. */

import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { encodeJson, verbatimOf } from '../../formats/codec.ts';

export type JsonDocument = Record<string, unknown>;

/** Renders empty lists as absent, since messages cannot distinguish them. */
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
