/**
 * Folds stored events into histories and counts beside the requests: soon, but many at once.
 *
 * An event is in its person's next list at once, on this node from memory, on others when it is folded. Metrics are folded when they are
 * asked for. When storing outruns folding, storing waits.
 */

import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import { DomainError } from '../errors.ts';
import type { Database } from '../repository/database.ts';
import {
  type FoldOptions,
  findFoldProgress,
  foldEvents,
  foldStep,
} from '../repository/events/event-folding.ts';
import type { UnfoldedEvents } from '../repository/events/unfolded-events.ts';
import type { AttributionWindow } from '../repository/metrics/metric-batch.ts';

/** From one fold to the next, while there is something of this node's to fold. */
const pauseMs = 200;
/** From one look at what other nodes left to the next. */
const idleMs = 1_000;
/** After a failure. */
const retryMs = 1_000;

/** Events that wait to be folded before storing has to wait, too: less than a second's work. */
const mostUnfolded = 16_000;

/** How often who waits for room looks again. */
const roomMs = 10;

/** Of events that cannot be folded, each round tries so many times fewer, to find the one that spoils the others. */
const narrowing = 8;
const mostEventsOfNarrowing = 512;

export type EventFolding = {
  /** Resolves when everything is folded that was stored before: by a node that was killed, say. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Folds what was stored before the call, by any node. */
  catchUp(): Promise<void>;
  /** Resolves when storing may go on. */
  awaitRoom(): Promise<void>;
};

export type EventFoldingOptions = {
  db: Database;
  unfolded: UnfoldedEvents;
  attributionWindow: AttributionWindow;
  logger: Pick<Logger, 'warn' | 'error'>;
};

export function createEventFolding({ db, logger, ...options }: EventFoldingOptions): EventFolding {
  const { unfolded } = options;
  const halt = new AbortController();
  let folding: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let running: Promise<void> = Promise.resolve();
  /** After a failure in small steps: it may have been one that took too long. */
  let isCareful = false;
  const foldOnce = async () => {
    const wasCareful = isCareful;
    isCareful = true;
    await (wasCareful ? foldNarrowly : foldAll)(db, options, logger);
    isCareful = false;
  };

  /** One after the other, since each takes the whole; who comes while one is under way shares the next. */
  const fold = (): Promise<void> => {
    next ??= folding
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        folding = foldOnce();
        return folding;
      });
    return next;
  };
  const pause = (ms: number) =>
    delay(ms, undefined, { signal: halt.signal, ref: false }).catch(() => undefined);
  const run = async () => {
    for (let idle = 0; !halt.signal.aborted; ) {
      await pause(pauseMs);
      idle += pauseMs;
      if (unfolded.count === 0 && idle < idleMs) continue;
      idle = 0;
      await fold().catch(async (error) => {
        logger.warn({ err: error }, 'Events could not be folded yet; trying again.');
        await pause(retryMs);
      });
    }
  };
  return {
    async start() {
      await fold();
      running = run();
    },
    async stop() {
      halt.abort();
      await running;
      await fold().catch((error) => logger.warn({ err: error }, 'The next start folds the last events.'));
    },
    catchUp: fold,
    async awaitRoom() {
      while (unfolded.count >= mostUnfolded) await Promise.race([fold(), delay(roomMs)]);
    },
  };
}

/** Events that nothing can fold are passed over one by one, since all that follow wait for them; they stay stored. */
async function foldAll(
  db: Database,
  options: FoldOptions,
  logger: EventFoldingOptions['logger'],
): Promise<void> {
  try {
    await foldEvents(db, options);
  } catch (error) {
    if (isOutage(error)) throw error;
    logger.error({ err: error }, 'Events cannot be folded; looking for those at fault.');
    await foldNarrowly(db, options, logger);
  }
}

async function foldNarrowly(
  db: Database,
  options: FoldOptions,
  logger: EventFoldingOptions['logger'],
): Promise<void> {
  const { lastSequence } = await findFoldProgress(db);
  let mostEvents = mostEventsOfNarrowing;
  for (let reached = 0; reached < lastSequence; ) {
    try {
      reached = await foldStep(db, { ...options, mostEvents });
      mostEvents = mostEventsOfNarrowing;
    } catch (error) {
      if (isOutage(error)) throw error;
      if (mostEvents > 1) mostEvents = Math.ceil(mostEvents / narrowing);
      else {
        reached = await foldStep(db, { ...options, mostEvents, isSkipping: true });
        logger.error({ err: error, sequence: reached }, 'An event was not folded.');
      }
    }
  }
}

function isOutage(error: unknown): boolean {
  return error instanceof DomainError && error.reason === 'UNAVAILABLE';
}
