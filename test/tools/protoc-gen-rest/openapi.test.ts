import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { lint, loadConfig } from '@redocly/openapi-core';
import test from 'ava';
import { routes } from '../../../gen/rest/routes.ts';
import { services } from '../../../gen/rest/services.ts';
import { describeInterface } from '../../../tools/protoc-gen-rest/openapi.ts';
import { startAnswerCheck } from '../../support/answer-check.ts';

type Document = Record<string, never> & {
  paths: Record<string, Record<string, Record<string, unknown>>>;
  components: { schemas: Record<string, Schema> };
};
type Schema = Record<string, unknown> & { properties: Record<string, Schema> };

const text = readFileSync(new URL('../../../gen/rest/openapi.json', import.meta.url), 'utf8');
const document = JSON.parse(text) as Document;
const { schemas } = document.components;

test('every route is documented', (t) => {
  for (const { path, httpMethod, operation } of routes) {
    const documented = document.paths[path][httpMethod.toLowerCase()];
    t.truthy(documented, operation);
    const statuses = Object.keys(documented.responses as object);
    t.true(
      statuses.some((status) => ['200', '201', '202'].includes(status)),
      operation,
    );
  }
});

test('every reference has a target', (t) => {
  const names = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]);
  for (const name of names) t.truthy(schemas[name], name);
});

test('everything is described', (t) => {
  const bare = Object.values(document.paths).flatMap((path) =>
    Object.values(path).filter((operation) => !operation.description),
  );
  t.deepEqual(bare, []);
  for (const [name, schema] of Object.entries(schemas)) t.truthy(schema.description, name);
});

test('the document is the same each time', (t) => {
  const describeAgain = () => JSON.stringify(describeInterface(services, routes, {}));
  t.is(describeAgain(), describeAgain());
});

test('linting by the recommended rules finds nothing', async (t) => {
  const at = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));
  const config = await loadConfig({ configPath: at('redocly.yaml') });
  const problems = await lint({ ref: at('gen/rest/openapi.json'), config });
  t.deepEqual(
    problems.map(({ ruleId, message }) => `${ruleId}: ${message}`),
    [],
  );
});

const bounds = ['maxLength', 'minLength', 'maxItems', 'minItems', 'maxProperties', 'minimum', 'maximum'];

test('requests are bounded, answers are not', (t) => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  /** Bounds of shapes, not of examples. */
  const isShape = (key: string) => key !== 'example' && key !== 'examples';
  const reached = (part: unknown) =>
    withReferences(JSON.stringify(part, (key, value) => (isShape(key) ? value : undefined)));
  const asked = reached(operations.map(({ requestBody }) => requestBody));
  /** A property of that name has a schema. */
  const holds = (text: string, bound: string) => new RegExp(`"${bound}":(?!\\{)`).test(text);
  for (const bound of bounds) t.true(holds(asked, bound), bound);
  const answered = reached(operations.map(({ responses }) => responses));
  for (const bound of bounds) t.false(holds(answered, bound), bound);
});

/** The text of a part of the document and of all its references. */
function withReferences(part: string): string {
  const seen = new Set<string>();
  const follow = (json: string): string => {
    const names = [...json.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map((match) => match[1]);
    const fresh = names.filter((name) => !seen.has(name) && seen.add(name));
    return json + fresh.map((name) => follow(JSON.stringify(schemas[name]))).join('');
  };
  return follow(part);
}

test('a document returned as sent may contain the sent nulls', (t) => {
  t.deepEqual(schemas.ItemAnswer.properties.title.type, ['string', 'null']);
  t.deepEqual(schemas.ItemAnswer.required, ['environment', 'item_id', 'item_type']);
  t.deepEqual(schemas.Item.properties.title.type, ['string', 'null']);
  t.is(schemas.RecommendedItem.properties.information_field.type, 'string');
});

test('shapes are those of the JSON', (t) => {
  t.is(schemas.History.type, 'array');
  t.deepEqual(
    (schemas.QueryMatch.oneOf as Schema[]).map((shape) => shape.$ref ?? shape.type),
    ['#/components/schemas/QueryMatchObject', 'array', 'string', 'number', 'boolean'],
  );
  t.deepEqual((schemas.Query as unknown as Schema).properties.contains.oneOf as object[], [
    { $ref: '#/components/schemas/OperandObject' },
    { type: ['string', 'null'] },
    { type: 'number' },
    { type: 'boolean' },
    { type: 'array', items: { $ref: '#/components/schemas/Operand' }, minItems: 1, maxItems: 1000 },
  ]);
  t.is(schemas.Query.additionalProperties, false);
  t.is(typeof schemas.Event.additionalProperties, 'object');
  t.false('enabled' in schemas.Item.properties);
  t.true((schemas.Event.properties.event_type.enum as string[]).includes('detail_pageview'));
  t.deepEqual(schemas.Event.properties.request_id.type, ['string', 'number', 'null']);
  t.deepEqual(schemas.RecommendedItem.required, ['item_id', 'rank', 'item_type']);
});

test('the security of each operation is documented', (t) => {
  t.deepEqual(document.paths['/{environment}/events'].post.security, [
    { token: ['events:*'] },
    { access_token: [] },
    { write_key: [] },
  ]);
  t.deepEqual(document.paths['/oauth/token'].post.security, []);
});

test('an undocumented answer does not pass', async (t) => {
  const check = startAnswerCheck();
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('[1]');
  });
  t.teardown(() => server.close());
  await new Promise<void>((done) => server.listen(0, done));
  await fetch(`http://localhost:${(server.address() as AddressInfo).port}/api/configurations`);
  t.throws(() => check.finish(), { message: /must be string/ });
});
