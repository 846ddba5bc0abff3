/** The JSON that a message was decoded from, for documents that are stored and answered as they were sent. */

import type { JsonObject, Message } from '@bufbuild/protobuf';

/** Of the message itself: a WeakMap of messages costs a tenth of a post's decoding, most of it when memory is collected. */
const source = Symbol('verbatim');

type Sourced = Message & { [source]?: JsonObject };

/** The JSON that stands for this message; undefined when it came over gRPC. */
export function verbatimOf(message: Message): JsonObject | undefined {
  return (message as Sourced)[source];
}

/** Lets `json` stand for the message whenever it is encoded, where its type is `verbatim`. Returns the message. */
export function withVerbatim<T extends Message>(message: T, json: JsonObject): T {
  (message as Sourced)[source] = json;
  return message;
}
