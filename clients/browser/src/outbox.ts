/**
 * Queues events. Each has an ID and stays in the browser's storage until the service has confirmed it. Events that a page could
 * not send, or sent by a beacon without an answer, are sent again by the next page. The service stores them once.
 */

import { createEventStore } from './event-store.ts';
import { jsonBody, PersonalisationError, post } from './service-call.ts';

export type OutboxEvent = { event_id: string; [property: string]: unknown };

/** Moments are milliseconds since the epoch by the visitor's clock. */
type Waiting = {
  event: OutboxEvent;
  /** When it was put in. */
  atMs: number;
  /** Time of the first beacon with the event, whose arrival is unknown. */
  leftAtMs?: number;
};

/** The answer to a request: which of its events cannot be stored. */
type Stored = { refused?: { index: number; errors: { pointer: string; detail: string }[] }[] };

type Sent = Stored & { isPassing?: boolean };

export type Outbox = {
  add(event: OutboxEvent): void;
  /** Resolves when nothing waits, or the service cannot take it now. */
  flush(): Promise<void>;
  /** Forgets what waits, here and in storage. */
  clear(): void;
  /** Takes over what other pages left, and listens to the page's life. */
  start(): void;
};

export type OutboxOptions = {
  /** Address of events, with the write key. */
  url: string;
  /** Distinguishes this client from others of the site. */
  name: string;
  newId: () => string;
  onError: (error: PersonalisationError) => void;
};

/** Events that happen together share a request. */
const gatherMs = 200;
const batchSize = 100;
const longestQueue = 1_000;
const timeoutMs = 10_000;

/** Browsers refuse more than 64 KiB in requests that outlive their page. */
const largestBeaconBytes = 60_000;

const firstPauseMs = 1_000;
const longestPauseMs = 60_000;

/** The service deduplicates IDs for 7 days. An event that may have arrived earlier is not sent again. */
const knownMs = 7 * 86_400_000;

/** Visitors' clocks are often wrong; only an event that waited says when it was, others get the service's time. */
const lateMs = 10_000;

export function createOutbox({ url, name, newId, onError }: OutboxOptions): Outbox {
  const store = createEventStore<Waiting>(name, newId());
  let waiting: Waiting[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let sending: Promise<void> | undefined;
  let failureCount = 0;
  let isStarted = false;

  function add(event: OutboxEvent): void {
    waiting.push({ event, atMs: Date.now() });
    waiting = waiting.slice(-longestQueue);
    store.save(waiting);
    schedule(failureCount === 0 ? gatherMs : pauseMs(failureCount));
  }

  function schedule(delayMs: number): void {
    timer ??= setTimeout(() => void flush(), delayMs);
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    sending ??= sendAll().finally(() => {
      sending = undefined;
    });
    return sending;
  }

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchSize);
      const answer = await send(url, batch, onError);
      failureCount = answer.isPassing ? failureCount + 1 : 0;
      if (answer.isPassing) return schedule(pauseMs(failureCount));
      const { again, faults } = readRefusals(batch, answer);
      waiting = waiting.filter((one) => !batch.includes(one) || again.includes(one));
      store.save(waiting);
      /** After the events left the queue, since the listener may throw. */
      for (const fault of faults) onError(fault);
    }
  }

  /** Events of a beacon remain queued, since their arrival is unknown. */
  function leave(): void {
    if (!navigator.onLine) return;
    sendBeacons(url, waiting);
    store.save(waiting);
  }

  /** Page events have one listener. */
  function start(): void {
    waiting.push(...store.adopt().filter(({ leftAtMs = Infinity }) => Date.now() - leftAtMs < knownMs));
    store.save(waiting);
    if (waiting.length > 0) schedule(gatherMs);
    if (!isStarted) listenToPage(leave, flush);
    isStarted = true;
  }

  return {
    add,
    flush,
    start,
    clear() {
      waiting = [];
      clearTimeout(timer);
      timer = undefined;
      store.clear();
    },
  };
}

function listenToPage(onLeave: () => void, onOnline: () => Promise<void>): void {
  addEventListener('pagehide', onLeave);
  addEventListener('online', () => void onOnline());
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'hidden') onLeave();
  });
}

/** Returns the answer, or whether the failure may pass. */
async function send(url: string, batch: Waiting[], onError: OutboxOptions['onError']): Promise<Sent> {
  try {
    return await post<Stored>(url, bodyOf(batch), { timeoutMs });
  } catch (thrown) {
    const error = thrown as PersonalisationError;
    onError(error);
    return { isPassing: error.isPassing };
  }
}

function pauseMs(failureCount: number): number {
  return Math.min(longestPauseMs, firstPauseMs * 2 ** failureCount) * (0.5 + Math.random() / 2);
}

/**
 * Returns why events were refused, and those to send again: a future timestamp of the visitor's clock
 * is replaced by the time now.
 */
function readRefusals(batch: Waiting[], { refused = [] }: Stored) {
  const again: Waiting[] = [];
  const faults: PersonalisationError[] = [];
  for (const { index, errors } of refused) {
    const { event } = batch[index];
    if (!event.timestamp && errors.every(({ pointer }) => pointer === '/timestamp')) {
      batch[index].atMs = Date.now();
      again.push(batch[index]);
      continue;
    }
    const words = errors.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' ');
    faults.push(new PersonalisationError('BODY_INVALID', 400, `${event.event_type}: ${words}`));
  }
  return { again, faults };
}

/** As much as a page may send that is being left. */
function sendBeacons(url: string, waiting: Waiting[]): void {
  let rest = waiting;
  while (rest.length > 0) {
    let size = Math.min(rest.length, batchSize);
    let body = jsonBody(bodyOf(rest.slice(0, size)));
    for (; body.size > largestBeaconBytes && size > 1; body = jsonBody(bodyOf(rest.slice(0, size))))
      size = Math.ceil(size / 2);
    if (!navigator.sendBeacon(url, body)) return;
    for (const one of rest.slice(0, size)) one.leftAtMs ??= Date.now();
    rest = rest.slice(size);
  }
}

function bodyOf(batch: Waiting[]): { events: OutboxEvent[] } {
  const events = batch.map(({ event, atMs }) =>
    Date.now() - atMs < lateMs ? event : { timestamp: new Date(atMs).toISOString(), ...event },
  );
  return { events };
}
