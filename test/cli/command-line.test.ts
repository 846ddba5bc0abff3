import { create } from '@bufbuild/protobuf';
import test, { type ExecutionContext } from 'ava';
import { ClientKind, ClientSchema } from '../../gen/es/personalisation/v1/client_pb.js';
import { CreateRecommendationsResponseSchema } from '../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { parseVariables } from '../../src/cli/arguments.ts';
import { describeClient, describeCredentials } from '../../src/cli/clients.ts';
import { parseConfigurations } from '../../src/cli/configurations/documents.ts';
import { describeList } from '../../src/cli/recommend.ts';
import { version } from '../../src/version.ts';
import { runCommand } from './support/command.ts';
import { acceptAll, type OnBatch, startFakeService } from './support/fake-service.ts';
import { itemLines, writeInput } from './support/import-run.ts';

const runAsClient = (...commandArguments: string[]) =>
  runCommand(commandArguments, { PERSONALISATION_CLIENT_ID: 'c', PERSONALISATION_CLIENT_SECRET: 's' });

async function importItems(t: ExecutionContext, onBatch: OnBatch, content: string) {
  const service = await startFakeService(onBatch);
  t.teardown(() => service.stop());
  const path = await writeInput(t, 'items.ndjson', content);
  return await runAsClient('import', 'items', path, '--environment', 'shop', '--address', service.address);
}

test('--version prints the version of the package', async (t) => {
  const { exitCode, stdout } = await runAsClient('--version');
  t.is(exitCode, 0);
  t.is(stdout, `${version}\n`);
});

test('an import that stores everything ends with 0 and its counts', async (t) => {
  const { exitCode, stdout } = await importItems(t, acceptAll, itemLines(3));
  t.is(exitCode, 0);
  t.regex(stdout, /^3 accepted, 0 refused in /);
});

test('an import with refused lines ends with 3 and names the report', async (t) => {
  const { exitCode, stdout } = await importItems(t, acceptAll, `${itemLines(3)}no json\n`);
  t.is(exitCode, 3);
  t.regex(stdout, /3 accepted, 1 refused in .*\n.*items\.ndjson\.refused\.ndjson/s);
});

test('an import without accepted lines ends with 1 and hints at the mapping', async (t) => {
  t.is((await importItems(t, acceptAll, '\n')).exitCode, 1);
  const { exitCode, stdout } = await importItems(t, acceptAll, 'no json\n');
  t.is(exitCode, 1);
  t.regex(stdout, /No line was accepted/);
  t.regex(stdout, /0 accepted, 1 refused.*--mapping FILE/s);
});

test('a failed import ends with 1 and advice on continuing, without a stack', async (t) => {
  const { exitCode, stderr } = await importItems(t, () => 'break', itemLines(3));
  t.is(exitCode, 1);
  t.regex(
    stderr,
    /^The service cannot be reached: .*\n0 accepted so far\. Run the same command again to go on\.\n$/,
  );
});

test('an import that cannot write its state fails in one line before sending', async (t) => {
  let batches = 0;
  const count: OnBatch = (records) => {
    batches += 1;
    return acceptAll(records);
  };
  const service = await startFakeService(count);
  t.teardown(() => service.stop());
  const path = await writeInput(t, 'items.ndjson', itemLines(3));
  const words = ['import', 'items', path, '--environment', 'shop', '--address', service.address];
  const { exitCode, stderr } = await runAsClient(...words, '--state', `${path}.none/state.json`);
  t.is(exitCode, 1);
  t.is(
    stderr,
    `${path}.none/state.json cannot be written: there is no such file or folder. Name another file with --state.\n`,
  );
  t.is(batches, 0);
});

test('an evaluation that cannot write its report fails in one line before training', async (t) => {
  const path = await writeInput(t, 'events.ndjson', '');
  const { exitCode, stdout, stderr } = await runAsClient('evaluate', path, '--html', `${path}/report.html`);
  t.is(exitCode, 1);
  t.is(stdout, '');
  t.regex(stderr, /^.*report\.html cannot be written: a part of the path is a file, .* --html\.\n$/);
});

const missing = [
  ['import', 'items', 'gone.ndjson', '--environment', 'shop'],
  ['evaluate', 'gone.csv'],
  ['configurations', 'diff', 'gone'],
  ['serve', '--deployment', 'gone.yaml'],
];

for (const words of missing) {
  test(`${words.slice(0, 2).join(' ')}: a missing file is named`, async (t) => {
    const { exitCode, stderr } = await runAsClient(...words);
    t.is(exitCode, 1);
    t.regex(stderr, /^gone[.a-z]*: there is no such file or folder\.\n$/);
  });
}

test('a limit that is not a count and an invalid time are refused with the option', async (t) => {
  const [limit, time] = await Promise.all([
    runAsClient('items', 'list', '--environment', 'shop', '--limit', 'all'),
    runAsClient('audit', '--from', 'yesterday'),
  ]);
  t.like(limit, { exitCode: 1, stdout: '' });
  t.regex(limit.stderr, /'--limit <count>'.* It must be a whole number from 1\.\n$/);
  t.like(time, { exitCode: 1, stdout: '' });
  t.regex(time.stderr, /'--from <time>'.* It must be a time such as 2026-11-20T09:30:00Z\.\n$/);
});

test('a fraction of a round is refused', async (t) => {
  const { exitCode, stderr } = await runAsClient('evaluate', 'gone.csv', '--rounds', '2.5');
  t.is(exitCode, 1);
  t.regex(stderr, /'--rounds <count>'.* It must be 1 to 100\.\n$/);
});

test('a file may contain several configurations, each with an ID', (t) => {
  const text = '[{"configuration_id":"a"},{"configuration_id":"b"}]';
  t.deepEqual(
    parseConfigurations(text, 'c.json').map(({ id }) => id),
    ['a', 'b'],
  );
  t.throws(() => parseConfigurations('[{}]', 'c.json'), { message: /without a configuration_id/ });
  t.throws(() => parseConfigurations('{', 'c.json'), { message: /^c\.json is not JSON/ });
});

test('variables are read by their form, and several of one name are an array', (t) => {
  t.deepEqual(parseVariables(['a=1', 'b=x', 'b=y=z', 'c=true']), { a: 1, b: ['x', 'y=z'], c: true });
  const ids = ['sku=007', 'ean=12345678901234567890', 'price=-0.50', 'size=1e5'];
  t.deepEqual(parseVariables(ids), { sku: '007', ean: '12345678901234567890', price: -0.5, size: '1e5' });
  t.is(parseVariables([]), undefined);
  t.throws(() => parseVariables(['a']), { message: /name=value/ });
});

test('a list is printed by rank with the constraints that are not met', (t) => {
  const answer = create(CreateRecommendationsResponseSchema, {
    recommendations: {
      userGroup: 'recommender',
      version: 'default',
      lists: [{ items: [{ itemId: 'a', rank: 1, informationField: '1995' }] }],
    },
    outcomes: [{ unmetMinimums: [{ constraintIndex: 0, wantedCount: 3, foundCount: 1 }] }],
  });
  t.is(
    describeList('u1', answer, ['Heat']),
    [
      'u1 (recommender, version default)',
      '   1.  a  Heat  (1995)',
      '      rule 1 wants 3 items and found 1',
    ].join('\n'),
  );
});

test('a new client is printed as a credentials file, and a write key has no secret', (t) => {
  const client = create(ClientSchema, {
    clientId: 'wk_1',
    kind: ClientKind.WRITE_KEY,
    name: 'web',
    scopes: ['events:shop'],
    origins: ['https://shop.example'],
  });
  const { clientId } = client;
  t.deepEqual(JSON.parse(describeCredentials({ clientId, clientSecret: 's' })), {
    client_id: 'wk_1',
    client_secret: 's',
  });
  t.deepEqual(JSON.parse(describeCredentials({ clientId, clientSecret: '' })), { client_id: 'wk_1' });
  t.is(describeClient(client), 'wk_1  write key  events:shop  https://shop.example  web');
});
