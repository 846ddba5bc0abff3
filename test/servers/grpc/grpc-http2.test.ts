/** Streams before grpc-js handles them. */

import test from 'ava';
import { dropLongDeadline } from '../../../src/servers/grpc/grpc-http2.ts';

test('a deadline beyond the longest timer is dropped', (t) => {
  const headersOf = (timeout: string) => {
    const headers = { 'grpc-timeout': timeout };
    dropLongDeadline(headers);
    return headers;
  };
  t.deepEqual(headersOf('99999999H'), {} as never);
  t.deepEqual(headersOf('2147484S'), {} as never);
  t.deepEqual(headersOf('2147483S'), { 'grpc-timeout': '2147483S' });
  t.deepEqual(headersOf('soon'), { 'grpc-timeout': 'soon' });
});
