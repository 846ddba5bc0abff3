import { create, type Message } from '@bufbuild/protobuf';
import test from 'ava';
import { CreateAudienceRequestSchema } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { PutConfigurationRequestSchema } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import {
  CreateEventsRequestSchema,
  ImportEventsRequestSchema,
} from '../../../gen/es/personalisation/v1/event_service_pb.js';
import {
  CreateItemRequestSchema,
  PutItemRequestSchema,
} from '../../../gen/es/personalisation/v1/item_service_pb.js';
import { GetRecommendationListRequestSchema } from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { validateRequest } from '../../../src/servers/gateway/validate-request.ts';

const item = { environment: 'e', itemType: 't', itemId: 'i' };

/** Operation, request, and the pointers of its violations. */
const rows: [string, Message, string[]][] = [
  ['ItemService/PutItem', create(PutItemRequestSchema, item), []],
  [
    'ItemService/PutItem',
    create(PutItemRequestSchema),
    ['path:environment', 'path:item_type', 'path:item_id'],
  ],
  ['ItemService/PutItem', create(PutItemRequestSchema, { ...item, item: { tags: ['\0'] } }), ['/tags/0']],
  ['ItemService/CreateItem', create(CreateItemRequestSchema, { environment: 'e', itemType: 't' }), ['']],
  [
    'RecommendationService/GetRecommendationList',
    create(GetRecommendationListRequestSchema, { environment: 'e', listKey: 'k', offset: 0 }),
    ['query:offset', 'query:limit'],
  ],
  [
    'EventService/CreateEvents',
    create(CreateEventsRequestSchema, { environment: 'e', batch: { events: [{}] } }),
    ['/events/0/event_type'],
  ],
  [
    'AudienceService/CreateAudience',
    create(CreateAudienceRequestSchema, { environment: 'e' }),
    ['/audience'],
  ],
  [
    'ConfigurationService/PutConfiguration',
    create(PutConfigurationRequestSchema, {
      configurationId: 'c',
      configuration: {},
      expectedVersion: -2,
      comment: 'x'.repeat(1025),
    }),
    ['query:comment', '/expected_version'],
  ],
  [
    'EventService/ImportEvents',
    create(ImportEventsRequestSchema, { events: [{ form: { case: 'event', value: {} } }] }),
    ['/environment', '/events/0/event/event_type'],
  ],
];

for (const [index, [operation, request, pointers]] of rows.entries()) {
  test(`row ${index}: ${operation} reports [${pointers}]`, (t) => {
    const found = validateRequest(`personalisation.v1.${operation}`, request);
    t.deepEqual(
      found.map(({ pointer }) => pointer),
      pointers,
    );
  });
}

test('an unknown operation is a programming error', (t) => {
  t.throws(() => validateRequest('x/Y', create(PutItemRequestSchema)), { message: /no such operation/ });
});
