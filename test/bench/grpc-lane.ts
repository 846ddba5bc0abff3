/**
 * Calls over shared HTTP/2 connections, like those of gRPC clients with many concurrent calls.
 *
 * A lane writes prepared frames and only checks that the answer has a message, so it costs as little as http-lane.ts. A client
 * library would use as much CPU as the server, and more than the lists; real callers run on other machines.
 */

import type { Socket } from 'node:net';
import { host, openLaneSocket } from './lane-socket.ts';
import type { Lane } from './load.ts';

const lanesPerConnection = 16;

/** Keeps all lanes of a connection within the half of its window that a server may still count as used. */
const mostRequestBytes = 65_535 / 2 / lanesPerConnection;

const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 };
const flags = { acknowledges: 1, endsStream: 1, endsHeaders: 4 };
const headerBytes = 9;

const mostWindow = 2 ** 31 - 1;
const firstWindow = 65_535;
const initialWindowSetting = 4;
const headerTableSetting = 1;

/** @param path e.g. `/personalisation.v1.RecommendationService/CreateRecommendations` */
export function createGrpcLanes(port: number, path: string, count: number): Lane<Buffer>[] {
  const headers = headersOf(path);
  const connections = Array.from({ length: Math.ceil(count / lanesPerConnection) }, () =>
    createConnection(port, headers),
  );
  return Array.from({ length: count }, (_, lane) => connections[Math.floor(lane / lanesPerConnection)]);
}

type Exchange = { hasMessage: boolean; done: (failure?: string) => void };

/** Connects at the first use, and again after the server closed the connection. */
function createConnection(port: number, headers: Buffer): Lane<Buffer> {
  let socket: Socket | undefined;
  let lastStream = -1;
  let unread: Buffer = Buffer.alloc(0);
  let uncreditedBytes = 0;
  const exchanges = new Map<number, Exchange>();

  const finish = (stream: number, failure?: string) => {
    const exchange = exchanges.get(stream);
    exchanges.delete(stream);
    exchange?.done(failure);
  };
  const lose = (reason: string) => {
    socket?.destroy();
    socket = undefined;
    for (const stream of [...exchanges.keys()]) finish(stream, reason);
  };
  const receiveData = (stream: number, length: number) => {
    const exchange = exchanges.get(stream);
    if (exchange && length > 0) exchange.hasMessage = true;
    uncreditedBytes += length;
    if (uncreditedBytes < mostWindow / 2) return;
    socket?.write(windowUpdate(uncreditedBytes));
    uncreditedBytes = 0;
  };
  const receiveFrame = (frame: Buffer) => {
    const type = frame[3];
    const stream = frame.readUInt32BE(5);
    if (type === frameTypes.data) receiveData(stream, frame.length - headerBytes);
    else if (type === frameTypes.reset) finish(stream, 'The server reset the call.');
    else if (type === frameTypes.goAway) lose('The server goes away.');
    else if (type === frameTypes.settings || type === frameTypes.ping) {
      if ((frame[4] & flags.acknowledges) === 0) socket?.write(acknowledge(frame));
    }
    const mayEnd = type === frameTypes.data || type === frameTypes.headers;
    if (mayEnd && (frame[4] & flags.endsStream) !== 0)
      finish(stream, exchanges.get(stream)?.hasMessage ? undefined : 'The answer has no message.');
  };
  const receive = (chunk: Buffer) => {
    let bytes = unread.length > 0 ? Buffer.concat([unread, chunk]) : chunk;
    while (bytes.length >= headerBytes) {
      const length = headerBytes + bytes.readUIntBE(0, 3);
      if (bytes.length < length) break;
      receiveFrame(bytes.subarray(0, length));
      bytes = bytes.subarray(length);
    }
    unread = bytes;
  };
  const open = () => {
    const opened = openLaneSocket({ port, isInUse: (one) => one === socket, receive, lose });
    [lastStream, unread, uncreditedBytes] = [-1, Buffer.alloc(0), 0];
    opened.write(preface());
    return opened;
  };
  return {
    exchange(request, done) {
      socket ??= open();
      lastStream += 2;
      exchanges.set(lastStream, { hasMessage: false, done });
      socket.write(callFrames(lastStream, headers, request));
    },
    close() {
      const open = socket;
      socket = undefined;
      open?.destroy();
    },
  };
}

/** Gives the server the largest window, and a header table of size 0. */
function preface(): Buffer {
  const settings = frame(frameTypes.settings, 0, 0, 12);
  settings.writeUInt16BE(headerTableSetting, headerBytes);
  settings.writeUInt16BE(initialWindowSetting, headerBytes + 6);
  settings.writeUInt32BE(mostWindow, headerBytes + 8);
  return Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    settings,
    windowUpdate(mostWindow - firstWindow),
  ]);
}

/** HPACK with the static table only; the numbers are its indexes (RFC 7541, appendix A). */
function headersOf(path: string): Buffer {
  const literal = (text: string) => [Buffer.of(text.length), Buffer.from(text)];
  const named = (name: string, value: string) => [Buffer.of(0), ...literal(name), ...literal(value)];
  return Buffer.concat([
    /** `:method: POST`, `:scheme: http`. */
    Buffer.of(0x83, 0x86),
    /** `:path`, `:authority`. */
    ...[Buffer.of(0x04), ...literal(path)],
    ...[Buffer.of(0x01), ...literal(host)],
    ...named('content-type', 'application/grpc'),
    ...named('te', 'trailers'),
  ]);
}

function callFrames(stream: number, headers: Buffer, request: Buffer): Buffer {
  if (request.length > mostRequestBytes)
    throw new Error(`A request of ${request.length} bytes is too long here.`);
  const messageHeaderBytes = 5;
  const call = Buffer.allocUnsafe(2 * headerBytes + headers.length + messageHeaderBytes + request.length);
  let at = writeFrameHeader(call, 0, headers.length, frameTypes.headers, flags.endsHeaders, stream);
  at += headers.copy(call, at);
  const length = messageHeaderBytes + request.length;
  at = writeFrameHeader(call, at, length, frameTypes.data, flags.endsStream, stream);
  /** Not compressed. */
  at = call.writeUInt8(0, at);
  at = call.writeUInt32BE(request.length, at);
  request.copy(call, at);
  return call;
}

function acknowledge(received: Buffer): Buffer {
  const type = received[3];
  const payload = type === frameTypes.ping ? received.subarray(headerBytes) : Buffer.alloc(0);
  const answer = frame(type, flags.acknowledges, 0, payload.length);
  payload.copy(answer, headerBytes);
  return answer;
}

function windowUpdate(bytes: number): Buffer {
  const update = frame(frameTypes.windowUpdate, 0, 0, 4);
  update.writeUInt32BE(bytes, headerBytes);
  return update;
}

function frame(type: number, flagged: number, stream: number, length: number): Buffer {
  const bytes = Buffer.alloc(headerBytes + length);
  writeFrameHeader(bytes, 0, length, type, flagged, stream);
  return bytes;
}

function writeFrameHeader(
  target: Buffer,
  at: number,
  length: number,
  type: number,
  flagged: number,
  stream: number,
): number {
  target.writeUIntBE(length, at, 3);
  target[at + 3] = type;
  target[at + 4] = flagged;
  return target.writeUInt32BE(stream, at + 5);
}
