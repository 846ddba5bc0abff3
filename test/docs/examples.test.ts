/**
 * Every example of the documents works: it is run against one service, or read by its real reader.
 */

import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { parse, stringify } from 'yaml';
import { loadDeployment, parseDeployment } from '../../src/deployment/load-deployment.ts';
import { parseMapping } from '../../src/formats/records/mapping/mapping.ts';
import { testedService } from '../contract/support/tested-service.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { createJsonClient } from '../support/json-client.ts';
import { documents, type Example, examplesOf, phrasesOf, root } from './support/documents.ts';
import { elsewhere } from './support/elsewhere.ts';
import { files } from './support/files.ts';
import { formOf } from './support/form.ts';
import { siteOf } from './support/site.ts';
import { stock } from './support/stock.ts';
import { openWorkplace } from './support/workplace.ts';

const sites = ['quick-starts/shop', 'quick-starts/news', 'quick-starts/video'].concat(
  'examples/complete-journey',
  'examples/movielens',
);
const deployment = await siteOf(sites);
const service = testedService(deployment, { trains: true, watch: { adminPort: 0 } });
const http = createJsonClient(service);
const workplace = forAllTests('the workplace', async ({ teardown }) =>
  openWorkplace({ service, values: await stock(service), teardown }),
);

type Check = (example: Example, before: Example | undefined) => unknown;

const checks: Record<string, Check> = {
  sh: ({ text }) => workplace.type(text),
  http: ({ text }) => ask(text),
  json: checkJson,
  yaml: checkYaml,
  text: checkFault,
  envoy: ({ text }) => parse(text),
  js: checkExcerpt,
  ts: checkExcerpt,
};

for (const document of documents)
  test(`${document}: its examples work`, async (t) => {
    const examples = examplesOf(document);
    const isHere = ({ language, text }: Example) =>
      elsewhere[text.split('\n')[0]] === undefined && elsewhere[`${document} ${language}`] === undefined;
    const unknown = examples.filter((example) => isHere(example) && checks[example.language] === undefined);
    t.deepEqual(unknown, [], 'nothing runs these');
    for (const [i, example] of examples.entries()) {
      if (!isHere(example)) continue;
      const run = async () => checks[example.language](example, examples[i - 1]);
      await t.notThrowsAsync(run, `${document}:${example.line}`);
    }
    for (const path of await workplace.startedWith())
      await t.notThrowsAsync(async () => loadDeployment(join(workplace.folder, path)), path);
  });

/** Run until they are stopped, or elsewhere. */
const notInSentences = /^personalisation (serve|events tail|restore|--version)/;

test('commands with options in sentences and tables work', async (t) => {
  const phrases = new Set(documents.flatMap(phrasesOf));
  const commands = [...phrases].filter(
    (phrase) => /^personalisation .* --/.test(phrase) && !notInSentences.test(phrase),
  );
  t.true(commands.length > 5);
  await http.put('/shop/items/product/mug', { title: 'Enamel mug' });
  for (const command of commands) await t.notThrowsAsync(workplace.type(command), command);
});

test('the film site of the import recommends no rated film', async (t) => {
  const folder = 'docs/examples/movielens';
  await workplace.type(`
    personalisation import items movies.csv --environment films --mapping ${folder}/films.yaml
    personalisation import events ratings.csv --environment films --mapping ${folder}/ratings.yaml
    personalisation configurations put ${folder}/configuration.json`);
  const rated = files['ratings.csv'].split('\n').flatMap((line) => {
    const [user, film] = line.split(',');
    return user === '1' ? [film] : [];
  });
  const lists = [{ configuration_id: 'film-night', list_name: 'tonight', list_size: 20 }];
  const request = { user_id: '1', device_id: 'sofa', page_type: 'home', lists };
  const { body } = await http.post<{ lists: { items: { item_id: string }[] }[] }>(
    '/films/recommendations/requests',
    request,
  );
  const proposed = body.lists[0].items.map(({ item_id }) => item_id);
  t.true(rated.length > 0 && proposed.length > 0);
  t.deepEqual(
    proposed.filter((film) => rated.includes(film)),
    [],
  );
});

test('examples listed as run elsewhere, or not at all, exist in a document', (t) => {
  const examples = documents.flatMap(examplesOf);
  const places = examples.flatMap(({ document, language, text }) => [
    text.split('\n')[0],
    `${document} ${language}`,
  ]);
  t.deepEqual(
    Object.keys(elsewhere).filter((place) => !places.includes(place)),
    [],
  );
});

/** One request, or several separated by empty lines; returns the last answer. */
async function ask(text: string): Promise<unknown> {
  let answer: unknown;
  for (const request of workplace.localise(text).split('\n\n')) {
    const [, method, path, body] = /^(\w+) (\S+)\s*(.*)$/s.exec(request)!;
    const isBelowPrefix = !/^\/(api|personalisation\.v1\.\w+)\//.test(path);
    const response = await fetch((isBelowPrefix ? service.baseUrl : service.origin) + path, {
      method,
      headers: { 'content-type': 'application/json', authorization: service.authorization },
      body: body || undefined,
    });
    answer = await response.json();
    if (!response.ok) throw new Error(`${request}\n${JSON.stringify(answer)}`);
  }
  return answer;
}

/** After a request it is the answer; in configurations.md, a configuration or parts of one. */
async function checkJson(example: Example, before: Example | undefined): Promise<void> {
  const { document, text } = example;
  if (document.startsWith('docs/quick-starts/')) return checkExcerpt(example);
  const value = JSON.parse(text);
  if (before?.language === 'http') return checkForm(await ask(before.text), value);
  if (document === 'docs/import.md') return checkForm(await refusedLine(), value);
  const configuration = { configuration_id: 'example', ...value };
  const { status, body } = await http.post('/configurations', {
    ...configuration,
    configuration_id: 'example',
  });
  if (status >= 300) throw new Error(JSON.stringify(body));
}

function checkForm(fresh: unknown, documented: unknown): void {
  const forms = [fresh, documented].map((value) => JSON.stringify(formOf(value), undefined, 2));
  if (forms[0] !== forms[1]) throw new Error(`The answer has another form:\n${JSON.stringify(fresh)}`);
}

/** The report of an import on a refused line. */
async function refusedLine(): Promise<unknown> {
  const item = { item_id: 'x', item_type: 'product', price: 'cheap' };
  await writeFile(join(workplace.folder, 'refused.ndjson'), JSON.stringify(item));
  const importing = 'personalisation import items refused.ndjson --environment shop >&2 || [ $? = 1 ]';
  return JSON.parse(await workplace.type(`${importing}; cat refused.ndjson.refused.ndjson`));
}

async function checkYaml(example: Example): Promise<void> {
  const { document, text } = example;
  if (document.startsWith('docs/quick-starts/')) return checkExcerpt(example);
  if (document === 'docs/import.md') return void parseMapping(text, 'mapping.yaml', 'items');
  const value = parse(text);
  process.env.OIDC_SECRET = 'of the example in docs/clients.md';
  readCompleted(document === 'docs/install.md' ? value.deployment : value);
}

/** As a deployment file, completed with an environment and an item type. */
function readCompleted(deployment: { environments?: object[] }): void {
  const environments = (deployment.environments ?? [{ name: 'shop' }]).map((environment) => ({
    item_types: [{ name: 'product' }],
    ...environment,
  }));
  parseDeployment(stringify({ ...deployment, environments }), 'shop.yaml');
}

/** The loader's error for a price of an unknown type. */
function checkFault({ text }: Example): void {
  const lines = [
    'environments:',
    '  - name: shop',
    '    item_types:',
    '      - name: product',
    '        properties:',
    '          - { name: brand, type: string }',
    '          - { name: price, type: money }',
  ];
  try {
    parseDeployment(lines.join('\n'), 'shop.yaml');
  } catch (error) {
    if ((error as Error).message === text) return;
    throw error;
  }
}

/** A file of the quick start, which other tests run in a browser. */
function checkExcerpt({ document, text }: Example): void {
  const folder = document.replace('.md', '');
  const names = readdirSync(join(root, folder));
  if (!names.some((name) => readFileSync(join(root, folder, name), 'utf8').includes(text)))
    throw new Error(`This is in no file of ${folder}:\n${text}`);
}
