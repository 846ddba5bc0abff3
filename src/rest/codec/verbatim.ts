/** The JSON that a message was decoded from, for documents that are stored and answered as they were sent. */

import type { JsonObject, Message } from '@bufbuild/protobuf';

const sources = new WeakMap<Message, JsonObject>();

/** The JSON that stands for this message; undefined when it came over gRPC. */
export function verbatimOf(message: Message): JsonObject | undefined {
  return sources.get(message);
}

/** Lets `json` stand for the message whenever it is encoded, where its type is `verbatim`. Returns the message. */
export function withVerbatim<T extends Message>(message: T, json: JsonObject): T {
  sources.set(message, json);
  return message;
}
