/** What of a message is stored: its JSON as it was sent, or a rendering of what a gRPC caller set. */

import type { DescMessage, MessageShape } from '@bufbuild/protobuf';
import { encodeJson, verbatimOf } from '../../rest/codec.ts';

export type JsonDocument = Record<string, unknown>;

/** In a message an empty list is an absent one. */
export function documentOf<Desc extends DescMessage>(
  schema: Desc,
  message: MessageShape<Desc>,
): JsonDocument {
  const verbatim = verbatimOf(message);
  if (verbatim) return verbatim;
  const rendered = Object.entries(encodeJson(schema, message) as JsonDocument);
  return Object.fromEntries(rendered.filter(([, value]) => !Array.isArray(value) || value.length > 0));
}
