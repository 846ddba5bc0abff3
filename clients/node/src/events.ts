/**
 * Events, sent in batches. Each gets an id and its moment when it is handed in, so that a batch whose answer was lost is sent again
 * and stored once, and so that waiting does not change when it happened.
 */

import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { type Event, EventSchema, EventType } from '../../../gen/es/personalisation/v1/event_pb.js';
import { PersonalisationError, toPersonalisationError } from './errors.ts';
import { createEventBacklog, type LostEvent, type SendEvents } from './event-backlog.ts';

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

/** Between attempts while the service is away; random, and doubled each time. */
const longestPauseMs = 30_000;

/** Whoever asks to wait longer is asked again by then. */
const longestAskedPauseMs = 60_000;

export function createEventQueue(send: SendEvents, options: EventQueueOptions = {}): EventQueue {
  const { intervalMs = 500, batchSize = 500, queueSize = 10_000, onLost = warnOfLost } = options;
  const backlog = createEventBacklog({ send, batchSize, queueSize, onLost });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let failureCount = 0;
  let isClosed = false;

  function schedule(pauseMs: number): void {
    if (timer !== undefined || isClosed) return;
    timer = setTimeout(flushQuietly, pauseMs);
    /** Node need not stay alive for it; other runtimes have no such thing. */
    if (typeof timer === 'object') timer.unref?.();
  }

  function flushQuietly(): void {
    flush().catch(() => undefined);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    /** What came while another flush was under way may not be in it. */
    if (sending !== undefined) await sending.catch(() => undefined);
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    await sending;
  }

  /** Whoever waits for a failing service waits longer each time, also when more came meanwhile. */
  function retryLater({ retryAfterMs = 0 }: PersonalisationError): void {
    clearTimeout(timer);
    timer = undefined;
    const askedMs = Math.min(longestAskedPauseMs, retryAfterMs);
    const pauseMs = Math.min(longestPauseMs, intervalMs * 2 ** failureCount);
    schedule(askedMs + pauseMs * (0.5 + Math.random() / 2));
  }

  async function sendAll(): Promise<void> {
    try {
      await backlog.send();
      failureCount = 0;
    } catch (error) {
      failureCount += 1;
      retryLater(toPersonalisationError(error));
      throw error;
    }
  }

  return {
    flush,
    track(event) {
      if (isClosed) throw new Error('The client is closed.');
      backlog.add(toEvent(event));
      if (backlog.size() >= batchSize && failureCount === 0) flushQuietly();
      else schedule(intervalMs);
    },
    async close() {
      isClosed = true;
      await flush().catch((thrown) => backlog.lose(toPersonalisationError(thrown)));
    },
  };
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

function warnOfLost(lost: LostEvent[]): void {
  console.warn(`personalisation: ${lost.length} events were not stored. ${lost[0].error.message}`);
}
