/** The measured rows: their lanes and their requests, which are prepared before the measurement. */

import { create, toBinary } from '@bufbuild/protobuf';
import { RecommendationRequestSchema } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import { CreateRecommendationsRequestSchema } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { decodeJson } from '../../src/formats/codec.ts';
import { createGrpcLanes } from './grpc-lane.ts';
import { createHttpLane, encodeRequest } from './http-lane.ts';
import type { Lane } from './load.ts';
import { call, type Service } from './service.ts';
import type { Visit } from './site.ts';
import { environment, itemIdOf, listSize, type World } from './world.ts';

export type Row = {
  /** Name in the JSON output. */
  name: string;
  title: string;
  lanes: Lane<Buffer>[];
  next: () => Buffer;
  /** Events in each request. */
  eventCount?: number;
  /** Whether the echo is measured at the same rate. */
  withEcho?: boolean;
};

export type Effort = {
  /** Distinct requests of a row, sent in turn. */
  requestCount: number;
  /** Connections that post events; half as many for other requests. */
  laneCount: number;
};

/** Requests for pages of each stored list. */
const requestsPerList = 10;
const hotDeviceCount = 1_000;
const pageSize = 5;
const createRecommendations = '/personalisation.v1.RecommendationService/CreateRecommendations';

export function createEchoRow(port: number, world: World, { requestCount, laneCount }: Effort): Row {
  const next = rotate(requestCount, () =>
    encodeRequest({ method: 'POST', path: '/', body: world.recommendation() }),
  );
  return { name: 'echo', title: 'node:http echo', lanes: httpLanes(port, Math.ceil(laneCount / 2)), next };
}

/** Lists for visitors with long histories, and for the visitors of a site, over JSON and gRPC. */
export function createListRows(service: Service, world: World, effort: Effort): Row[] {
  return [
    ...recommendationRows(service, effort, {
      name: 'recommendation',
      title: 'recommendations',
      make: () => ({ request: world.recommendation() }),
    }),
    ...recommendationRows(service, effort, {
      name: 'site',
      title: 'lists of a site',
      make: () => toListRequest(world.site.visit()),
      newDevice: world.site.newDevice,
    }),
  ];
}

/** `stranger` is a device without history. */
type ListRequest = { request: Record<string, unknown>; stranger?: string };

function toListRequest({ kind, request }: Visit): ListRequest {
  return { request, stranger: kind === 'stranger' ? String(request.device_id) : undefined };
}

type ListRow = { name: string; title: string; make: () => ListRequest; newDevice?: () => string };

function recommendationRows(
  service: Service,
  { requestCount, laneCount }: Effort,
  { name, title, make, newDevice }: ListRow,
): Row[] {
  const { port, grpcPort } = service;
  const lanes = Math.ceil(laneCount / 2);
  return [
    {
      name: `${name}_json`,
      title: `${title}, JSON`,
      lanes: httpLanes(port, lanes),
      next: rotateLists(requestCount, make, {
        encode: (request) => encodeApi(service, 'POST', '/recommendations/requests', request),
        newDevice,
      }),
      withEcho: true,
    },
    {
      name: `${name}_grpc`,
      title: `${title}, gRPC`,
      lanes: createGrpcLanes(grpcPort, createRecommendations, lanes),
      next: rotateLists(requestCount, make, { encode: encodeMessage, newDevice }),
      withEcho: true,
    },
  ];
}

/** Reading rows come first: the writing ones start trainings. */
export async function createRows(service: Service, world: World, effort: Effort): Promise<Row[]> {
  const { requestCount, laneCount } = effort;
  const { port } = service;
  const keys = await createLists(port, world, Math.ceil(requestCount / requestsPerList));
  return [
    ...createListRows(service, world, effort),
    {
      name: 'list_page',
      title: 'list pages',
      lanes: httpLanes(port, Math.ceil(laneCount / 2)),
      next: rotate(requestCount, (turn) => encodeApi(service, 'GET', pagePath(keys, turn))),
      withEcho: true,
    },
    {
      name: 'item_put',
      title: 'item puts',
      lanes: httpLanes(port, Math.ceil(laneCount / 2)),
      next: rotate(requestCount, () => encodePut(service, world, world.itemIndex())),
    },
    ...createEventRows(service, world, effort),
  ];
}

/** Posts of 1, 10 and 100 events, and of 10 events of a thousand devices, all with long histories. */
export function createEventRows(service: Service, world: World, { requestCount, laneCount }: Effort): Row[] {
  const hotEvent = () => {
    const { user_id: _, ...event } = world.event();
    return { ...event, device_id: `device-${Math.floor(Math.random() * hotDeviceCount)}` };
  };
  const row = (name: string, title: string, eventCount: number, makeEvent = world.event): Row => ({
    ...{ name, title, eventCount },
    lanes: httpLanes(service.port, laneCount),
    next: eventPosts(service, requestCount, eventCount, makeEvent),
  });
  return [
    row('event_post', 'event posts', 1),
    row('event_batch_10', 'event posts of 10', 10),
    row('event_batch_100', 'event posts of 100', 100),
    row('event_hot_devices', 'event posts of 10, hot devices', 10, hotEvent),
  ];
}

/** Posts of ten events, to several nodes in turn. */
export function createEventRow(
  services: readonly Service[],
  world: World,
  { requestCount, laneCount }: Effort,
): Pick<Row, 'lanes' | 'next'> {
  const portOf = (lane: number) => services[lane % services.length].port;
  return {
    lanes: Array.from({ length: laneCount }, (_, lane) => createHttpLane(portOf(lane))),
    next: eventPosts(services[0], requestCount, 10, world.event),
  };
}

function eventPosts(
  service: Service,
  requestCount: number,
  eventCount: number,
  makeEvent: () => Record<string, unknown>,
): () => Buffer {
  const makeEvents = () => ({ events: Array.from({ length: eventCount }, makeEvent) });
  return rotate(requestCount, () => encodeApi(service, 'POST', '/events', makeEvents()));
}

function httpLanes(port: number, count: number): Lane<Buffer>[] {
  return Array.from({ length: count }, () => createHttpLane(port));
}

function rotate(count: number, make: (turn: number) => Buffer): () => Buffer {
  const requests = Array.from({ length: count }, (_, turn) => make(turn));
  let turn = 0;
  return () => requests[turn++ % count];
}

type Encoding = { encode: (request: Record<string, unknown>) => Buffer; newDevice?: () => string };

/** A stranger comes once: when the request is sent again, it has another device. */
function rotateLists(count: number, make: () => ListRequest, { encode, newDevice }: Encoding): () => Buffer {
  const requests = Array.from({ length: count }, () => {
    const { request, stranger } = make();
    const bytes = encode(request);
    return { bytes, deviceAt: stranger === undefined ? -1 : bytes.indexOf(stranger) };
  });
  let turn = 0;
  return () => {
    const { bytes, deviceAt } = requests[turn % count];
    if (deviceAt >= 0 && turn >= count) bytes.write(newDevice!(), deviceAt, 'latin1');
    turn += 1;
    return bytes;
  };
}

function encodeApi({ authorization }: Service, method: string, path: string, body?: unknown): Buffer {
  return encodeRequest({ method, path: `/api/${environment}${path}`, body, authorization });
}

function encodePut(service: Service, world: World, index: number): Buffer {
  return encodeApi(service, 'PUT', `/items/product/${itemIdOf(index)}`, world.item(index));
}

function encodeMessage(json: unknown): Buffer {
  const { message: request } = decodeJson(RecommendationRequestSchema, json);
  const message = create(CreateRecommendationsRequestSchema, { environment, request });
  return Buffer.from(toBinary(CreateRecommendationsRequestSchema, message));
}

async function createLists(port: number, world: World, listCount: number): Promise<string[]> {
  const keys: string[] = [];
  for (let list = 0; list < listCount; list++) {
    const { lists } = await call(port, `/${environment}/recommendations/requests`, world.recommendation());
    if (lists[0].items.length !== listSize) throw new Error(`A list has ${lists[0].items.length} items.`);
    keys.push(lists[0].list_key);
  }
  return keys;
}

function pagePath(keys: readonly string[], turn: number): string {
  const offset = 1 + pageSize * (turn % (listSize / pageSize));
  return `/recommendations/lists?list_key=${keys[turn % keys.length]}&offset=${offset}&limit=${pageSize}`;
}
