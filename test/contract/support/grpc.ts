/** The gRPC port, with the generated grpc-js clients of callers. */

import { fromBinary, fromJson, toBinary } from '@bufbuild/protobuf';
import {
  type ChannelCredentials,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceDefinition,
  type ServiceError,
  type StatusObject,
} from '@grpc/grpc-js';
import { StatusSchema } from '../../../gen/es/personalisation/rest/v1/status_pb.js';
import { AudienceServiceClient } from '../../../gen/grpc/personalisation/v1/audience_service.ts';
import { BatchServiceClient } from '../../../gen/grpc/personalisation/v1/batch_service.ts';
import { ClientServiceClient } from '../../../gen/grpc/personalisation/v1/client_service.ts';
import { ConfigurationServiceClient } from '../../../gen/grpc/personalisation/v1/configuration_service.ts';
import { EventServiceClient } from '../../../gen/grpc/personalisation/v1/event_service.ts';
import { ItemServiceClient } from '../../../gen/grpc/personalisation/v1/item_service.ts';
import { MetricServiceClient } from '../../../gen/grpc/personalisation/v1/metric_service.ts';
import { PreviewServiceClient } from '../../../gen/grpc/personalisation/v1/preview_service.ts';
import { RecommendationServiceClient } from '../../../gen/grpc/personalisation/v1/recommendation_service.ts';
import { SearchServiceClient } from '../../../gen/grpc/personalisation/v1/search_service.ts';
import { TokenServiceClient } from '../../../gen/grpc/personalisation/v1/token_service.ts';
import type { Answer, Transport } from './operation.ts';
import { failed, methodOf, succeeded } from './rpc.ts';

const clientTypes = {
  AudienceService: AudienceServiceClient,
  BatchService: BatchServiceClient,
  ClientService: ClientServiceClient,
  ConfigurationService: ConfigurationServiceClient,
  EventService: EventServiceClient,
  ItemService: ItemServiceClient,
  MetricService: MetricServiceClient,
  PreviewService: PreviewServiceClient,
  RecommendationService: RecommendationServiceClient,
  SearchService: SearchServiceClient,
  TokenService: TokenServiceClient,
};

type Reply = (error: ServiceError | null, response: unknown) => void;

type Client = Record<string, (request: unknown, metadata: Metadata, reply: Reply) => ClientUnaryCall> & {
  close(): void;
};

type ClientType = { service: ServiceDefinition } & (new (
  address: string,
  channel: ChannelCredentials,
) => Client);

export type GrpcCaller = { call: Transport; close(): void };

export function createGrpcCaller(address: string): GrpcCaller {
  const clients = new Map(
    Object.entries(clientTypes as unknown as Record<string, ClientType>).map(([name, Client]) => [
      name,
      { client: new Client(address, credentials.createInsecure()), service: Client.service },
    ]),
  );
  return {
    call({ rpc, message }, authorization) {
      const method = methodOf(rpc);
      const { client, service } = clients.get(method.parent.name)!;
      const { requestDeserialize, responseSerialize } = service[method.localName];
      const request = requestDeserialize(
        Buffer.from(toBinary(method.input, fromJson(method.input, message))),
      );
      const metadata = new Metadata();
      if (authorization != null) metadata.set('authorization', authorization);
      return new Promise((resolve) => {
        let answer: Answer;
        const call = client[method.localName](request, metadata, (error, response) => {
          if (error) answer = answerOf(error);
          else {
            const outcome = succeeded(method, fromBinary(method.output, responseSerialize(response)));
            answer = { status: 0, requestId: undefined, outcome };
          }
        });
        call.on('status', (status: StatusObject) => {
          const requestId = status.metadata.get('x-request-id')[0]?.toString();
          setImmediate(() => resolve({ ...answer, requestId }));
        });
      });
    },
    close() {
      for (const { client } of clients.values()) client.close();
    },
  };
}

/** The reason and pointers that the error's details carry. */
export function answerOf(error: ServiceError): Answer {
  const bytes = error.metadata.get('grpc-status-details-bin')[0] as Buffer | undefined;
  const { details } = fromBinary(StatusSchema, bytes ?? new Uint8Array());
  const { requestId, ...outcome } = failed(
    details.map(({ typeUrl, value }) => ({ type: typeUrl.split('/').at(-1)!, value })),
  );
  return { status: error.code, requestId, outcome };
}
