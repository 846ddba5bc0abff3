/** Queues events and sends the oldest first. An event leaves when it is stored, refused, or dropped from a full queue. */

import type { Event } from '../../../gen/es/personalisation/v1/event_pb.js';
import type { CreateEventsResponse } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { isPassing, PersonalisationError, toPersonalisationError } from './errors.ts';

export type LostEvent = { event: Event; error: PersonalisationError };

export type SendEvents = (events: Event[]) => Promise<CreateEventsResponse>;

export type EventBacklog = {
  add(event: Event): void;
  size(): number;
  /** Sends the events queued now. Rejects and keeps the rest when the service is unavailable. */
  send(): Promise<void>;
  /** Drops the queued events. */
  lose(error: PersonalisationError): void;
};

export type EventBacklogOptions = {
  send: SendEvents;
  batchSize: number;
  /** Maximum of queued events; the oldest are dropped beyond it. */
  queueSize: number;
  onLost: (lost: LostEvent[]) => void;
};

export function createEventBacklog({
  send,
  batchSize,
  queueSize,
  onLost,
}: EventBacklogOptions): EventBacklog {
  const waiting: Event[] = [];
  const tellLost = (events: Event[], error: PersonalisationError) => {
    if (events.length > 0) onLost(events.map((event) => ({ event, error })));
  };

  async function sendBatch(batch: Event[]): Promise<void> {
    try {
      const { refused } = await send(batch);
      remove(batch);
      if (refused.length > 0) onLost(refused.map((refusal) => toLost(batch, refusal)));
    } catch (thrown) {
      const error = toPersonalisationError(thrown);
      if (isPassing(error)) throw error;
      remove(batch);
      tellLost(batch, error);
    }
  }

  /** The oldest may have been dropped meanwhile. */
  function remove(batch: Event[]): void {
    const done = new Set(batch);
    while (waiting.length > 0 && done.has(waiting[0])) waiting.shift();
  }

  return {
    size: () => waiting.length,
    add(event) {
      waiting.push(event);
      const tooMany = waiting.splice(0, Math.max(0, waiting.length - queueSize));
      tellLost(tooMany, new PersonalisationError('UNAVAILABLE', 'Too many events wait.'));
    },
    async send() {
      for (let left = waiting.length; left > 0; left -= batchSize) {
        const batch = waiting.slice(0, Math.min(left, batchSize));
        if (batch.length > 0) await sendBatch(batch);
      }
    },
    lose: (error) => tellLost(waiting.splice(0), error),
  };
}

function toLost(batch: Event[], { index, errors }: CreateEventsResponse['refused'][number]): LostEvent {
  const violations = errors.map(({ pointer, detail }) => ({ pointer, detail }));
  const message = violations.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ');
  return { event: batch[index], error: new PersonalisationError('BODY_INVALID', message, { violations }) };
}
