import { create, type DescMessage, type JsonValue, type MessageInitShape } from '@bufbuild/protobuf';
import test from 'ava';
import { DeploymentConfigSchema } from '../../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { AudienceRequestSchema } from '../../../gen/es/personalisation/v1/audience_pb.js';
import { ConfigurationSchema, QuerySchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import { EventSchema, EventType } from '../../../gen/es/personalisation/v1/event_pb.js';
import { EventBatchSchema } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { ItemSchema } from '../../../gen/es/personalisation/v1/item_pb.js';
import {
  HistoryItemSchema,
  RecommendationRequestSchema,
} from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import { SearchRequestSchema } from '../../../gen/es/personalisation/v1/search_pb.js';
import { decodeJson, maxViolationCount, validateMessage } from '../../../src/formats/codec.ts';

const operator = 'OPERATOR_UNSUPPORTED';

/** Title, type, JSON, the pointers of the faults, and the reason where it is not BODY_INVALID. */
const rows: [string, DescMessage, JsonValue, string[], string?][] = [
  ['something that is no object', EventSchema, [], ['']],
  ['null for the whole', EventSchema, null, ['']],
  ['a missing required string', QuerySchema, { match: 'a' }, ['/key']],
  ['an empty required string', QuerySchema, { key: '' }, ['/key']],
  ['null for a required field', QuerySchema, { key: null }, ['/key']],
  [
    'a missing required string with presence',
    SearchRequestSchema,
    { device_id: 'd', page_type: 'p' },
    ['/q'],
  ],
  ['a missing required list', EventBatchSchema, {}, ['/events']],
  ['an empty required list', EventBatchSchema, { events: [] }, ['/events']],
  ['an empty list that must hold something', QuerySchema, { key: 'k', or: [] }, ['/or']],
  ['null in a list', EventBatchSchema, { events: [null] }, ['/events/0']],
  ['an unknown enum name', EventSchema, { event_type: 'purchas' }, ['/event_type']],
  ['the zero value of an enum', EventSchema, { event_type: 'unspecified' }, ['/event_type']],
  ['an enum number', EventSchema, { event_type: 15 }, ['/event_type']],
  ['a string for a number', AudienceRequestSchema, audience({ audience_size: '1' }), ['/audience_size']],
  ['a fraction for an integer', AudienceRequestSchema, audience({ audience_size: 1.5 }), ['/audience_size']],
  ['a number below the minimum', AudienceRequestSchema, audience({ audience_size: 0 }), ['/audience_size']],
  ['a number above the maximum', AudienceRequestSchema, audience({ audience_size: 1e8 }), ['/audience_size']],
  ['an integer beyond 32 bits', AudienceRequestSchema, audience({ limit: 2 ** 40 }), ['/limit']],
  ['an integer beyond 2^53', HistoryItemSchema, { id: 'i', timestamp: 2 ** 53 }, ['/timestamp']],
  [
    'an infinite number',
    EventSchema,
    { event_type: 'purchase', amount: Number.POSITIVE_INFINITY },
    ['/amount'],
  ],
  ['a string for a boolean', HistoryItemSchema, { id: 'i', reconsumable: 'true' }, ['/reconsumable']],
  ['a number for a string', HistoryItemSchema, { id: 1 }, ['/id']],
  ['a long string', HistoryItemSchema, { id: 'x'.repeat(257) }, ['/id']],
  ['a NUL character', HistoryItemSchema, { id: 'a\0' }, ['/id']],
  ['a lone surrogate', HistoryItemSchema, { id: 'a\ud800' }, ['/id']],
  ['a lone surrogate in a rest', EventSchema, { event_type: 'purchase', a: ['\udc00'] }, ['/a/0']],
  ['a NUL in a key of a rest', EventSchema, { event_type: 'purchase', 'a\0': 1 }, ['/a\0']],
  ['too many properties in a rest', EventSchema, { event_type: 'purchase', ...many(101) }, ['']],
  ['deep nesting', EventSchema, { event_type: 'purchase', a: nested(33) }, [`/a${'/0'.repeat(31)}`]],
  ['a number that lost digits', EventSchema, { event_type: 'purchase', event_id: 2 ** 60 }, ['/event_id']],
  [
    'a day that does not exist',
    EventSchema,
    { event_type: 'purchase', timestamp: '2023-02-29T00:00:00Z' },
    ['/timestamp'],
  ],
  [
    'a moment without offset',
    EventSchema,
    { event_type: 'purchase', timestamp: '2023-02-28T00:00:00' },
    ['/timestamp'],
  ],
  ['milliseconds for seconds', EventSchema, { event_type: 'purchase', timestamp: 1.7e12 }, ['/timestamp']],
  ['an empty path', ItemSchema, { categories: ['/'] }, ['/categories/0']],
  ['a path of something else than names', ItemSchema, { categories: [[1]] }, ['/categories/0']],
  ['too many elements', ItemSchema, { tags: Array(501).fill('t') }, ['/tags']],
  ['a missing required field of an element', ItemSchema, { images: [{ alt: 'a' }] }, ['/images/0/url']],
  ['a fault in entries by name', ItemSchema, { item_attributes: { '': 1 } }, ['/item_attributes/']],
  [
    'a slash and a tilde in a name',
    ItemSchema,
    { item_attributes: { 'a/~b': '\0' } },
    ['/item_attributes/a~1~0b'],
  ],
  [
    'a list for a map',
    SearchRequestSchema,
    { q: '', device_id: 'd', page_type: 'p', histories: [] },
    ['/histories'],
  ],
  [
    'an object for a bare list',
    SearchRequestSchema,
    { q: '', device_id: 'd', page_type: 'p', histories: { a: { items: [] } } },
    ['/histories/a'],
  ],
  [
    'a long history',
    SearchRequestSchema,
    { q: '', device_id: 'd', page_type: 'p', histories: { a: Array(51).fill({ id: 'i' }) } },
    ['/histories/a'],
  ],
  [
    'a fault in a history',
    SearchRequestSchema,
    { q: '', device_id: 'd', page_type: 'p', histories: { a: [{}] } },
    ['/histories/a/0/id'],
  ],
  [
    'a string that is no alternative',
    DeploymentConfigSchema,
    { environments: [{ name: 'e', item_types: [{ name: 'i', properties: [{ name: 'p', type: 'text' }] }] }] },
    ['/environments/0/item_types/0/properties/0/type'],
  ],
  ['an unknown property', HistoryItemSchema, { id: 'i', item_typ: 'x' }, ['/item_typ']],
  [
    'an unknown operator',
    QuerySchema,
    { key: 'k', regex: 'x', contains: 1, or: [] },
    ['/regex', '/or'],
    operator,
  ],
  [
    'an unknown operator deep down',
    ConfigurationSchema,
    { constraints: [{ query: { key: 'k', match: { nor: ['a'] } } }] },
    ['/constraints/0/query/match/nor'],
    operator,
  ],
  [
    'two members of a oneof',
    ConfigurationSchema,
    { constraints: [{ query: { key: 'k' }, diversify: { key: 'k' } }] },
    ['/constraints/0/diversify'],
  ],
  ['a list in a list of operands', QuerySchema, { key: 'k', or: [['a']] }, ['/or/0']],
];

for (const [title, desc, json, pointers, reason] of rows) {
  test(`reports ${title}`, (t) => {
    const decoded = decodeJson(desc, json);
    t.deepEqual(
      decoded.violations.map((violation) => violation.pointer),
      pointers,
    );
    t.is(decoded.reason, (reason ?? 'BODY_INVALID') as typeof decoded.reason);
  });
}

function invalid<Desc extends DescMessage>(
  title: string,
  desc: Desc,
  init: MessageInitShape<Desc>,
  pointers: string[],
): void {
  test(`reports ${title} of a message where a JSON caller would see it`, (t) => {
    const found = validateMessage(desc, create(desc, init));
    t.deepEqual(
      found.map((violation) => violation.pointer),
      pointers,
    );
  });
}

const nul = { kind: { case: 'stringValue' as const, value: '\0' } };
invalid('a missing required field', QuerySchema, {}, ['/key']);
invalid('an unset required field with presence', SearchRequestSchema, { deviceId: 'd', pageType: 'p' }, [
  '/q',
]);
invalid('an unspecified enum', EventSchema, {}, ['/event_type']);
invalid('an undeclared enum', EventSchema, { eventType: 99 as EventType }, ['/event_type']);
invalid('an operand', QuerySchema, { key: 'k', contains: [{ value: nul }] }, ['/contains/0/value']);
invalid('a bare list of several fields', QuerySchema, { key: 'k', match: { or: [{ value: nul }] } }, [
  '/match/or/0/value',
]);
invalid(
  'a bare list',
  SearchRequestSchema,
  { q: '', deviceId: 'd', pageType: 'p', histories: { a: { items: [{}] } } },
  ['/histories/a/0/id'],
);
invalid('a rest', EventSchema, { eventType: EventType.PURCHASE, extra: { a: ['\0'] } }, ['/a/0']);
invalid('a oneof', ConfigurationSchema, { constraints: [{ rule: { case: 'diversify', value: {} } }] }, [
  '/constraints/0/diversify/key',
]);
invalid('an int64', HistoryItemSchema, { id: 'i', timestamp: 2n ** 60n }, ['/timestamp']);
invalid('a moment', EventSchema, { eventType: EventType.PURCHASE, timestamp: { seconds: 2n ** 60n } }, [
  '/timestamp',
]);
invalid('a path that is not in normal form', ItemSchema, { categories: ['a / b'] }, ['/categories/0']);
invalid('a NaN', EventSchema, { eventType: EventType.PURCHASE, amount: Number.NaN }, ['/amount']);

test('fields that the service sets are not validated', (t) => {
  t.deepEqual(validateMessage(ItemSchema, create(ItemSchema, { updateTime: { nanos: -1 } })), []);
});

test('no more faults are reported than the bound', (t) => {
  const events = Array(500).fill({});
  t.is(decodeJson(EventBatchSchema, { events }).violations.length, maxViolationCount);
  t.is(
    decodeJson(RecommendationRequestSchema, { lists: Array(100).fill({}) }).violations.length,
    maxViolationCount,
  );
});

test('a long name of the caller is cut in the answer', (t) => {
  const { violations } = decodeJson(HistoryItemSchema, { id: 'i', ['x'.repeat(1_000_000)]: 1 });
  t.true(JSON.stringify(violations).length < 1000);
});

test('a misspelt name is answered with the nearest one', (t) => {
  const { violations } = decodeJson(QuerySchema, { key: 'k', contain: 'a' });
  t.regex(violations[0].detail, /`contains`/);
});

function audience(changed: Record<string, JsonValue>): JsonValue {
  return {
    audience_name: 'a',
    audience_size: 5,
    integration_type: 'email',
    promotion: [{ id: 'i' }],
    ...changed,
  };
}

function many(count: number): Record<string, JsonValue> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, index]));
}

function nested(levels: number): JsonValue {
  let json: JsonValue = [];
  for (let level = 1; level < levels; level++) json = [json];
  return json;
}
