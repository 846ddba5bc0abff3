/** What a changed deployment file breaks in stored configurations and items. */

import test from 'ava';
import { parseDeployment } from '../../../src/deployment/load-deployment.ts';
import { parseStored } from '../../../src/handlers/grammar/parse-stored.ts';
import { findFitProblems } from '../../../src/jobs/diagnostics/deployment-fit.ts';
import { createDoctor } from '../../../src/jobs/diagnostics/doctor.ts';
import { saveConfiguration } from '../../../src/repository/configurations/configurations.ts';
import { upsertItems } from '../../../src/repository/items/items.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

const deploymentOf = (properties: string, more = '', type = 'product') =>
  parseDeployment(
    `environments: [{ name: shop, item_types: [{ name: ${type}, properties: [${properties}] }] }${more}]`,
    'shop.yaml',
  );

const price = '{ name: price, type: number }';
const gone = '{ name: gone, type: string }';
const since = '{ name: since, type: datetime }';
const stored = [price, gone, since].join(', ');

async function fill(db: TestDatabase): Promise<void> {
  const itemOf = (itemId: string, document: object) => ({
    ...{ environment: 'shop', itemType: 'product', itemId, document: { title: itemId, ...document } },
  });
  const since = '2026-01-02T03:04:05Z';
  await upsertItems(db, [
    itemOf('lamp', { price: 5, gone: 'relic', since, item_attributes: [] }),
    itemOf('sofa', { price: 900, gone: 'relic', since: null }),
  ]);
  const documents = {
    c1: { constraints: [{ query: { key: 'gone', match: 'relic' } }] },
    c2: { preferences: [{ query: { key: 'price', range: { min: 0, max: 9 } } }] },
    c3: { constraints: [{ query: { key: 'title', contains: 'lamp' } }] },
    c4: { constraints: [{ query: { key: 'gone', match: 'relic' } }] },
    s1: { search: { environments: ['shop'] }, constraints: [{ query: { key: 'gone', match: 'relic' } }] },
  };
  for (const [configurationId, document] of Object.entries(documents))
    await saveConfiguration(db, { configurationId, document });
}

const all = 'Used by configuration "c1", "c4", "s1".';
const items = '2 items of type "product" in environment "shop"';

const changes: [change: string, deployment: ReturnType<typeof deploymentOf>, expected: string[]][] = [
  ['nothing', deploymentOf(stored), []],
  [
    'another environment is added',
    deploymentOf(stored, ', { name: news, item_types: [{ name: article }] }'),
    [],
  ],
  [
    'a property leaves',
    deploymentOf(`${price}, ${since}`),
    [
      ...['c1', 'c4', 's1'].map(
        (id) =>
          `Configuration "${id}" uses the property "gone" (/constraints/0), which no environment declares.`,
      ),
      `${items} have the property "gone", which is not declared: its values are ignored. ${all}`,
    ],
  ],
  [
    'a property moves to another environment',
    deploymentOf(
      `${price}, ${since}`,
      `, { name: news, item_types: [{ name: article, properties: [${gone}] }] }`,
    ),
    [
      'Configuration "s1" uses the property "gone" (/constraints/0), which no environment declares.',
      `${items} have the property "gone", which is not declared: its values are ignored. ${all}`,
    ],
  ],
  [
    'a property changes its type',
    deploymentOf(`{ name: price, type: string }, ${gone}, ${since}`),
    [
      'Configuration "c2" compares the property "price" (/preferences/0) with values that its declared type cannot have.',
      `${items} have the property "price" as number; it is declared as string: these values are ignored. Used by configuration "c2".`,
    ],
  ],
  ['a datetime becomes a string', deploymentOf(`${price}, ${gone}, { name: since, type: string }`), []],
  [
    'a string becomes a datetime',
    deploymentOf(`${price}, { name: gone, type: datetime }, ${since}`),
    [`${items} have the property "gone" as string; it is declared as datetime: these values are ignored.`],
  ],
  [
    'an item type is renamed',
    deploymentOf(stored, '', 'article'),
    [`${items} cannot be served: the type is not declared.`],
  ],
];

for (const [change, deployment, expected] of changes)
  test(`the stored data is compared with a deployment file: ${change}`, async (t) => {
    const db = await createTestDatabase(t);
    await fill(db);
    const { problems } = await findFitProblems({ db, deployment, parse: parseStored }, 60_000);
    t.deepEqual(
      problems.map(({ description }) => description),
      expected,
    );
  });

test('a vanished environment breaks its items and its configurations of searches', async (t) => {
  const db = await createTestDatabase(t);
  await fill(db);
  const deployment = parseDeployment(
    'environments: [{ name: news, item_types: [{ name: product }] }]',
    'x.yaml',
  );
  const { problems } = await findFitProblems({ db, deployment, parse: parseStored }, 60_000);
  const descriptions = problems.map(({ description }) => description);
  t.true(descriptions.includes('Configuration "s1" names the environment "shop", which is not declared.'));
  t.true(descriptions.includes(`${items} cannot be served: the environment is not declared.`));
});

test('configurations are checked even if the items cannot be counted in time', async (t) => {
  const db = await createTestDatabase(t);
  await fill(db);
  const lock = await db.pool.connect();
  await lock.query('begin; lock table items');
  const options = { db, deployment: deploymentOf(`${price}, ${since}`), parse: parseStored };
  const { problems, isComplete } = await findFitProblems(options, 1);
  await lock.query('rollback');
  lock.release();
  t.false(isComplete);
  t.deepEqual(
    problems.map(({ subject }) => subject),
    ['c1', 'c4', 's1'],
  );
});

test('the health check reports broken configurations and lost values of its environment only', async (t) => {
  const db = await createTestDatabase(t);
  await fill(db);
  const deployment = deploymentOf(`${price}, ${since}`, ', { name: news, item_types: [{ name: article }] }');
  const findProblems = (limitMs: number) => findFitProblems({ db, deployment, parse: parseStored }, limitMs);
  const doctor = createDoctor({ db, clock: Date.now, patienceMs: 600_000, findProblems });
  const found = async (name: string) => {
    const settings = deployment.environments.get(name)!;
    const { findings } = await doctor.diagnose({
      settings,
      itemCount: 2,
      windowHours: 1,
      staleAfterHours: 24,
    });
    return findings
      .filter(({ check }) => check === 'deployment_mismatch')
      .map(({ subject, severity, count }) => [subject, severity, count]);
  };
  t.deepEqual(await found('shop'), [
    ['configurations', 'fault', 3],
    ['items', 'warning', 2],
  ]);
  t.deepEqual(await found('news'), [['configurations', 'fault', 3]]);
});
