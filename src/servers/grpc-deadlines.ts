/**
 * Deadlines beyond what a timer of Node waits for, 24 days. grpc-js counts a deadline in milliseconds of 32 bits, so that a
 * longer one was over before its call began, or at any other moment. Nobody waits for so long: such a call has none.
 */

import type { IncomingHttpHeaders } from 'node:http2';
import type { Server } from '@grpc/grpc-js';

const longestMs = 2 ** 31 - 1;

const header = 'grpc-timeout';
const msOfUnit: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1 };

type StreamHandler = (interceptors: unknown, stream: unknown, headers: IncomingHttpHeaders) => void;

/** What grpc-js does with a new stream; nothing public comes before it has read the deadline. */
type Streams = { _streamHandler?: StreamHandler };

/** For a server without ports yet. A version of grpc-js that handles its streams elsewhere is left as it is. */
export function takeLongDeadlines(server: Server): void {
  const streams = server as unknown as Streams;
  const handle = streams._streamHandler;
  if (handle === undefined) return;
  const handleBounded: StreamHandler = (interceptors, stream, headers) => {
    if (isTooLong(headers[header])) delete headers[header];
    handle.call(streams, interceptors, stream, headers);
  };
  streams._streamHandler = handleBounded;
}

function isTooLong(timeout: string | string[] | undefined): boolean {
  const [, count, unit] = /^(\d{1,8})([HMSm])$/.exec(String(timeout)) ?? [];
  return count !== undefined && Number(count) * msOfUnit[unit] > longestMs;
}
