import type { JsonValue } from '@bufbuild/protobuf';
import test from 'ava';
import { routes } from '../../../gen/rest/routes.ts';
import { services } from '../../../gen/rest/services.ts';
import { DomainError } from '../../../src/errors.ts';
import { encodeJson } from '../../../src/formats/codec.ts';
import {
  bindBody,
  bindForm,
  bindNoBody,
  bindParameters,
  encodeAnswer,
} from '../../../src/servers/gateway/binding.ts';
import { createEndpoints } from '../../../src/servers/gateway/endpoint.ts';
import { fc } from '../../support/properties.ts';

const methods = new Map(
  services
    .flatMap((service) => service.methods)
    .map((method) => [`${method.parent.typeName}/${method.name}`, method]),
);
const endpoints = new Map(
  createEndpoints(routes, (name) => methods.get(name)).map((endpoint) => [endpoint.method.name, endpoint]),
);

function bind(rpc: string, path: Record<string, string>, query: string) {
  const endpoint = endpoints.get(rpc)!;
  const { message, fault, writeKey } = bindParameters(endpoint, path, query);
  return {
    json: encodeJson(endpoint.method.input, message),
    pointers: fault?.violations.map((violation) => violation.pointer),
    reason: fault?.reason,
    writeKey,
  };
}

/** Query of GetMetric, and the resulting request. */
const accepted: [string, JsonValue][] = [
  ['', {}],
  ['&', {}],
  ['ascending=false&limit=12', { ascending: false, limit: 12 }],
  ['environment=a%20b+c', { environment: 'a b c' }],
  ['start_time[gte]=x&start_time[lt]=y', { start_time: { gte: 'x', lt: 'y' } }],
  ['start_time.gte=x&start_time%5Blt%5D=y', { start_time: { gte: 'x', lt: 'y' } }],
  ['start_time=%7B%22gte%22:%22x%22%7D', { start_time: { gte: 'x' } }],
];
for (const [query, expected] of accepted) {
  test(`the query ${query} is bound`, (t) => {
    const { json, pointers } = bind('GetMetric', { metric: 'm' }, query);
    t.is(pointers, undefined);
    t.deepEqual(json, { metric: 'm', ...(expected as object) });
  });
}

test('properties of a map are bound, and each once', (t) => {
  const bound = (query: string) => bind('ListPerformance', { environment: 'e' }, `dimension=d&${query}`);
  const expected = { list_name: 'top', segments: { country: 'DE', 'a.b': '1', __proto__x: '' } };
  for (const query of [
    'where.list_name=top&where.segments.country=DE&where[segments][__proto__x]=&where.segments.a.b=1',
    `where=${encodeURIComponent(JSON.stringify(expected))}`,
    `where.list_name=top&where.segments=${encodeURIComponent(JSON.stringify(expected.segments))}`,
  ]) {
    const { json, pointers } = bound(query);
    t.is(pointers, undefined);
    t.deepEqual((json as { where: object }).where, expected);
  }
  t.deepEqual(bound('where.segments.a=1&where.segments.a=2').pointers, ['query:where.segments.a']);
  t.deepEqual(bound('where.segments=x').pointers, ['query:where.segments']);
  const { json } = bound('where.segments.__proto__=1');
  t.deepEqual(Object.keys((json as { where: { segments: object } }).where.segments), ['__proto__']);
});

/** Query of GetMetric, and the pointers of its violations. */
const refused: [string, string[]][] = [
  ['limit=x', ['query:limit']],
  ['limit=1.5', ['query:limit']],
  ['limit=0', ['query:limit']],
  ['limit=', ['query:limit']],
  ['limit=1&limit=2', ['query:limit']],
  ['ascending=1', ['query:ascending']],
  ['limt=1&ascending=no', ['query:limt', 'query:ascending']],
  ['metric=x', ['query:metric']],
  ['start_time=x', ['query:start_time']],
  ['start_time=x&start_time.gte=y', ['query:start_time.gte', 'query:start_time']],
  ['start_time[gt]=x', ['query:start_time[gt]']],
  ['start_time[gte]=%00', ['query:start_time.gte']],
  ['start_time[gte]=a&start_time.gte=b', ['query:start_time.gte']],
  ['environment[a]=x', ['query:environment[a]']],
  ['__proto__[a]=x&constructor=y', ['query:__proto__[a]', 'query:constructor']],
  ['limit=%zz', ['query:']],
  [Array(300).fill('a=b').join('&'), ['query:']],
];
for (const [query, pointers] of refused) {
  test(`the query ${query.slice(0, 40)} is refused`, (t) => {
    const bound = bind('GetMetric', { metric: 'm' }, query);
    t.deepEqual(bound.pointers, pointers);
    t.is(bound.reason, 'PARAMETER_INVALID');
  });
}

test('a path parameter has the limits of its field', (t) => {
  t.deepEqual(bind('GetMetric', { metric: 'm'.repeat(65) }, '').pointers, ['path:metric']);
});

test('missing required query parameters are reported', (t) => {
  t.deepEqual(bind('GetRecommendationList', { environment: 'e' }, 'limit=3').pointers, [
    'query:list_key',
    'query:offset',
  ]);
});

test('a write key is allowed on every path', (t) => {
  t.is(bind('GetMetric', { metric: 'm' }, 'write_key=k').writeKey, 'k');
});

test('fields for gRPC callers only are not query parameters', (t) => {
  t.deepEqual(bind('DeleteConfiguration', { configuration_id: 'c' }, 'expected_version=1').pointers, [
    'query:expected_version',
  ]);
});

function bodyOf(rpc: string, body: JsonValue, query = '') {
  const endpoint = endpoints.get(rpc)!;
  const { message } = bindParameters(endpoint, { environment: 'e' }, query);
  const violations = bindBody(endpoint, message, body);
  return { message, violations, json: encodeJson(endpoint.method.input, message) };
}

function faultOf(run: () => unknown): DomainError {
  try {
    run();
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

test('the body is one field of the request', (t) => {
  const { json } = bodyOf('CreateEvents', { events: [{ event_type: 'purchase' }] });
  t.deepEqual(json, { environment: 'e', batch: { events: [{ event_type: 'purchase' }] } });
});

test('the body has all fields outside the path', (t) => {
  const error = faultOf(() => bodyOf('CreateAudience', { environment: 'f' }));
  t.deepEqual(
    error.violations.map(({ pointer }) => pointer),
    ['/environment', '/audience'],
  );
});

test('a body that is not an object is BODY_INVALID at the root', (t) => {
  for (const [rpc, body] of [
    ['CreateEvents', []],
    ['CreateAudience', null],
  ] as const) {
    const error = faultOf(() => bodyOf(rpc, body as JsonValue));
    t.is(error.reason, 'BODY_INVALID');
    t.is(error.violations[0].pointer, '');
  }
});

test('an unknown operator takes precedence over other violations', (t) => {
  const body = { constraints: [{ query: { regex: 'x' } }] };
  t.is(faultOf(() => bodyOf('CreateConfiguration', body)).reason, 'OPERATOR_UNSUPPORTED');
});

test('violations in single events are passed to the handler, for every event', (t) => {
  const events = Array.from(
    { length: 500 },
    (_, index): JsonValue => (index % 2 === 0 ? { event_type: 'x', amount: -1 } : { event_type: 'purchase' }),
  );
  const { violations, message } = bodyOf('CreateEvents', { events });
  t.is(new Set(violations.map(({ pointer }) => pointer.split('/')[2])).size, 250);
  t.is((message as unknown as { batch: { events: unknown[] } }).batch.events.length, 500);
});

test('violations outside the events refuse the request', (t) => {
  t.is(faultOf(() => bodyOf('CreateEvents', { events: [] }, 'partial=true')).reason, 'BODY_INVALID');
  const unknown = { events: [{ event_type: 'x' }], more: 1 };
  t.is(faultOf(() => bodyOf('CreateEvents', unknown, 'partial=true')).reason, 'BODY_INVALID');
});

test('a form is read by the types of the fields, ignoring other names', (t) => {
  const endpoint = endpoints.get('CreateToken')!;
  const { message } = bindParameters(endpoint, {}, '');
  bindForm(endpoint, message, 'grant_type=client_credentials&client_id=a%2Bb&audience=x');
  t.deepEqual(encodeJson(endpoint.method.input, message), {
    grant_type: 'client_credentials',
    client_id: 'a+b',
  });
});

test('an invalid form is refused', (t) => {
  const endpoint = endpoints.get('CreateToken')!;
  const { message } = bindParameters(endpoint, {}, '');
  t.is(faultOf(() => bindForm(endpoint, message, 'grant_type=%zz')).reason, 'BODY_NOT_JSON');
  const error = faultOf(() => bindForm(endpoint, message, 'client_id=a&client_id=b'));
  t.deepEqual(
    error.violations.map(({ pointer }) => pointer),
    ['/client_id'],
  );
});

test('a request without a required body is refused', (t) => {
  t.notThrows(() => bindNoBody(endpoints.get('EnableItem')!));
  t.notThrows(() => bindNoBody(endpoints.get('PutItem')!));
  t.is(faultOf(() => bindNoBody(endpoints.get('CreateItem')!)).reason, 'BODY_INVALID');
  t.is(faultOf(() => bindNoBody(endpoints.get('CreateEvents')!)).reason, 'BODY_NOT_JSON');
});

test('an answer may be one field of the response', (t) => {
  const endpoint = endpoints.get('ListConfigurations')!;
  const answer = { $typeName: endpoint.method.output.typeName, configurationIds: ['a'] };
  t.deepEqual(encodeAnswer(endpoint, answer), ['a']);
  t.throws(() => encodeAnswer(endpoints.get('GetItem')!, { $typeName: 'x' }), { message: /not set/ });
});

test('any query is bound or refused', (t) => {
  const endpoint = endpoints.get('GetMetric')!;
  const piece = fc.oneof(
    fc.constantFrom('start_time', '[', ']', '.', '=', '&', '%', '{"gte":1}', 'limit'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      const { fault } = bindParameters(endpoint, { metric: 'm' }, pieces.join(''));
      t.true(fault === undefined || fault.reason === 'PARAMETER_INVALID');
    }),
  );
});
