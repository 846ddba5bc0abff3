/** Streams of a connection before grpc-js handles them, over Node's own HTTP/2. */

import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect,
  createServer,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { isMap } from 'node:util/types';
import test from 'ava';
import { keepStreamsPlainly, takeLongDeadline } from '../../../src/servers/grpc/grpc-streams.ts';

const unanswered = '/never';

/** Answers a path with its text. */
async function startConnection() {
  const server = createServer();
  server.on('stream', (stream, { ':path': path }) => {
    keepStreamsPlainly(stream);
    stream.on('error', () => undefined);
    if (path === unanswered) return;
    setImmediate(() => {
      stream.respond({ ':status': 200 });
      stream.end(path);
    });
  });
  await once(server.listen(0), 'listening');
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  client.on('error', () => undefined);
  const [session] = (await once(server, 'session')) as [ServerHttp2Session];
  return { server, client, session };
}

async function ask(client: ClientHttp2Session, path: string): Promise<string> {
  const stream = client.request({ ':path': path }).setEncoding('utf8');
  let text = '';
  for await (const chunk of stream) text += chunk;
  return text;
}

/** Where Node keeps the open streams of a connection. */
function tableOf(session: object): Map<number, ServerHttp2Stream> {
  const state = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'state')!;
  return (session as Record<symbol, { streams: Map<number, ServerHttp2Stream> }>)[state].streams;
}

test('the open streams of a connection lie in a table of ours, each until it ends', async (t) => {
  const { server, client, session } = await startConnection();
  const paths = Array.from({ length: 200 }, (_, place) => `/${place}`);
  t.deepEqual(await Promise.all(paths.map((path) => ask(client, path))), paths);
  const table = tableOf(session);
  t.false(isMap(table));
  const waiting = [client.request({ ':path': unanswered }), client.request({ ':path': unanswered })];
  for (const stream of waiting) stream.on('error', () => undefined);
  t.is(await ask(client, '/last'), '/last');
  while (table.size > waiting.length) await new Promise(setImmediate);
  const ids = [...table.keys()];
  t.deepEqual(
    ids,
    waiting.map(({ id }) => id!),
  );
  t.deepEqual(
    [...table.values()],
    [...table].map(([id]) => table.get(id)!),
  );
  t.false(table.has(1));
  const seen: number[] = [];
  table.forEach((_stream, id) => {
    seen.push(id);
    table.delete(ids[1]);
  });
  t.deepEqual(seen, [ids[0]], 'one that goes meanwhile is passed over');
  client.destroy();
  server.close();
});

test('a connection that is destroyed takes its open streams along', async (t) => {
  const { server, client, session } = await startConnection();
  const stream = client.request({ ':path': unanswered });
  stream.on('error', () => undefined);
  await ask(client, '/first');
  const [open] = tableOf(session).values();
  const closed = once(open, 'close');
  session.destroy();
  await closed;
  t.is(tableOf(session)?.size ?? 0, 0);
  client.destroy();
  await new Promise((resolve) => server.close(resolve));
});

test('a deadline that no timer can wait for is none', (t) => {
  const headersOf = (timeout: string) => {
    const headers = { 'grpc-timeout': timeout };
    takeLongDeadline(headers);
    return headers;
  };
  t.deepEqual(headersOf('99999999H'), {} as never);
  t.deepEqual(headersOf('2147484S'), {} as never);
  t.deepEqual(headersOf('2147483S'), { 'grpc-timeout': '2147483S' });
  t.deepEqual(headersOf('soon'), { 'grpc-timeout': 'soon' });
});
