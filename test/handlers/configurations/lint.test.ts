/**
 * Warnings of a configuration for a catalogue: each kind, none for a clean one, and bounded work.
 */

import test from 'ava';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import { type LintedEnvironment, lintConfiguration } from '../../../src/handlers/configurations/lint.ts';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { createMatchSets } from '../../../src/ranking/rules/match-sets.ts';
import type { SearchRules } from '../../../src/ranking/rules/search-rules.ts';
import type {
  ComparisonTest,
  Configuration,
  Operand,
  Query,
  Rule,
} from '../../../src/ranking/rules/types.ts';
import { shopDeployment } from '../../support/service.ts';

/** 300 products of the brands `b0`, `b1` and `b2`. */
function stockedShop(): LintedEnvironment {
  const settings = parseDeployment(shopDeployment, 'test.yaml').environments.get('shop')!;
  const properties = [...settings.properties.values()];
  const catalog = createCatalog({ properties, itemTypes: [...settings.itemTypes.keys()] });
  for (let i = 0; i < 300; i++) {
    const document = { title: `product ${i}`, brand: `b${i % 3}`, price: i };
    catalog.apply({ itemType: 'product', itemId: `i${i}`, document, enabled: true, revision: 1 });
  }
  return { settings, catalog, matchSets: createMatchSets({ catalog, maxBytes: 10_000_000 }) };
}

const shop = stockedShop();

const query = (key: string, operands: Operand[], operator: ComparisonTest['operator'] = 'equals'): Query => ({
  key,
  tests: [{ operator, operands, quantifier: 'any', negated: false }],
});

const brand = (value: string) => query('brand', [{ value }]);

const constraint = (one: Query, limits: { min?: number; max?: number } = {}): Rule => ({
  kind: 'constraint',
  query: one,
  ...limits,
});

const ofLists = { settings: { pins: [], hides: [] }, content: { environments: [] } };

const warningsOf = (configuration: Partial<Configuration>, environments = [shop]) => {
  const whole = { configurationId: 'c', rules: [], preferences: [], ...configuration };
  return lintConfiguration({ rules: whole, ...ofLists }, environments, Date.now());
};

const shown = async (configuration: Partial<Configuration>) =>
  (await warningsOf(configuration)).map(({ kind, pointer }) => `${kind} ${pointer}`);

test('a condition that no item satisfies is dead', async (t) => {
  t.deepEqual(
    await shown({
      rules: [constraint(brand('b0')), constraint(brand('nobody'), { max: 3 })],
      preferences: [{ query: brand('nobody'), weight: 2 }],
    }),
    ['dead_condition /constraints/1/query', 'dead_condition /preferences/0/query'],
  );
});

test('an item of any environment keeps a condition alive', async (t) => {
  const empty = { ...shop, catalog: createCatalog({ properties: [], itemTypes: [] }) };
  const bare = { ...empty, matchSets: createMatchSets({ catalog: empty.catalog, maxBytes: 1_000 }) };
  t.deepEqual(await warningsOf({ rules: [constraint(brand('b0'))] }, [bare, shop]), []);
});

test('a contradiction is reported at the rule that cannot hold', async (t) => {
  const rules = [constraint(brand('b0')), constraint(brand('b1'), { min: 2 })];
  const [warning, ...others] = await warningsOf({ rules });
  t.like(warning, { kind: 'contradiction', pointer: '/constraints/1' });
  t.regex(warning.detail, /rule 0/);
  t.deepEqual(others, []);
});

test('a duplicate rule is reported once', async (t) => {
  const diversify: Rule = { kind: 'diversify', key: 'brand', max: 2 };
  const rules = [diversify, constraint(brand('b0'), { max: 9 }), { ...diversify, max: 3 }];
  t.deepEqual(await shown({ rules: [...rules, constraint(brand('b0'), { max: 9 })] }), [
    'duplicate_rule /constraints/2',
    'duplicate_rule /constraints/3',
  ]);
});

test('a preference for many items without a limit is unbounded', async (t) => {
  const preferences = [{ query: brand('b0'), weight: 1 }];
  t.deepEqual(await shown({ preferences }), ['unbounded_preference /preferences/0']);
  t.deepEqual(await shown({ preferences, rules: [{ kind: 'diversify', key: 'brand', max: 3 }] }), []);
  t.deepEqual(await shown({ preferences, rules: [constraint(brand('b0'), { max: 3 })] }), []);
  t.deepEqual(await shown({ preferences: [{ query: brand('b0'), weight: -1 }] }), []);
  t.deepEqual(
    await shown({ preferences: [{ query: query('title', [{ value: 'product 7' }]), weight: 1 }] }),
    [],
  );
});

test('conditions that depend on the request are not counted', async (t) => {
  const variable: Operand = { variable: { name: 'x', context: 'request_body', onAbsentDrop: false } };
  const wanted = query('brand', [variable]);
  t.deepEqual(await shown({ rules: [constraint(wanted)], preferences: [{ query: wanted, weight: 1 }] }), []);
});

test('search rules that steer several environments without naming one are reported', async (t) => {
  const whole: Configuration = { configurationId: 'c', rules: [], preferences: [] };
  const kinds = async (environments: string[], linted = [shop, shop]) => {
    const search = {
      environments,
      when: {},
      priority: 0,
      places: 1,
      pins: [],
      hides: [],
      promotedContent: [],
    };
    const linting = lintConfiguration(
      { rules: whole, ...ofLists, search: search as unknown as SearchRules },
      linted,
      Date.now(),
    );
    return (await linting).map(({ kind, pointer }) => `${kind} ${pointer}`);
  };
  t.deepEqual(await kinds([]), ['all_environments /search/environments']);
  t.deepEqual(await kinds(['shop']), []);
  t.deepEqual(await kinds([], [shop]), []);
});

test('pins and hides of lists name items of an environment of the configuration', async (t) => {
  const [known, unknown] = [{ itemId: 'i1' }, { itemId: 'gone' }];
  const rules: Configuration = { configurationId: 'c', rules: [], preferences: [] };
  const settings = { pins: [known, unknown].map((item, i) => ({ ...item, rank: i + 1 })), hides: [unknown] };
  const found = async (environments: string[]) => {
    const linted = { rules, settings, content: { environments } };
    return (await lintConfiguration(linted, [shop], Date.now())).map(({ pointer }) => pointer);
  };
  t.deepEqual(await found([]), ['/pins/1', '/hides/0']);
  t.deepEqual(await found(['other']), ['/pins/0', '/pins/1', '/hides/0']);
});

test('a clean configuration has no warnings', async (t) => {
  t.deepEqual(
    await warningsOf({
      rules: [
        constraint(query('price', [{ value: 10 }], 'gte')),
        constraint(brand('b0'), { min: 2, max: 5 }),
        { kind: 'diversify', key: 'brand', max: 5 },
      ],
      preferences: [{ query: brand('b1'), weight: 3 }],
    }),
    [],
  );
});

test('a megabyte of values in every place is checked in bounded time', async (t) => {
  const values = Array.from({ length: 50 }, (_, i) => ({ value: `(a+)+$ ${i} ${'x'.repeat(20)}` }));
  const rules = Array.from({ length: 200 }, (_, i) =>
    constraint(query(i % 2 ? 'title' : 'brand', values, i % 3 ? 'contains' : 'equals'), { min: 1 }),
  );
  const many = Array.from({ length: 50_000 }, (_, i) => ({ value: `b${i}` }));
  const warnings = await warningsOf({
    rules,
    preferences: [{ query: query('title', many, 'contains'), weight: 1 }],
  });
  t.true(warnings.length > 100);
});
