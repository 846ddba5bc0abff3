/** The JSON that a message was decoded from, for documents that are stored and returned as sent. */

import type { JsonObject, Message } from '@bufbuild/protobuf';

/** On the message: each garbage collection visits all entries of a WeakMap. */
const source = Symbol('verbatim');

/** Includes the message, since a copy of a message copies its properties. */
type Source = { of: Message; json: JsonObject };
type Sourced = Message & { [source]?: Source };

/** Returns the JSON of a message; undefined if it came over gRPC. */
export function verbatimOf(message: Message): JsonObject | undefined {
  const known = (message as Sourced)[source];
  return known?.of === message ? known.json : undefined;
}

/** Sets the JSON that a `verbatim` message is encoded as. Returns the message. */
export function withVerbatim<T extends Message>(message: T, json: JsonObject): T {
  (message as Sourced)[source] = { of: message, json };
  return message;
}
