/**
 * Events, sent in batches. Each gets an id and its moment when it is handed in, so that a batch whose answer was lost is sent again
 * and stored once, and so that waiting does not change when it happened.
 */

import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Event, EventSchema, EventType } from '../../../gen/es/personalisation/v1/event_pb.js';
import type { CreateEventsResponse } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { isPassing, PersonalisationError, toPersonalisationError } from './errors.ts';

/** e.g. `detail_pageview`. */
export type EventName = Lowercase<Exclude<keyof typeof EventType, 'UNSPECIFIED'>>;

export type TrackedEvent = Omit<
  MessageInitShape<typeof EventSchema>,
  'eventType' | 'timestamp' | '$typeName'
> & {
  eventType: EventName;
  /** When it happened [now]. */
  timestamp?: Date;
};

export type LostEvent = { event: Event; error: PersonalisationError };

export type EventQueueOptions = {
  /** Time that an event waits for others [500]. */
  intervalMs?: number;
  /** Events of a request, at most 10,000 [500]. */
  batchSize?: number;
  /** Events that wait; beyond these the oldest are lost [10,000]. */
  queueSize?: number;
  /** Hears of events that are refused, or given up [a warning on the console]. */
  onLost?: (lost: LostEvent[]) => void;
};

export type EventQueue = {
  /** Returns at once. */
  track(event: TrackedEvent): void;
  /** Resolves when all events handed in so far are stored or refused; rejects when the service cannot take them now. */
  flush(): Promise<void>;
  /** Flushes and takes no more. What cannot be stored is lost, and said to be. */
  close(): Promise<void>;
};

export type SendEvents = (events: Event[]) => Promise<CreateEventsResponse>;

/** Between attempts while the service is away; random, and doubled each time. */
const longestPauseMs = 30_000;

export function createEventQueue(send: SendEvents, options: EventQueueOptions = {}): EventQueue {
  const { intervalMs = 500, batchSize = 500, queueSize = 10_000, onLost = warnOfLost } = options;
  const waiting: Event[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let failureCount = 0;
  let isClosed = false;

  function track(event: TrackedEvent): void {
    if (isClosed) throw new Error('The client is closed.');
    waiting.push(toEvent(event));
    if (waiting.length > queueSize)
      lose(waiting.splice(0, waiting.length - queueSize), 'UNAVAILABLE', 'Too many events wait.');
    if (waiting.length >= batchSize && failureCount === 0) void flushQuietly();
    else schedule(intervalMs);
  }

  /** Whoever waits for a failing service waits longer each time. */
  function schedule(pauseMs: number): void {
    if (timer !== undefined || isClosed) return;
    timer = setTimeout(() => void flushQuietly(), pauseMs);
    /** Node need not stay alive for it; other runtimes have no such thing. */
    if (typeof timer === 'object') timer.unref?.();
  }

  async function flushQuietly(): Promise<void> {
    try {
      await flush();
    } catch {
      const pauseMs = Math.min(longestPauseMs, intervalMs * 2 ** failureCount);
      schedule(pauseMs * (0.5 + Math.random() / 2));
    }
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    /** What came while another flush was under way is not in it. */
    if (sending !== undefined) await sending.catch(() => undefined);
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    await sending;
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) await sendBatch(waiting.slice(0, batchSize));
  }

  async function sendBatch(batch: Event[]): Promise<void> {
    try {
      const { refused } = await send(batch);
      failureCount = 0;
      remove(batch);
      if (refused.length > 0) onLost(refused.map((refusal) => toLost(batch, refusal)));
    } catch (thrown) {
      const error = toPersonalisationError(thrown);
      failureCount += 1;
      if (isPassing(error)) throw error;
      remove(batch);
      onLost(batch.map((event) => ({ event, error })));
    }
  }

  /** The oldest may have been lost meanwhile. */
  function remove(batch: Event[]): void {
    const done = new Set(batch);
    while (waiting.length > 0 && done.has(waiting[0])) waiting.shift();
  }

  function lose(events: Event[], reason: 'UNAVAILABLE', message: string): void {
    const error = new PersonalisationError(reason, message);
    onLost(events.map((event) => ({ event, error })));
  }

  async function close(): Promise<void> {
    isClosed = true;
    try {
      await flush();
    } catch (thrown) {
      const error = toPersonalisationError(thrown);
      onLost(waiting.splice(0).map((event) => ({ event, error })));
    }
  }

  return { track, flush, close };
}

export function toEvent({ eventType, timestamp = new Date(), ...fields }: TrackedEvent): Event {
  const type = EventType[eventType.toUpperCase() as keyof typeof EventType];
  if (!type) throw new PersonalisationError('BODY_INVALID', `There is no event type ${eventType}.`);
  return create(EventSchema, {
    ...fields,
    eventId: fields.eventId ?? crypto.randomUUID(),
    eventType: type,
    timestamp: timestampFromDate(timestamp),
  });
}

function toLost(batch: Event[], { index, errors }: CreateEventsResponse['refused'][number]): LostEvent {
  const violations = errors.map(({ pointer, detail }) => ({ pointer, detail }));
  const message = violations.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ');
  return { event: batch[index], error: new PersonalisationError('BODY_INVALID', message, { violations }) };
}

function warnOfLost(lost: LostEvent[]): void {
  console.warn(`personalisation: ${lost.length} events were not stored. ${lost[0].error.message}`);
}
