/** Prepares a new stream of a connection before grpc-js handles it: it reads the deadline first of all. */

import type { Http2Session, IncomingHttpHeaders } from 'node:http2';
import { isMap } from 'node:util/types';

export type NewStream = { session?: Http2Session };

const longestMs = 2 ** 31 - 1;

const header = 'grpc-timeout';
const msOfUnit: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1 };

/**
 * Deadlines beyond what a timer of Node waits for, 24 days. grpc-js counts a deadline in milliseconds of 32 bits, so that a
 * longer one was over before its call began, or at any other moment. Nobody waits for so long: such a call has none.
 */
export function takeLongDeadline(headers: IncomingHttpHeaders): void {
  if (isTooLong(headers[header])) delete headers[header];
}

function isTooLong(timeout: string | string[] | undefined): boolean {
  const [, count, unit] = /^(\d{1,8})([HMSm])$/.exec(String(timeout)) ?? [];
  return count !== undefined && Number(count) * msOfUnit[unit] > longestMs;
}

type SessionState = { streams?: unknown };

/**
 * Node keeps the open streams of a connection in a Map. One whose members come and go leaves tables behind that refer to the
 * next one: as soon as one of them is old, every stream after it, with all that its call was made of, counts as in use until
 * old memory is collected. So a connection gets a table that leaves nothing behind.
 *
 * Node also assigns a closure (`onwrite`) to each stream, with the same effect until V8 has optimised
 * that code. No public interface avoids it.
 */
export function keepStreamsPlainly({ session }: NewStream): void {
  const state = session && stateOf(session);
  /** A Map of Node's own does without the prototype by which others are told. */
  if (isMap(state?.streams)) state.streams = createStreamTable(state.streams as Map<number, unknown>);
}

const stateName = 'state';
let stateSymbol: symbol | undefined;

function stateOf(session: Http2Session): SessionState | undefined {
  stateSymbol ??= Object.getOwnPropertySymbols(session).find(({ description }) => description === stateName);
  return stateSymbol && (session as unknown as Record<symbol, SessionState | undefined>)[stateSymbol];
}

type StreamTable<Stream> = Omit<
  Map<number, Stream>,
  'set' | 'forEach' | typeof Symbol.toStringTag | `getOrInsert${string}`
> & {
  set(id: number, stream: Stream): void;
  forEach(visit: (stream: Stream, id: number) => void): void;
};

/** Streams by their numbers, with what Node asks of its Map, and what else a Map can tell. */
function createStreamTable<Stream>(given: Iterable<[number, Stream]>): StreamTable<Stream> {
  const streams: Record<number, Stream> = Object.create(null);
  let size = 0;
  const copy = () => new Map(Object.entries(streams).map(([id, stream]) => [Number(id), stream]));
  const table: StreamTable<Stream> = {
    get size() {
      return size;
    },
    has: (id) => id in streams,
    get: (id) => streams[id],
    set(id, stream) {
      if (!(id in streams)) size += 1;
      streams[id] = stream;
    },
    delete(id) {
      if (!(id in streams)) return false;
      size -= 1;
      return delete streams[id];
    },
    clear() {
      for (const id of copy().keys()) table.delete(id);
    },
    keys: () => copy().keys(),
    values: () => copy().values(),
    entries: () => copy().entries(),
    [Symbol.iterator]: () => copy().entries(),
    /** Those that end meanwhile are passed over, as by a Map. */
    forEach(visit) {
      for (const [id, stream] of copy()) if (id in streams) visit(stream, id);
    },
  };
  for (const [id, stream] of given) table.set(id, stream);
  return table;
}
