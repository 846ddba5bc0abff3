import test from 'ava';
import {
  checkScopes,
  includesScope,
  isScope,
  mostScopes,
  nameScope,
  permits,
  scopeAreas,
} from '../../src/security/scopes.ts';
import { fc } from '../support/properties.ts';
import { errorOf } from './support/reasons.ts';

const area = fc.constantFrom(...scopeAreas);
const environment = fc.stringMatching(/^[A-Za-z0-9_.-]{1,64}$/);
const place = fc.oneof(fc.constant('*'), environment);

const grammar: [text: string, isOne: boolean, why: string][] = [
  ['items:*', true, 'an area everywhere'],
  ['events:shop', true, 'an area in one environment'],
  ['metrics:my-shop_2.test', true, 'every character that environments have'],
  [`items:${'a'.repeat(64)}`, true, 'the longest environment'],
  [`items:${'a'.repeat(65)}`, false, 'a longer one'],
  ['items', false, 'no place'],
  ['items:', false, 'an empty place'],
  ['Items:*', false, 'an area in capitals'],
  ['orders:*', false, 'an unknown area'],
  ['items:**', false, 'a pattern'],
  ['items:shop ', false, 'a space behind'],
  ['items:shop\n', false, 'a line break behind'],
  ['items:shop events:shop', false, 'two scopes'],
  ['items:shop:x', false, 'three parts'],
];

for (const [text, isOne, why] of grammar) {
  test(`${JSON.stringify(text)} is ${isOne ? 'a' : 'no'} scope: ${why}`, (t) => {
    t.is(isScope(text), isOne);
  });
}

const permissions: [held: string, area: string, environment: string | undefined, permitted: boolean][] = [
  ['items:*', 'items', 'shop', true],
  ['items:*', 'items', undefined, true],
  ['items:shop', 'items', 'shop', true],
  ['items:shop', 'items', 'shop2', false],
  ['items:shop', 'items', 'Shop', false],
  ['items:shop', 'items', undefined, false],
  ['items:shop', 'items', '*', false],
  ['items:shop', 'items', '', false],
  ['items:*', 'events', 'shop', false],
  ['admin:*', 'configurations', undefined, true],
  ['admin:*', 'items', 'shop', true],
  ['admin:shop', 'items', 'shop', true],
  ['admin:shop', 'items', 'other', false],
  ['admin:shop', 'configurations', undefined, false],
  ['items:*', 'admin', 'shop', false],
  ['configurations:shop', 'configurations', undefined, false],
  ['metrics:shop', 'metrics', 'shop', true],
  ['metrics:shop', 'metrics', undefined, false],
];

for (const [held, wanted, where, permitted] of permissions) {
  const place = where === undefined ? 'the whole deployment' : JSON.stringify(where);
  test(`${held} ${permitted ? 'permits' : 'does not permit'} ${wanted} in ${place}`, (t) => {
    t.is(permits([held], wanted, where), permitted);
  });
}

test('every scope of the grammar is accepted and permits exactly its place', (t) => {
  fc.assert(
    fc.property(area, place, environment, (areaName, at, elsewhere) => {
      const scope = `${areaName}:${at}`;
      t.deepEqual(checkScopes([scope, scope]), [scope]);
      t.true(includesScope([scope], scope));
      t.is(permits([scope], areaName, elsewhere), at === '*' || at === elsewhere);
      t.is(permits([scope], areaName, undefined), at === '*');
    }),
  );
});

test('a text is accepted if and only if it is an area, a colon and a place', (t) => {
  const near = fc.tuple(
    fc.oneof(area, fc.string()),
    fc.constantFrom(':', '', '::', ' '),
    fc.oneof(place, fc.string()),
  );
  fc.assert(
    fc.property(near, ([areaName, colon, at]) => {
      const text = areaName + colon + at;
      t.is(isScope(text), reads(text));
    }),
  );
});

/** The grammar, implemented by splitting. */
function reads(text: string): boolean {
  const parts = text.split(':');
  const [areaName, at] = parts;
  if (parts.length !== 2 || !(scopeAreas as readonly string[]).includes(areaName)) return false;
  return at === '*' || (at.length >= 1 && at.length <= 64 && [...at].every((c) => /[A-Za-z0-9_.-]/.test(c)));
}

test('each invalid scope is reported with its place in the list', async (t) => {
  const error = await errorOf(() => checkScopes(['items:*', 'orders:*', 'events']));
  t.is(error?.reason, 'BODY_INVALID');
  t.deepEqual(
    error?.violations.map((violation) => violation.pointer),
    ['/scopes/1', '/scopes/2'],
  );
});

test('a client has at least one scope and at most 64', async (t) => {
  const many = Array.from({ length: mostScopes + 1 }, (_, index) => `items:e${index}`);
  t.is((await errorOf(() => checkScopes([])))?.reason, 'BODY_INVALID');
  t.is((await errorOf(() => checkScopes(many)))?.reason, 'BODY_INVALID');
  t.is(checkScopes(many.slice(1)).length, mostScopes);
});

test('an impossible environment is not repeated in an error', (t) => {
  t.is(nameScope('items', 'shop'), 'items:shop');
  t.is(nameScope('items', 'x'.repeat(1000)), 'items:*');
  t.is(nameScope('items', undefined), 'items:*');
});
