import test, { type ExecutionContext } from 'ava';
import { comparisons as comparators } from '../../../src/formats/conditions.ts';
import { createCatalog } from '../../../src/ranking/catalog/catalog.ts';
import { bindQuery, type VariableLookup } from '../../../src/ranking/rules/bind.ts';
import type {
  ComparisonTest,
  Operand,
  Query,
  Scalar,
  Test,
  Variable,
} from '../../../src/ranking/rules/types.ts';
import { fc } from '../../support/properties.ts';

/*
 * The reference below reads documents directly and implements the rules independently: the item's
 * values by key, each with its type (text, number, boolean, instant), compared one by one.
 */

type Document = Record<string, unknown>;

const nowMs = Date.UTC(2024, 5, 15, 13, 45, 30);

const operators = ['equals' as const, ...comparators.map(({ name }) => name)];

const texts = ['Food', 'food', 'Food/Cheese', 'Foodie', 'ÉCLAIR', 'éclair', '7', 'true', '2024-06-15', ''];

const datetimeKeys = ['publication_datetime', 'expires'];

const keys = [
  ...['language', 'title', 'tags', 'categories', 'price', 'in_stock', 'expires', 'item_attributes.mixed'],
  ...['publication_datetime', 'item_id', 'item_type', 'unknown_key'],
];

function valuesOf(document: Document, key: string): unknown[] {
  if (key === 'item_id') return ['x'];
  if (key === 'item_type') return ['article'];
  if (key === 'unknown_key') return [];
  const attributes = (document.item_attributes ?? {}) as Document;
  const raw = key.startsWith('item_attributes.') ? attributes[key.slice(16)] : document[key];
  return raw === undefined ? [] : [raw].flat();
}

const relativeMs: Record<string, number> = {
  'now-72h': nowMs - 72 * 3_600_000,
  'now/d': Date.UTC(2024, 5, 15),
  'now/d-1d': Date.UTC(2024, 5, 14),
  'now-1d/d': Date.UTC(2024, 5, 14),
};

const isInstant = (text: string) => /^\d{4}-\d\d-\d\d(T|$)/.test(text);

function instantOf(value: unknown): number {
  if (typeof value === 'number') return value * 1000;
  if (typeof value !== 'string') return Number.NaN;
  return relativeMs[value] ?? (isInstant(value) ? new Date(value).getTime() : Number.NaN);
}

function compares(operator: string, actual: number, wanted: number): boolean {
  const outcomes: Record<string, boolean> = {
    gt: actual > wanted,
    gte: actual >= wanted,
    lt: actual < wanted,
    lte: actual <= wanted,
  };
  return outcomes[operator];
}

function accepts(operator: string, key: string, actual: unknown, wanted: unknown): boolean {
  const instants = datetimeKeys.includes(key);
  if (operator === 'equals') {
    if (instants) return !(String(wanted) in relativeMs) && instantOf(actual) === instantOf(wanted);
    if (key !== 'categories') return actual === wanted;
    const path = typeof wanted === 'string' ? wanted.split('/').filter(Boolean).join('/') : '';
    return path !== '' && `${actual}/`.startsWith(`${path}/`);
  }
  if (operator === 'contains' || operator === 'starts_with') {
    if (instants || typeof actual !== 'string' || typeof wanted !== 'string') return false;
    const [text, part] = [actual.toLowerCase(), wanted.toLowerCase()];
    return operator === 'contains' ? text.includes(part) : text.startsWith(part);
  }
  if (typeof actual === 'number') return typeof wanted === 'number' && compares(operator, actual, wanted);
  const comparable = instants || (key.startsWith('item_attributes.') && isInstant(String(actual)));
  return comparable && compares(operator, instantOf(actual), instantOf(wanted));
}

function passes(one: Test, key: string, values: unknown[], variables: VariableLookup): boolean {
  if (one.operator === 'range') {
    return values.some((value) => {
      const actual =
        datetimeKeys.includes(key) || typeof value === 'string' ? instantOf(value) / 1000 : value;
      const dated =
        datetimeKeys.includes(key) || key.startsWith('item_attributes.') || typeof value === 'number';
      return dated && typeof actual === 'number' && actual >= one.min && actual <= one.max;
    });
  }
  if (one.operator === 'date_range') {
    const [min, max] = [one.min, one.max].map((moment) => moment && 'at' in moment && moment.at);
    return values.some((value) => {
      const dated = datetimeKeys.includes(key) || key.startsWith('item_attributes.');
      const actual = dated && typeof value === 'string' ? instantOf(value) : Number.NaN;
      if (Number.isNaN(actual)) return false;
      return (typeof min !== 'number' || actual >= min) && (typeof max !== 'number' || actual <= max);
    });
  }
  const groups = one.operands.map((operand) => {
    if ('value' in operand) return [operand.value];
    return [variables(operand.variable) ?? operand.variable.default ?? []].flat() as Scalar[];
  });
  const held = groups.map((group) =>
    values.some((value) => group.some((wanted) => accepts(one.operator, key, value, wanted))),
  );
  const joined = one.quantifier === 'any' ? held.includes(true) : held.length > 0 && !held.includes(false);
  return joined !== one.negated;
}

const scalars = fc.oneof(
  fc.constantFrom(...texts, ...Object.keys(relativeMs)),
  fc.constantFrom(7, 0, -1, 2.5, 1_718_409_600),
  fc.boolean(),
);

const variableNames = ['one', 'many', 'none', 'absent'];

const given: Record<string, Scalar | Scalar[]> = { one: 'Food', many: ['food', 7, true, 'now/d'], none: [] };

const lookup: VariableLookup = ({ name }) => given[name];

const operands: fc.Arbitrary<Operand> = fc.oneof(
  { weight: 3, arbitrary: scalars.map((value) => ({ value })) },
  {
    weight: 1,
    arbitrary: fc.record({
      variable: fc.record({
        name: fc.constantFrom(...variableNames),
        context: fc.constant('request_body' as const),
        default: fc.option(scalars, { nil: undefined }),
        onAbsentDrop: fc.boolean(),
      }),
    }),
  },
);

const comparisons: fc.Arbitrary<ComparisonTest> = fc.record({
  operator: fc.constantFrom(...operators),
  operands: fc.array(operands, { minLength: 1, maxLength: 3 }),
  quantifier: fc.constantFrom('any', 'all'),
  negated: fc.boolean(),
});

const moments = fc.option(
  fc
    .constantFrom('2024-06-14', '2024-06-15T00:00:00Z', '2024-06-16')
    .map((text) => ({ at: Date.parse(text) })),
  { nil: undefined },
);

const tests: fc.Arbitrary<Test> = fc.oneof(
  { weight: 4, arbitrary: comparisons },
  {
    weight: 1,
    arbitrary: fc.record({
      operator: fc.constant('range' as const),
      min: fc.constantFrom(-1, 2),
      max: fc.constantFrom(7, 2e9),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ operator: fc.constant('date_range' as const), min: moments, max: moments }),
  },
);

const queries: fc.Arbitrary<Query> = fc.record({
  key: fc.constantFrom(...keys),
  tests: fc.array(tests, { minLength: 1, maxLength: 2 }),
});

const strings = fc.constantFrom(...texts);
const dates = fc.constantFrom(
  '2024-06-15',
  '2024-06-15T02:00:00+02:00',
  '2024-06-12T13:45:30Z',
  '2024-06-14T00:00:00Z',
);
const anyValue = fc.oneof(strings, fc.constantFrom(7, 0, 2.5), fc.boolean(), dates);

const documents = fc.record(
  {
    language: strings,
    title: strings,
    tags: fc.uniqueArray(strings, { maxLength: 3 }),
    categories: fc.uniqueArray(fc.constantFrom('Food', 'Food/Cheese', 'Foodie', 'Drink/Wine'), {
      maxLength: 2,
    }),
    price: fc.constantFrom(7, 0, -1, 2.5),
    in_stock: fc.boolean(),
    expires: dates,
    publication_datetime: dates,
    item_attributes: fc.record({ mixed: fc.oneof(anyValue, fc.array(anyValue, { maxLength: 3 })) }),
  },
  { requiredKeys: [] },
);

const catalogOf = (held: Document[]) => {
  const catalog = createCatalog({
    itemTypes: ['article'],
    properties: [
      { name: 'price', type: 'number' },
      { name: 'in_stock', type: 'boolean' },
      { name: 'expires', type: 'datetime' },
    ],
  });
  for (const [i, document] of held.entries()) {
    catalog.apply({
      itemType: 'article',
      itemId: i === 0 ? 'x' : `x${i}`,
      document,
      enabled: true,
      revision: 1,
    });
  }
  return catalog;
};

/** A bound query agrees with a direct reading of the document. */
function assertAgreement(t: ExecutionContext, document: Document, query: Query): void {
  const catalog = catalogOf([document]);
  const variables = query.tests.flatMap((one) =>
    'operands' in one
      ? one.operands.flatMap((operand) => ('variable' in operand ? [operand.variable] : []))
      : [],
  );
  const absent = variables.filter(({ name }) => name === 'absent');
  const binding = bindQuery(query, { catalog, variables: lookup, nowMs });
  if (absent.some(({ onAbsentDrop }) => onAbsentDrop)) {
    t.is(binding.outcome, 'dropped');
  } else if (absent.some((one) => one.default === undefined)) {
    t.deepEqual(binding, { outcome: 'missing', variable: 'absent' });
  } else if (binding.outcome === 'bound') {
    const values = valuesOf(document, query.key);
    const expected = query.tests.every((one) => passes(one, query.key, values, lookup));
    t.is(binding.query.createMatcher()(0), expected);
  } else t.fail(binding.outcome);
}

test('a bound query agrees with a direct reading of the documents', (t) => {
  fc.assert(
    fc.property(documents, queries, (document, query) => assertAgreement(t, document, query)),
    { numRuns: 2000 },
  );
});

const variable = (name: string, rest: Partial<Variable> = {}): Operand => ({
  variable: { name, context: 'request_body', onAbsentDrop: false, ...rest },
});

const operandKinds: Record<string, Operand> = {
  'a text': { value: 'Food' },
  'a number': { value: 7 },
  'a truth': { value: true },
  'a moment': { value: '2024-06-15' },
  'a variable': variable('one'),
  'a variable of several values': variable('many'),
  'a variable without values': variable('none'),
  'the default of an absent variable': variable('absent', { default: 'Food' }),
  'an absent variable that drops the query': variable('absent', { onAbsentDrop: true, default: 'Food' }),
  'an absent variable without default': variable('absent'),
};

const mixedValues: unknown[] = [
  undefined,
  'Food',
  7,
  true,
  '2024-06-15',
  '2024-06-16T00:00:00Z',
  ['food', 8, '2024-06-14'],
  [false, 'Foodie'],
];

for (const operator of operators) {
  for (const [kind, operand] of Object.entries(operandKinds)) {
    test(`${operator} compares ${kind} with absent, scalar and array values`, (t) => {
      for (const mixed of mixedValues) {
        const document = mixed === undefined ? {} : { item_attributes: { mixed } };
        for (const quantifier of ['any', 'all'] as const) {
          for (const negated of [false, true]) {
            const one = { operator, operands: [operand], quantifier, negated };
            assertAgreement(t, document, { key: 'item_attributes.mixed', tests: [one] });
          }
        }
      }
    });
  }
}

const bound = (query: Query) => {
  const catalog = catalogOf([]);
  const binding = bindQuery(query, { catalog, variables: lookup, nowMs });
  if (binding.outcome !== 'bound') throw new Error(binding.outcome);
  return binding.query;
};

const later = (value: string, operator: ComparisonTest['operator'] = 'gt'): Query => ({
  key: 'expires',
  tests: [{ operator, operands: [{ value }], quantifier: 'any', negated: false }],
});

test('only conditions with a granularity below an hour depend on the clock', (t) => {
  t.true(bound(later('now-72h')).movesWithClock);
  t.true(bound(later('now/m')).movesWithClock);
  t.false(bound(later('now/d')).movesWithClock);
  t.false(bound(later('2024-01-01')).movesWithClock);
  t.false(bound(later('now', 'equals')).movesWithClock);
});

test('one outer query matches everything that a clock-dependent one can match within the minute', (t) => {
  const minuteMs = Date.UTC(2024, 5, 15, 13, 45);
  const moving = fc.constantFrom('now', 'now-72h', 'now+30m', 'now/m');
  const ends = fc.record({ operator: fc.constantFrom('gt', 'gte', 'lt', 'lte'), moment: moving });
  const seconds = fc.integer({ min: -72 * 3600 - 90, max: 1900 });
  fc.assert(
    fc.property(
      ends,
      seconds,
      fc.integer({ min: 0, max: 59_999 }),
      ({ operator, moment }, second, withinMs) => {
        const expires = new Date(minuteMs + second * 1000).toISOString();
        const catalog = catalogOf([{ expires }]);
        const query = later(moment, operator as 'gt');
        const binding = bindQuery(query, { catalog, variables: lookup, nowMs: minuteMs + withinMs });
        if (binding.outcome !== 'bound') return t.fail();
        const outer = binding.query.outer!;
        t.is(outer.key, bound(query).outer!.key);
        t.false(outer.movesWithClock);
        if (binding.query.createMatcher()(0)) t.true(outer.createMatcher()(0));
      },
    ),
    { numRuns: 500 },
  );
});

test('queries with equal values have the same key, whatever the names of their variables', (t) => {
  const variable = { name: 'one', context: 'request_body' as const, onAbsentDrop: false };
  const asking = (operand: Operand): Query => ({
    key: 'tags',
    tests: [{ operator: 'equals', operands: [operand], quantifier: 'any', negated: false }],
  });
  t.is(bound(asking({ variable })).key, bound(asking({ value: 'Food' })).key);
  t.not(bound(asking({ value: 'food' })).key, bound(asking({ value: 'Food' })).key);
  t.not(bound(asking({ value: '7' })).key, bound(asking({ value: 7 })).key);
});

test('a query that is bound again follows the day, the variables and its catalogue', (t) => {
  const day = 86_400_000;
  const catalog = catalogOf([{ expires: '2024-06-15T12:00:00Z' }]);
  const asked = (query: Query, atMs: number, variables: VariableLookup = lookup, of = catalog) => {
    const binding = bindQuery(query, { catalog: of, variables, nowMs: atMs });
    if (binding.outcome !== 'bound') throw new Error(binding.outcome);
    return binding.query;
  };
  const today = later('now/d');
  t.true(asked(today, nowMs).createMatcher()(0));
  t.false(asked(today, nowMs + day).createMatcher()(0));
  t.true(asked(today, nowMs).createMatcher()(0));
  const variable = { name: 'one', context: 'request_body' as const, onAbsentDrop: false };
  const named: Query = {
    key: 'tags',
    tests: [{ operator: 'equals', operands: [{ variable }], quantifier: 'any', negated: false }],
  };
  t.not(asked(named, nowMs, () => 'Food').key, asked(named, nowMs, () => 'Wine').key);
  const fixed = later('2024-01-01');
  t.is(asked(fixed, nowMs).key, asked(fixed, nowMs + 400 * day).key);
  t.true(asked(fixed, nowMs).createMatcher()(0));
  t.false(asked(fixed, nowMs, lookup, catalogOf([{ expires: '2023-06-15T12:00:00Z' }])).createMatcher()(0));
});

for (const timeZone of ['UTC', 'Asia/Kolkata', 'America/New_York'])
  test(`a date of an item attribute is the same day as in a rule, in ${timeZone}`, (t) => {
    const catalog = createCatalog({ itemTypes: ['article'], properties: [], timeZone });
    const document = { item_attributes: { season: '2024-06-15' } };
    catalog.apply({ itemType: 'article', itemId: 'x', document, enabled: true, revision: 1 });
    const isWithin = (min: string, max: string) => {
      const [from, to] = [min, max].map((text) => ({ date: Date.parse(text) }));
      const tests: Test[] = [{ operator: 'date_range', min: from, max: to }];
      const query = { key: 'item_attributes.season', tests };
      const binding = bindQuery(query, { catalog, variables: lookup, nowMs });
      return binding.outcome === 'bound' && binding.query.createMatcher()(0);
    };
    t.true(isWithin('2024-06-15', '2024-06-15'));
    t.false(isWithin('2024-06-16', '2024-06-17'));
    t.false(isWithin('2024-06-13', '2024-06-14'));
  });
