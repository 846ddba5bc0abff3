/** Events as the service exports them: one JSON document a line, from `personalisation export events`. */

import type { InteractionEvent } from '../../models/interactions.ts';
import { readLines } from './lines.ts';

type EventDocument = {
  event_type: string;
  timestamp: string;
  user_id?: string;
  device_id?: string;
  page_type?: string;
  channel?: string;
  action_item?: string;
  action_item_type?: string;
  progress?: number;
};

/** Events without an item say nothing about items; events without a user belong to their device. */
export async function* readEventDocuments(path: string): AsyncGenerator<InteractionEvent> {
  for await (const line of readLines(path)) {
    const event: EventDocument = JSON.parse(line);
    if (event.action_item === undefined) continue;
    yield {
      subjectKey: event.user_id === undefined ? `d:${event.device_id}` : `u:${event.user_id}`,
      itemId: event.action_item,
      eventType: event.event_type,
      timeSeconds: Date.parse(event.timestamp) / 1000,
      pageType: event.page_type,
      channel: event.channel,
      progress: event.progress,
    };
  }
}
