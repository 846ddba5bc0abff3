/**
 * Tens of thousands of bad requests: each gets its answer, and the service's memory stays level.
 */

import { connect } from 'node:http2';
import test from 'ava';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { createJsonClient } from '../support/json-client.ts';
import { fc } from '../support/properties.ts';
import { residentKilobytes } from '../support/resident-memory.ts';
import { startServedProcess } from '../support/served-process.ts';
import { shopDeployment } from '../support/service.ts';
import { encodeRequest, exchangeRaw, type RawRequest } from './support/raw-http.ts';

/** Sent before memory is measured, to fill caches and compile code. */
const warmUpCount = 10_000;
const roundCount = 10_000;
/** Rounds after the warm-up: at least the first, at most the second while memory settles. */
const fewestRounds = 2;
const mostRounds = 8;
const connectionCount = 4;
/**
 * The service needs 40 MB of heap at rest. A leak of a kilobyte a request ends it at this bound; what leaks beside the heap
 * shows in the resident memory.
 */
const heapMegabytes = 72;
/**
 * A leak grows in every round, while memory that the collector and the allocator retain stops growing. So memory is
 * level once a round added less than this: 0.5 kB a request.
 */
const levelKilobytes = 5_000;

type Sample = { bytes: Buffer; expected: number[] };

const events = '/api/shop/events';
const lists = '/api/shop/recommendations/requests';
const items = '/api/shop/items/product';

const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}): RawRequest => ({
  method: 'POST',
  path,
  headers,
  body: Buffer.from(body as string),
});

const text = fc.string({ maxLength: 40 });

const one = (expected: number | number[], request: fc.Arbitrary<RawRequest>) =>
  request.map((raw): Sample => ({ bytes: encodeRequest(raw), expected: [expected].flat() }));

type Headers = Record<string, string>;

/** Unreadable bodies. */
const unreadable = (json: Headers) => [
  one(
    415,
    text.map((rest) => post(events, `{"events": [${rest}`, json)),
  ),
  one(
    422,
    text.map((rest) => post(items, `{"title": ${rest}`, json)),
  ),
  one(
    400,
    text.map((rest) => post(lists, `{"lists" ${rest}`, json)),
  ),
  one(
    415,
    fc
      .uint8Array({ maxLength: 60 })
      .map((bytes) => post(events, Buffer.concat([Buffer.from([0xff]), bytes]), json)),
  ),
  one(
    415,
    text.map((rest) => post(events, rest, { ...json, 'content-type': 'text/csv' })),
  ),
  one(
    415,
    fc
      .nat(300)
      .map((depth) =>
        post(items, `{"item_attributes": ${'['.repeat(depth + 70)}1${']'.repeat(depth + 70)}}`, json),
      ),
  ),
];

/** Bodies with content that no operation accepts. */
const untrue = (json: Headers) => [
  one(
    400,
    text.map((name) =>
      post(events, JSON.stringify({ events: [{ event_type: 'impression', [`x${name}`]: name }] }), json),
    ),
  ),
  one(
    400,
    fc.jsonValue({ maxDepth: 3 }).map((value) => post(lists, JSON.stringify({ lists: value }), json)),
  ),
  one(
    415,
    text.map((name) => post(items, JSON.stringify({ item_id: 'i', [`unknown ${name}`]: name }), json)),
  ),
];

/** Unknown callers, addresses and methods. */
const misdirected = (json: Headers) => [
  /** Too many broken tokens from one address are refused unread. */
  one(
    [401, 429],
    text.map((token) => {
      const authorization = `Bearer ${encodeURIComponent(token)}`;
      return post(events, '{}', { ...json, authorization });
    }),
  ),
  one(
    404,
    text.map((path) => ({
      method: 'GET',
      path: `/api/shop/nothing/${encodeURIComponent(path)}/x/y/z`,
      headers: json,
    })),
  ),
  one(
    405,
    fc.constantFrom('PUT', 'DELETE').map((method) => ({ method, path: events, headers: json })),
  ),
  one(
    404,
    text.map((name) => post(`/api/${encodeURIComponent(`no ${name}`)}/events`, '{}', json)),
  ),
  one(
    404,
    text.map((id) => ({
      method: 'GET',
      path: `${items}/${encodeURIComponent(`no ${id}`)}`,
      headers: json,
    })),
  ),
  one(
    400,
    fc.integer({ max: 0 }).map((offset) => ({
      method: 'GET',
      path: `/api/shop/recommendations/lists?list_key=x&offset=${offset}&limit=1`,
    })),
  ),
];

/** A request with one generated error, and its documented status. */
const badRequest = (authorization: string): fc.Arbitrary<Sample> => {
  const json = { authorization, 'content-type': 'application/json' };
  return fc.oneof(...unreadable(json), ...untrue(json), ...misdirected(json));
};

/** Sends samples in turn over a few connections; returns those with an unexpected status. */
async function flood(port: number, samples: Sample[], count: number): Promise<string[]> {
  const perConnection = Array.from(
    { length: Math.ceil(count / connectionCount) },
    (_, i) => samples[i % samples.length],
  );
  const requests = perConnection.map((sample) => sample.bytes);
  const answers = await Promise.all(
    Array.from({ length: connectionCount }, () => exchangeRaw(port, requests)),
  );
  return answers.flatMap((statuses) =>
    perConnection.flatMap(({ bytes, expected }, i) =>
      expected.includes(statuses[i]) ? [] : [`${statuses[i]}: ${bytes}`],
    ),
  );
}

/** Half a frame, a frame with too large a length, and no frame. */
const brokenFrames = [
  Buffer.from([0, 0, 0]),
  Buffer.from([0, 0, 0, 1, 0, 1, 2]),
  Buffer.from([9, 9, 9, 9, 9, 9]),
];

/** Sends bytes to the gRPC port as the body of a call; resolves when the stream is over, however it ends. */
async function sendFrames(address: string, count: number): Promise<number> {
  const session = connect(`http://${address}`);
  session.on('error', () => undefined);
  let ended = 0;
  for (let i = 0; i < count; i++) {
    await new Promise<void>((resolve) => {
      const stream = session.request({
        ':method': 'POST',
        ':path': '/personalisation.v1.EventService/CreateEvents',
        'content-type': 'application/grpc',
        te: 'trailers',
      });
      stream
        .on('error', () => undefined)
        .on('close', resolve)
        .resume();
      stream.end(brokenFrames[i % brokenFrames.length]);
    });
    ended += 1;
  }
  session.close();
  return ended;
}

test('the memory of the service is level after 30,000 bad requests', async (t) => {
  const nodeOptions = [`--max-old-space-size=${heapMegabytes}`, '--max-semi-space-size=4'];
  const databaseUrl = addressOf((await createTestDatabase(t)).connection);
  const service = await startServedProcess({ deployment: shopDeployment, nodeOptions, databaseUrl });
  t.teardown(service.remove);
  const port = Number(new URL(service.baseUrl).port);
  const samples = fc.sample(badRequest(service.authorization), { numRuns: 2_000, seed: 1 });
  t.deepEqual(await flood(port, samples, warmUpCount), []);
  const growths: number[] = [];
  const settles = () => growths.length < mostRounds && Math.min(...growths) >= levelKilobytes;
  while (growths.length < fewestRounds || settles()) {
    const before = residentKilobytes(service.pid);
    t.deepEqual(await flood(port, samples, roundCount), []);
    t.is(await sendFrames(service.grpcAddress, 100), 100);
    growths.push(residentKilobytes(service.pid) - before);
  }
  const growth = Math.min(...growths);
  t.true(growth < levelKilobytes, `kB more after each round: ${growths}`);
  const answer = await createJsonClient(service).post('/shop/events', {
    events: [{ event_type: 'page_visit', page_type: 'home', device_id: 'd' }],
  });
  t.is(answer.status, 200);
});
