import { create, type DescMessage, equals, type JsonValue, type MessageInitShape } from '@bufbuild/protobuf';
import test from 'ava';
import {
  ConfigurationSchema,
  QuerySchema,
  SearchRulesSchema,
  VariableSchema,
} from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { EventSchema, EventType } from '../../../gen/es/personalisation/v1/event_pb.js';
import { ImportedEventSchema } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import {
  HistoryItemSchema,
  RecommendationRequestSchema,
  RequestListSchema,
} from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import { SearchRequestSchema } from '../../../gen/es/personalisation/v1/search_pb.js';
import {
  decodeJson,
  encodeJson,
  validateMessage,
  verbatimOf,
  withVerbatim,
} from '../../../src/formats/codec.ts';

const text = (value: string) => ({ kind: { case: 'stringValue' as const, value } });
const operand = (value: string) => ({ value: text(value) });
const list = { configuration_id: 'c', list_name: 'l', list_size: 3 };

function accepts<Desc extends DescMessage>(
  title: string,
  desc: Desc,
  json: JsonValue,
  expected: MessageInitShape<Desc>,
): void {
  test(`accepts ${title}`, (t) => {
    const { message, violations, reason } = decodeJson(desc, json);
    t.deepEqual(violations, []);
    t.is(reason, undefined);
    t.true(equals(desc, message, create(desc, expected)), JSON.stringify(encodeJson(desc, message)));
  });
}

accepts(
  'one element for a list that may be one or many',
  QuerySchema,
  { key: 'k', contains: 'a' },
  { key: 'k', contains: [operand('a')] },
);
accepts(
  'many elements for it too',
  QuerySchema,
  { key: 'k', contains: ['a', { value: 'b' }] },
  { key: 'k', contains: [operand('a'), operand('b')] },
);
accepts(
  'a variable in place of an operand',
  QuerySchema,
  { key: 'k', gt: { variable: { name: 'n' } } },
  { key: 'k', gt: [{ variable: { name: 'n' } }] },
);
accepts(
  'an array in place of a message with a bare list',
  QuerySchema,
  { key: 'k', match: ['a', 'b'] },
  { key: 'k', match: { or: [operand('a'), operand('b')] } },
);
accepts(
  'a scalar in place of a message with a scalar field',
  QuerySchema,
  { key: 'k', match: { not: false } },
  { key: 'k', match: { not: { value: { kind: { case: 'boolValue', value: false } } } } },
);
accepts(
  'a list that is the whole message',
  RecommendationRequestSchema,
  { device_id: 'd', page_type: 'p', lists: [list], histories: { seen: [{ id: 'i' }] } },
  {
    deviceId: 'd',
    pageType: 'p',
    lists: [{ configurationId: 'c', listName: 'l', listSize: 3 }],
    histories: { seen: { items: [{ id: 'i' }] } },
  },
);
accepts(
  'paths as strings and as lists of names',
  ItemSchema,
  { categories: ['a', ' b / c/', ['d ', '', 'e']] },
  { categories: ['a', 'b/c', 'd/e'] },
);
accepts(
  'entries as a list',
  ItemSchema,
  { item_attributes: [{ name: 'n', value: 'v' }] },
  { itemAttributes: [{ name: 'n', value: text('v') }] },
);
accepts(
  'entries as an object',
  ItemSchema,
  { item_attributes: { n: 'v', m: null } },
  { itemAttributes: [{ name: 'n', value: text('v') }, { name: 'm' }] },
);
accepts(
  'undeclared properties where there is a rest',
  RequestListSchema,
  { ...list, genre: ['a', 1, null], variables: { x: 1 } },
  {
    configurationId: 'c',
    listName: 'l',
    listSize: 3,
    variables: { genre: ['a', 1, null], variables: { x: 1 } },
  },
);
accepts(
  'a number for a string that may be one',
  EventSchema,
  { event_type: 'purchase', request_id: 12 },
  { eventType: EventType.PURCHASE, requestId: '12' },
);
accepts(
  'Unix seconds for a moment',
  EventSchema,
  { event_type: 'purchase', timestamp: -1.5 },
  { eventType: EventType.PURCHASE, timestamp: { seconds: -2n, nanos: 500_000_000 } },
);
accepts(
  'RFC 3339 for a moment',
  EventSchema,
  { event_type: 'purchase', timestamp: '2024-02-29T01:00:00.25+01:00' },
  { eventType: EventType.PURCHASE, timestamp: { seconds: 1_709_164_800n, nanos: 250_000_000 } },
);
accepts('1.0 as an integer', HistoryItemSchema, { id: 'i', timestamp: 1.0 }, { id: 'i', timestamp: 1n });
accepts(
  'null as absent',
  HistoryItemSchema,
  { id: 'i', timestamp: null, item_type: null, reconsumable: null },
  { id: 'i' },
);
accepts(
  'an annotation by its name with an underscore',
  ConfigurationSchema,
  { constraints: [{ diversify: { key: 'k' }, _diversify_explanation: 'why' }] },
  {
    constraints: [{ rule: { case: 'diversify', value: { key: 'k' } }, diversifyExplanation: 'why' }],
  },
);
accepts(
  'any JSON as a value',
  VariableSchema,
  { name: 'n', default: { a: [null, true, 1] } },
  {
    name: 'n',
    default: {
      kind: {
        case: 'structValue',
        value: {
          fields: {
            a: {
              kind: {
                case: 'listValue',
                value: {
                  values: [
                    { kind: { case: 'nullValue', value: 0 } },
                    { kind: { case: 'boolValue', value: true } },
                    { kind: { case: 'numberValue', value: 1 } },
                  ],
                },
              },
            },
          },
        },
      },
    },
  },
);
accepts(
  'a Struct that is no rest',
  SearchRequestSchema,
  { q: '', device_id: 'd', page_type: 'p', filter_by: { brand: ['a'] } },
  { q: '', deviceId: 'd', pageType: 'p', filterBy: { brand: ['a'] } },
);

test('null is no element of a list of objects', (t) => {
  const { violations, reason } = decodeJson(SearchRulesSchema, { promoted_content: [{}, null] });
  t.deepEqual(violations, [{ pointer: '/promoted_content/1', detail: 'Must be an object.' }]);
  t.is(reason, 'BODY_INVALID');
});

test('an object in a list may have more properties than the list has elements, however it comes', (t) => {
  const banner = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`part ${i}`, i]));
  const { message, violations } = decodeJson(SearchRulesSchema, { promoted_content: [banner, {}] });
  t.deepEqual(violations, []);
  t.deepEqual(validateMessage(SearchRulesSchema, message), []);
});

test('__proto__ is a property like any other', (t) => {
  const json = JSON.parse('{"event_type": "purchase", "__proto__": {"user_id": "x"}}');
  const { message, violations } = decodeJson(EventSchema, json);
  t.deepEqual(violations, []);
  t.is(message.userId, undefined);
  t.deepEqual(Object.keys(message.extra!), ['__proto__']);
  t.is(
    JSON.stringify(encodeJson(EventSchema, message)),
    '{"event_type":"purchase","__proto__":{"user_id":"x"}}',
  );
  t.is(({} as { user_id?: string }).user_id, undefined);
});

test('fields without presence always show and others only when set', (t) => {
  t.deepEqual(encodeJson(QuerySchema, create(QuerySchema)), { key: '' });
  t.deepEqual(encodeJson(RequestListSchema, create(RequestListSchema)), {
    configuration_id: '',
    list_name: '',
    list_content: [],
  });
});

test('declared names win over those of the rest', (t) => {
  const event = create(EventSchema, {
    eventType: EventType.PURCHASE,
    extra: { event_type: 'impression', colour: 'red' },
  });
  t.deepEqual(encodeJson(EventSchema, event), { event_type: 'purchase', colour: 'red' });
});

test('fields for gRPC callers only are not JSON properties', (t) => {
  t.deepEqual(encodeJson(ItemSchema, create(ItemSchema, { itemId: 'i', enabled: true, revision: 3 })), {
    item_id: 'i',
    categories: [],
    tags: [],
    images: [],
    item_attributes: [],
  });
  t.deepEqual(decodeJson(ItemSchema, { enabled: false }).message.properties, { enabled: false });
});

test('a verbatim message is answered with the JSON it came from', (t) => {
  const json = { item_id: 'i', images: ['u'], title: null };
  const { message } = decodeJson(ItemSchema, json);
  t.is(verbatimOf(message), json);
  t.is(encodeJson(ItemSchema, message), json);
  const stored = withVerbatim(create(ItemSchema), { item_id: 'j' });
  t.deepEqual(encodeJson(ItemSchema, stored), { item_id: 'j' });
});

test('a copy of a verbatim message is another message', (t) => {
  const { message } = decodeJson(ItemSchema, { item_id: 'i', title: 'old' });
  const copy = { ...message, title: 'new' };
  t.is(verbatimOf(copy), undefined);
  t.like(encodeJson(ItemSchema, copy), { item_id: 'i', title: 'new' });
});

test('a oneof decodes its one member', (t) => {
  const { message } = decodeJson(ImportedEventSchema, { line: 3, json: '{}' });
  t.deepEqual(message.form, { case: 'json', value: '{}' });
  t.is(message.line, 3n);
});
