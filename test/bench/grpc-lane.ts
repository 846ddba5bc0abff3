/** One call at a time over a shared grpc-js channel; messages stay bytes on this side. */

import { Client, credentials } from '@grpc/grpc-js';
import type { Lane } from './load.ts';

/** As callers do with more than a handful of calls at once. */
const lanesPerChannel = 16;

const pass = (bytes: Buffer) => bytes;

/** @param path e.g. `/personalisation.v1.RecommendationService/CreateRecommendations` */
export function createGrpcLanes(port: number, path: string, count: number): Lane<Buffer>[] {
  const channels = Array.from({ length: Math.ceil(count / lanesPerChannel) }, createChannel);
  return Array.from({ length: count }, (_, lane) => {
    const client = channels[Math.floor(lane / lanesPerChannel)];
    return {
      exchange: (request, done) => {
        client.makeUnaryRequest(path, pass, pass, request, (error) => done(error?.message));
      },
      close: () => client.close(),
    };
  });

  function createChannel(): Client {
    const options = { 'grpc.use_local_subchannel_pool': 1 };
    return new Client(`127.0.0.1:${port}`, credentials.createInsecure(), options);
  }
}
