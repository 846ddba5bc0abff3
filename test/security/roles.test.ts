/** Roles and scopes for reading: what each permits, by the tables of the documents. */

import { readFileSync } from 'node:fs';
import test from 'ava';
import { type Access, includesScope, permits, scopeAreas } from '../../src/formats/scopes.ts';
import { fc } from '../support/properties.ts';

const read = (path: string) => readFileSync(new URL(`../../docs/${path}`, import.meta.url), 'utf8');

/** Areas and accesses of docs/security.md, one for each operation. */
const operations = Array.from(
  read('security.md').matchAll(/^\| `\w+\/\w+`.*? \| `(\w+)`(?: \((edit|publish)\))?.*? \|/gm),
  ([, area, access = 'read']) => ({ area, access: access as Access }),
).filter(({ area }) => area !== 'any');

/** Columns of the table of roles in docs/clients.md, by area: `read`, `edit`, `publish` or empty. */
const table = new Map(
  Array.from(
    read('clients.md').matchAll(
      /^\| `(\w+)` \| (read|edit|publish|–) \| (read|edit|publish|–) \| (read|edit|publish|–) \|$/gm,
    ),
    ([, area, viewer, editor, publisher]) => [area, { viewer, editor, publisher }] as const,
  ),
);

const order = ['–', 'read', 'edit', 'publish'];
const role = fc.constantFrom('viewer' as const, 'editor' as const, 'publisher' as const);
const place = fc.constantFrom('*', 'shop', 'news');
const environment = fc.constantFrom(undefined, 'shop', 'news', 'other');

test('the documents name every area', (t) => {
  t.deepEqual([...table.keys()].toSorted(), scopeAreas.filter((area) => area !== 'admin').toSorted());
  t.true(operations.length > 100);
});

test('a role permits an operation in its place as the table of roles says', (t) => {
  fc.assert(
    fc.property(role, place, environment, fc.constantFrom(...operations), (name, at, where, operation) => {
      const { area, access } = operation;
      const most = table.get(area)?.[name] ?? '–';
      const isHere = at === '*' || at === where;
      const expected = isHere && order.indexOf(access) <= order.indexOf(most);
      t.is(permits([`${name}:${at}`], area, where, access), expected);
      t.is(permits([`admin:${at}`], area, where, access), isHere);
      t.is(permits([`${area}.read:${at}`], area, where, access), isHere && access === 'read');
      t.is(permits([`admin.read:${at}`], area, where, access), isHere && access === 'read');
    }),
    { numRuns: 2_000 },
  );
});

const scope = fc
  .tuple(
    fc.constantFrom(
      ...scopeAreas,
      'viewer',
      'editor',
      'publisher',
      ...scopeAreas.map((area) => `${area}.read`),
    ),
    place,
  )
  .map((parts) => parts.join(':'));

test('a scope includes another if and only if it permits all that the other permits', (t) => {
  const accesses: Access[] = ['read', 'edit', 'publish'];
  const permitted = (held: string) =>
    scopeAreas.flatMap((area) =>
      [undefined, 'shop', 'news', 'other'].flatMap((where) =>
        accesses.filter((access) => permits([held], area, where, access)).map((a) => `${area} ${where} ${a}`),
      ),
    );
  fc.assert(
    fc.property(scope, scope, (held, wanted) => {
      const granted = new Set(permitted(held));
      t.is(
        includesScope([held], wanted),
        permitted(wanted).every((one) => granted.has(one)),
      );
    }),
  );
});
