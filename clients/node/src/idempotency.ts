/**
 * Which calls may be sent twice. A call is repeated only when a second arrival changes nothing that the first has not: reads, writes
 * that say what shall be there, and events that each have an id. All others are sent once, and their caller hears of the failure.
 */

import type { DescMessage, DescMethod, MessageShape } from '@bufbuild/protobuf';
import { BatchService } from '../../../gen/es/personalisation/v1/batch_service_pb.js';
import { BlockedQueryService } from '../../../gen/es/personalisation/v1/blocked_query_service_pb.js';
import { CatalogueService } from '../../../gen/es/personalisation/v1/catalogue_service_pb.js';
import {
  type CreateEventsRequest,
  EventService,
} from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { ItemService } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { RecommendationService } from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { SearchService } from '../../../gen/es/personalisation/v1/search_service_pb.js';
import { SynonymService } from '../../../gen/es/personalisation/v1/synonym_service_pb.js';
import { TokenService } from '../../../gen/es/personalisation/v1/token_service_pb.js';

/** Methods so named read. */
const reading = /^(Get|List|Count|Query|Read|Compare|Diff|Explain|Lint|Preview|Try)[A-Z]/;

/** These ask, or say what shall be; a list made twice expires, a token fetched twice is valid twice. */
const repeatable: ReadonlySet<DescMethod> = new Set([
  RecommendationService.method.createRecommendations,
  BatchService.method.cancelBatch,
  SearchService.method.createSearch,
  SearchService.method.createCompletions,
  TokenService.method.createToken,
  CatalogueService.method.putItems,
  ItemService.method.putItem,
  ItemService.method.updateItem,
  ItemService.method.deleteItem,
  ItemService.method.enableItem,
  ItemService.method.disableItem,
  SynonymService.method.putSynonym,
  BlockedQueryService.method.putBlockedQueries,
]);

export function isIdempotent(method: DescMethod, message: MessageShape<DescMessage>): boolean {
  if (method.methodKind !== 'unary') return false;
  if (method === EventService.method.createEvents) return eventsHaveIds(message as CreateEventsRequest);
  return reading.test(method.name) || (repeatable.has(method) && !expectsVersion(message));
}

/** A write of one revision fails the second time, though the first has done what it said. */
function expectsVersion(message: MessageShape<DescMessage>): boolean {
  return (message as { expectedRevision?: number }).expectedRevision !== undefined;
}

function eventsHaveIds({ batch }: CreateEventsRequest): boolean {
  return batch?.events.every(({ eventId }) => eventId !== undefined && eventId !== '') ?? false;
}
