/** Reads exported events, one JSON document per line, from `personalisation export events`. */

import { type Interpretation, qualifierOf, usualInterpretation } from '../../../events/meaning.ts';
import type { InteractionEvent } from '../../../ranking/models/interactions.ts';
import { parseSeconds } from './delimited-events.ts';
import { readRecords } from './lines.ts';

type EventDocument = {
  event_type?: string;
  /** Unix seconds, or ISO 8601. */
  timestamp?: number | string;
  user_id?: string;
  device_id?: string;
  page_type?: string;
  channel?: string;
  action_item?: string;
  action_item_type?: string;
  progress?: number;
  interaction_type?: string;
  rating?: number;
};

export function readEventDocuments(path: string): AsyncGenerator<InteractionEvent> {
  return readRecords(path, (text) => parseEventDocument(text));
}

/**
 * Returns undefined for an event without item. Events without user belong to the device.
 * @param eventWeights Weights of interactions that the environment declares [none].
 */
export function parseEventDocument(
  text: string,
  eventWeights: Interpretation['eventWeights'] = {},
): InteractionEvent | undefined {
  const event: EventDocument = JSON.parse(text);
  if (event.action_item === undefined) return undefined;
  if (event.event_type === undefined || event.timestamp === undefined) {
    throw new Error('an event needs an event_type and a timestamp.');
  }
  return {
    subjectKey: event.user_id === undefined ? `d:${event.device_id}` : `u:${event.user_id}`,
    itemId: event.action_item,
    eventType: event.event_type,
    timeSeconds: parseSeconds(String(event.timestamp)),
    pageType: event.page_type,
    channel: event.channel,
    qualifier: qualifierOf(
      { eventType: event.event_type, details: event },
      { ...usualInterpretation, eventWeights },
    ),
  };
}
