/** Reads events from lines `user item item …`: one line per user, without times or types. */

import type { InteractionEvent } from '../../../ranking/models/interactions.ts';
import { untypedEvent } from './delimited-events.ts';
import { readLines } from './lines.ts';

export async function* readItemLists(path: string, timeSeconds = 0): AsyncGenerator<InteractionEvent> {
  for await (const line of readLines(path)) {
    const [subjectKey, ...items] = line.trim().split(/\s+/);
    for (const itemId of items) yield { subjectKey, itemId, timeSeconds, eventType: untypedEvent };
  }
}
