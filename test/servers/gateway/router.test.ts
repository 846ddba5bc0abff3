import test from 'ava';
import { routes } from '../../../gen/rest/routes.ts';
import { createRouter, type Routed } from '../../../src/servers/gateway/router.ts';
import { fc } from '../../support/properties.ts';

const router = createRouter(
  routes.map((route) => ({ route })),
  '/api',
);

function operationAt(method: string, path: string) {
  const match = router.match(method, path);
  return match.kind === 'found' ? match.target.route.operation.split('/')[1] : match.kind;
}

/** Method, path, and the found rpc or failure. */
const rows: [string, string, string][] = [
  ['PUT', '/api/shop/items/product/42', 'PutItem'],
  ['HEAD', '/api/shop/items/product/42', 'GetItem'],
  ['POST', '/api/shop/items/product/42/enable', 'EnableItem'],
  ['GET', '/api/configurations', 'ListConfigurations'],
  ['GET', '/api/configurations/events', 'GetConfiguration'],
  ['POST', '/api/configurations/events', 'method'],
  ['GET', '/api/metrics/items/product/42', 'GetItem'],
  ['GET', '/api/shop/items/product', 'method'],
  ['GET', '/api/%63onfigurations', 'ListConfigurations'],
  ['GET', '/api/configurations/', 'unknown'],
  ['GET', '/api/shop/items//42', 'unknown'],
  ['GET', '/api', 'unknown'],
  ['GET', '/apis/configurations', 'unknown'],
  ['GET', '/configurations', 'unknown'],
  ['GET', 'http://host/api/configurations', 'unknown'],
  ['GET', '/api/shop/items/product/%zz', 'malformed'],
  ['GET', '/api/shop/items/product/%ff', 'malformed'],
  ['PATCH', '/api/shop/items/product/42', 'UpdateItem'],
  ['LOCK', '/api/shop/items/product/42', 'method'],
];

for (const [method, path, expected] of rows) {
  test(`${method} ${path} is ${expected}`, (t) => t.is(operationAt(method, path), expected));
}

test('an encoded slash stays inside its segment', (t) => {
  const match = router.match('GET', '/api/shop/items/product/a%2Fb%20c+d');
  t.deepEqual(match.kind === 'found' && match.parameters, {
    environment: 'shop',
    item_type: 'product',
    item_id: 'a/b c+d',
  });
});

test('a path with other methods returns them', (t) => {
  const match = router.match('LOCK', '/api/shop/items/product/42');
  const allowed = match.kind === 'method' && match.allowed.toSorted();
  t.deepEqual(allowed, ['DELETE', 'GET', 'HEAD', 'PATCH', 'PUT']);
});

test('paths start at the root without a base path', (t) => {
  const bare = createRouter([{ route: { httpMethod: 'GET', path: '/a' } }], '/');
  t.is(bare.match('GET', '/a').kind, 'found');
});

test('two targets for one path are refused', (t) => {
  const conflict = ['/{a}/x', '/{b}/x'].map((path) => ({ route: { httpMethod: 'GET', path } }));
  t.throws(() => createRouter(conflict, ''), { message: /two routes/ });
});

const segment = fc.constantFrom('a', 'b', 'c', '{p}', '{q}');
const path = fc
  .array(segment, { minLength: 1, maxLength: 4 })
  .map((segments) => `/${segments.map((name, index) => name.replace('}', `${index}}`)).join('/')}`);

test('the router agrees with a naive matcher', (t) => {
  fc.assert(
    fc.property(fc.uniqueArray(path, { maxLength: 12, selector: shapeOf }), path, (paths, asked) => {
      const targets = paths.map((template) => ({ route: { httpMethod: 'GET', path: template } }));
      const request = asked.replaceAll(/[{}]/g, '');
      const match = createRouter(targets, '').match('GET', request);
      t.is(match.kind === 'found' ? match.target.route.path : undefined, naiveMatch(targets, request));
    }),
    { numRuns: 500 },
  );
});

/** Finds the matching template with the earliest literals. */
function naiveMatch(targets: Routed[], request: string): string | undefined {
  const matching = targets
    .map(({ route }) => route.path)
    .filter((template) => new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(request));
  return matching.sort((a, b) => (shapeOf(a) < shapeOf(b) ? -1 : 1))[0];
}

/** Literals sort before `~`. */
function shapeOf(template: string): string {
  return template.replaceAll(/\{\w+\}/g, '~');
}
