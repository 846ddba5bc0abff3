import { readFileSync } from 'node:fs';
import test from 'ava';
import { routes } from '../../../gen/rest/routes.ts';
import { services } from '../../../gen/rest/services.ts';
import { describeInterface } from '../../../tools/protoc-gen-rest/openapi.ts';

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
    t.true(Object.keys(documented.responses as object).includes('200'), operation);
  }
});

test('every reference leads somewhere', (t) => {
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
  const [first, second] = [describeInterface(services, routes), describeInterface(services, routes)];
  t.is(JSON.stringify(first), JSON.stringify(second));
});

test('shapes are those of the JSON', (t) => {
  t.is(schemas.History.type, 'array');
  t.deepEqual(
    (schemas.QueryMatch.oneOf as Schema[]).map((shape) => shape.type),
    ['object', 'array', ['string', 'number', 'boolean']],
  );
  t.deepEqual((schemas.Query as unknown as Schema).properties.contains.oneOf as object[], [
    { $ref: '#/components/schemas/Operand' },
    { type: 'array', items: { $ref: '#/components/schemas/Operand' }, minItems: 1, maxItems: 1000 },
  ]);
  t.is(schemas.Query.additionalProperties, false);
  t.is(typeof schemas.Event.additionalProperties, 'object');
  t.false('enabled' in schemas.Item.properties);
  t.true((schemas.Event.properties.event_type.enum as string[]).includes('detail_pageview'));
  t.deepEqual(schemas.Event.properties.request_id.type, ['string', 'number']);
  t.deepEqual(schemas.RecommendedItem.required, ['item_id', 'rank']);
});

test('what protects an operation is documented', (t) => {
  t.deepEqual(document.paths['/{environment}/events'].post.security, [
    { token: ['events:*'] },
    { write_key: [] },
  ]);
  t.deepEqual(document.paths['/oauth/token'].post.security, []);
});
