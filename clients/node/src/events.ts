/**
 * Sends events in batches. Each event gets an ID and a timestamp when it is tracked, so a batch can be sent twice and is stored
 * once.
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
  /** Time of the event [now]. */
  timestamp?: Date;
};

export type EventQueueOptions = {
  /** Time that an event waits for others [500]. */
  intervalMs?: number;
  /** Events of a request, at most 10,000 [500]. */
  batchSize?: number;
  /** Maximum of queued events; the oldest are dropped beyond it [10,000]. */
  queueSize?: number;
  /** Called with events that were refused or dropped [logs a warning]. */
  onLost?: (lost: LostEvent[]) => void;
};

export type EventQueue = {
  /**
   * Queues the event at once. Rejects for an event that cannot be sent: of an unknown type, or after
   * `close`. `onLost` is called too, and the promise need not be awaited.
   */
  track(event: TrackedEvent): Promise<void>;
  /** Resolves when all tracked events are stored or refused; rejects when the service is unavailable. */
  flush(): Promise<void>;
  /** Flushes and closes the queue. Events that cannot be stored are dropped and reported. */
  close(): Promise<void>;
};

/** Pause between attempts while the service is unavailable: random, doubled each time. */
const longestPauseMs = 30_000;

/** The longest pause, even if the service asks for a longer one. */
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
    /** Node can exit while the timer runs; other runtimes lack `unref`. */
    if (typeof timer === 'object') timer.unref?.();
  }

  function flushQuietly(): void {
    flush().catch(() => undefined);
  }

  async function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    /** A flush in progress may lack events tracked since its start. */
    if (sending !== undefined) await sending.catch(() => undefined);
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    await sending;
  }

  /** Pauses grow while the service fails, also when more events are tracked. */
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
    track(given) {
      const event = toEvent(given);
      const fault = isClosed ? closed() : faultOf(given);
      if (fault) {
        onLost([{ event, error: fault }]);
        return rejected(fault);
      }
      backlog.add(event);
      if (backlog.size() >= batchSize && failureCount === 0) flushQuietly();
      else schedule(intervalMs);
      return Promise.resolve();
    },
    async close() {
      isClosed = true;
      await flush().catch((thrown) => backlog.lose(toPersonalisationError(thrown)));
    },
  };
}

/** Returns a rejected promise that a caller may ignore. */
function rejected(error: PersonalisationError): Promise<void> {
  const promise = Promise.reject(error);
  promise.catch(() => undefined);
  return promise;
}

export function toEvent({ eventType, timestamp = new Date(), ...fields }: TrackedEvent): Event {
  return create(EventSchema, {
    ...fields,
    eventId: fields.eventId ?? crypto.randomUUID(),
    eventType: typeOf(eventType) ?? EventType.UNSPECIFIED,
    timestamp: timestampFromDate(timestamp),
  });
}

function typeOf(name: EventName): EventType | undefined {
  return EventType[String(name).toUpperCase() as keyof typeof EventType];
}

function faultOf({ eventType }: TrackedEvent): PersonalisationError | undefined {
  if (typeOf(eventType)) return undefined;
  const detail = `Unknown event type ${JSON.stringify(eventType)}.`;
  const violations = [{ pointer: '/event_type', detail }];
  return new PersonalisationError('BODY_INVALID', detail, { violations });
}

const closed = () => new PersonalisationError('UNAVAILABLE', 'The client is closed.');

function warnOfLost(lost: LostEvent[]): void {
  console.warn(`personalisation: ${lost.length} events were not stored. ${lost[0].error.message}`);
}
