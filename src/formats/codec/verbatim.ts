/** The JSON that a message was decoded from, for documents that are stored and answered as they were sent. */

import type { JsonObject, Message } from '@bufbuild/protobuf';

/** Kept at the message itself: of a WeakMap every collection of memory goes through all entries, and an event has one each. */
const source = Symbol('verbatim');

/** With the message that it stands for, since a copy of a message takes its properties along. */
type Source = { of: Message; json: JsonObject };
type Sourced = Message & { [source]?: Source };

/** The JSON that stands for this message; undefined when it came over gRPC. */
export function verbatimOf(message: Message): JsonObject | undefined {
  const known = (message as Sourced)[source];
  return known?.of === message ? known.json : undefined;
}

/** Lets `json` stand for the message whenever it is encoded, where its type is `verbatim`. Returns the message. */
export function withVerbatim<T extends Message>(message: T, json: JsonObject): T {
  (message as Sourced)[source] = { of: message, json };
  return message;
}
