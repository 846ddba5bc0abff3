/** Steps that make the configurations of the service those of a folder. */

import test from 'ava';
import { describeStep, planSteps } from '../../../src/cli/configurations/plan.ts';
import { carryOut } from '../../../src/cli/configurations/service.ts';
import type { Http } from '../../../src/cli/connection/http.ts';

const stored = new Map([
  ['same', { document: { b: 1, a: [1] }, etag: '"1"' }],
  ['other', { document: { a: 1 }, etag: '"2"' }],
  ['surplus', { document: {}, etag: '"3"' }],
]);

const wanted = new Map([
  ['new', { a: 1 }],
  ['same', { a: [1], b: 1 }],
  ['other', { a: 2 }],
]);

test('only differences are written, and deletions come last and only with `--delete`', (t) => {
  const kinds = (deletes: boolean) =>
    planSteps(wanted, stored, deletes).map(({ kind, id }) => `${kind} ${id}`);
  t.deepEqual(kinds(false), ['create new', 'update other']);
  t.deepEqual(kinds(true), ['create new', 'update other', 'delete surplus']);
});

test('long values are cut short in a description', (t) => {
  const [step] = planSteps(new Map([['other', { a: 'x'.repeat(500) }]]), stored, false);
  t.is(describeStep(step), `~ other\n    /a: 1 → "${'x'.repeat(99)}…`);
});

test('every step expects the version that was compared', async (t) => {
  const sent: unknown[] = [];
  const http: Pick<Http, 'exchange'> = {
    async exchange(method, path, options) {
      sent.push([method, path, options?.headers]);
      return { json: undefined, etag: undefined };
    },
  };
  for (const step of planSteps(wanted, stored, true)) await carryOut(http as Http, step, 'é');
  t.deepEqual(sent, [
    ['PUT', '/configurations/new?comment=%C3%A9', { 'if-none-match': '*' }],
    ['PUT', '/configurations/other?comment=%C3%A9', { 'if-match': '"2"' }],
    ['DELETE', '/configurations/surplus?comment=%C3%A9', { 'if-match': '"3"' }],
  ]);
});
