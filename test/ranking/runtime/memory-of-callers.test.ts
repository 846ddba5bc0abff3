/**
 * The memory of a node stays bounded for any input of callers: each cache is filled with the
 * longest possible values.
 */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import test from 'ava';
import { createAgents } from '../../../src/events/agents.ts';
import { createRefusals } from '../../../src/events/refusals.ts';
import { parseStored } from '../../../src/handlers/grammar/parse-stored.ts';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createKeptBindings } from '../../../src/ranking/lists/kept-bindings.ts';
import type { ListIngredients } from '../../../src/ranking/lists/list-ingredients.ts';
import type { ListRequest } from '../../../src/ranking/lists/recommendation-request.ts';
import { createMatchSets } from '../../../src/ranking/rules/match-sets.ts';
import { createTokenBuckets } from '../../../src/security/limits/token-buckets.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const megabyte = 1024 * 1024;

/**
 * The memory that the work retains; the least of several measurements, since other work may run in the
 * process.
 */
function growthOf(work: () => unknown): number {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  const kept = work();
  const looks = [1, 2, 3].map(() => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  });
  return kept === undefined ? 0 : Math.min(...looks) - before;
}

/** Different texts that share no memory. */
const longText = (number: number, length: number) => Buffer.alloc(length, `${number},`).toString('latin1');

test('user agents of 16 kB', (t) => {
  const agents = createAgents(Date.now);
  const settings = { name: 'shop', visitorAgents: new Set<string>() };
  const growth = growthOf(() => {
    for (let i = 0; i < 3_000; i++) agents.judge(settings, longText(i, 16_000));
    return agents;
  });
  t.true(growth < 6 * megabyte, `${growth} bytes`);
});

test('names of unknown clients', (t) => {
  const buckets = createTokenBuckets({ perSecond: 1, burst: 1, maxBytes: megabyte, elapsedMs: () => 0 });
  const growth = growthOf(() => {
    for (let i = 0; i < 10_000; i++) buckets.take(longText(i, 4_000));
    return buckets;
  });
  t.true(growth < 3 * megabyte, `${growth} bytes`);
});

test('lists with variables of a megabyte', (t) => {
  const catalog = createCatalog({ itemTypes: ['product'], properties: [] });
  const environment = { catalog, matchSets: createMatchSets({ catalog, maxBytes: megabyte }) };
  const bind = createKeptBindings();
  const { rules, settings } = parseStored({
    configuration_id: 'c',
    constraints: [{ query: { key: 'title', match: { or: [{ variable: { name: 'names' } }] } } }],
  });
  const active = { version: 1, rules, settings };
  const growth = growthOf(() => {
    for (let i = 0; i < 40; i++) {
      const values = [longText(i, megabyte)];
      const list = { listName: 'l', configurationId: 'c', variables: () => values } as unknown as ListRequest;
      bind(list, active, {
        environment,
        request: {},
        nowMs: 0,
      } as unknown as ListIngredients);
    }
    return bind;
  });
  t.true(growth < 8 * megabyte, `${growth} bytes`);
});

test('events refused for errors below long names', (t) => {
  const refusals = createRefusals(() => 0);
  const growth = growthOf(() => {
    for (let i = 0; i < 200; i++) {
      const violations = Array.from({ length: 30 }, (_, place) => ({
        pointer: `/${longText(place, 8_000)}`,
        detail: 'No.',
      }));
      refusals.note('shop', undefined, [{ document: {}, violations }]);
    }
    return refusals;
  });
  t.true(growth < 8 * megabyte, `${growth} bytes`);
});
