/** Lists of a running service, over gRPC, with what it says of unmet minimums. */

import { credentials, Metadata } from '@grpc/grpc-js';
import {
  CreateRecommendationsRequest,
  type CreateRecommendationsResponse,
  RecommendationServiceClient,
} from '../../../gen/grpc/personalisation/v1/recommendation_service.ts';
import type { Answered, Given, Unmet } from './recount.ts';

export type Lists = {
  ask(household: string, given: Given): Promise<Answered & { tookMs: number }>;
  close(): void;
};

/** Long enough for the personal path on a loaded machine: a fallback would be no test of it. */
const timeoutMs = 10_000;

/** @param authorization Of a client that may see the reasons of unmet minimums. */
export function openLists(grpcAddress: string, authorization: string): Lists {
  const metadata = new Metadata();
  metadata.set('authorization', authorization);
  const client = new RecommendationServiceClient(grpcAddress, credentials.createInsecure());
  return {
    async ask(household, given) {
      const request = requestFor(household, given);
      const startMs = performance.now();
      const answer = await new Promise<CreateRecommendationsResponse>((resolve, reject) => {
        client.createRecommendations(request, metadata, (error, response) =>
          error ? reject(error) : resolve(response),
        );
      });
      const tookMs = performance.now() - startMs;
      const { lists, user_group: group } = answer.recommendations!;
      if (group !== 'recommender') throw new Error(`Household ${household} got the list of ${group}.`);
      return { productIds: lists[0].items.map(({ item_id: id }) => id), unmet: unmetOf(answer), tookMs };
    },
    close: () => client.close(),
  };
}

function requestFor(household: string, { aisle, excluded, listSize }: Given): CreateRecommendationsRequest {
  return CreateRecommendationsRequest.fromPartial({
    environment: 'grocery',
    request: {
      device_id: `card-${household}`,
      user_id: household,
      page_type: 'home',
      timeout_ms: timeoutMs,
      histories: { unwanted: { items: Array.from(excluded, (id) => ({ id })) } },
      lists: [{ configuration_id: 'ten-rules', list_name: 'home', list_size: listSize }],
      variables: aisle === undefined ? undefined : { aisle },
    },
  });
}

function unmetOf({ outcomes }: CreateRecommendationsResponse): Unmet[] {
  return outcomes[0].unmet_minimums.map((one) => ({
    rule: one.constraint_index,
    wanted: one.wanted_count,
    found: one.found_count,
    reason: one.reason,
    conflicting: one.conflicting_index,
  }));
}
