/** Writes stored events as JSON that an import reads. */

import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';
import type { ExportEventsRequest } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import type { Database } from '../../repository/database.ts';
import { type StreamedEvent, streamEvents } from '../../repository/events/event-stream.ts';
import { derivedEventId, formatPosition } from '../../repository/events/log-positions.ts';
import { inParts } from '../messages/message-parts.ts';

export async function* exportEvents(db: Database, requests: AsyncIterable<ExportEventsRequest>) {
  const dateOf = (time: Timestamp | undefined) => time && timestampDate(time);
  for await (const { environment, from, to } of requests) {
    const range = { from: dateOf(from), to: dateOf(to), withDetails: true };
    for await (const events of streamEvents(db, environment, range))
      for (const json of inParts(events.map(identifiedJson), (text) => text.length)) yield { json };
  }
}

/** Returns the event as sent, with its time, so that an import does not date it anew. */
export function exportedJson({ details, occurredAtMs }: ExportedEvent, identity: object = {}): string {
  const document = details as Record<string, unknown>;
  return JSON.stringify({ ...document, timestamp: document.timestamp ?? occurredAtMs / 1000, ...identity });
}

type ExportedEvent = Pick<StreamedEvent, 'details' | 'occurredAtMs'>;

/** Adds the identity of the event, so that an import does not store it again. */
function identifiedJson(event: StreamedEvent): string {
  const event_id = (event.details as Record<string, unknown>).event_id ?? derivedEventId(event);
  return exportedJson(event, { event_id, log_position: formatPosition(event) });
}
