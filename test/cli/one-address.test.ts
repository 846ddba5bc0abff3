/** The command line against a running service, with only the HTTP address. */

import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import test from 'ava';
import { toPatch } from '../../src/cli/items.ts';
import { testedService } from '../contract/support/tested-service.ts';
import { program } from '../support/program.ts';

const run = promisify(execFile);
const service = testedService();

/** Returns the environment of the shell that started the service: only PORT and DATA_DIR. */
function inShell() {
  const { port } = new URL(service.origin);
  return { ...process.env, PORT: port, DATA_DIR: service.dataDir, GRPC_PORT: undefined };
}

type Failed = { code: number; stdout: string; stderr: string };

const personalisation = (...words: string[]) =>
  run(process.execPath, [program, ...words], { env: inShell() });

const failing = (...words: string[]): Promise<Failed> =>
  personalisation(...words).then(
    ({ stdout }) => Promise.reject(new Error(stdout)),
    (error: Failed) => error,
  );

const inShop = ['--environment', 'shop'];
/** An environment without events of other tests. */
const inNews = ['--environment', 'news'];

test('items are stored, changed, read and listed', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'command-line-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'lamp.json');
  await writeFile(path, JSON.stringify({ title: 'Lamp', price: 20, brand: 'Lumen' }));
  await personalisation('items', 'put', 'product/lamp', path, ...inShop);
  await personalisation('items', 'patch', 'product/lamp', 'price=25', 'brand=', ...inShop);
  const read = JSON.parse((await personalisation('items', 'get', 'product/lamp', ...inShop)).stdout);
  t.like(read, { item_id: 'lamp', title: 'Lamp', price: 25, brand: undefined });
  const { stdout } = await personalisation('items', 'list', '--item-type', 'product', ...inShop);
  t.true(stdout.split('\n').some((line) => line !== '' && JSON.parse(line).item_id === 'lamp'));
  const { stderr } = await failing('items', 'get', 'product/none', ...inShop);
  t.regex(stderr, /^ITEM_UNKNOWN: /);
});

test('an import of changes changes only the fields of its records', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'command-line-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [whole, prices] = [join(folder, 'whole.ndjson'), join(folder, 'prices.csv')];
  await writeFile(whole, '{"item_id":"stool","title":"Stool","brand":"Lumen"}\n');
  await writeFile(prices, 'item_id,title\nstool,High stool\nnone,Nothing\n');
  const ofProducts = [...inShop, '--item-type', 'product'];
  await personalisation('import', 'items', whole, ...ofProducts);
  const { code, stdout } = await failing('import', 'items', prices, '--patch', ...ofProducts);
  t.is(code, 3);
  t.regex(stdout, /^1 accepted, 1 refused/);
  const read = JSON.parse((await personalisation('items', 'get', 'product/stool', ...inShop)).stdout);
  t.like(read, { title: 'High stool', brand: 'Lumen' });
});

test('a field is set, and removed by an empty value', (t) => {
  t.deepEqual(toPatch(['b=', 'c=no', 'd=2']), { b: null, c: 'no', d: 2 });
  t.deepEqual(toPatch(['title=1984', 'tags=1', 'tags=2']), { title: '1984', tags: ['1', '2'] });
});

test('a sent event is counted, and printed by `events tail`', async (t) => {
  const watching = spawn(process.execPath, [program, 'events', 'tail', ...inShop], { env: inShell() });
  t.teardown(() => watching.kill());
  await once(watching.stderr, 'data');
  const lines = createInterface(watching.stdout)[Symbol.asyncIterator]();
  await personalisation('events', 'send', 'page_visit', 'device_id=d', 'page_type=home', ...inShop);
  t.like(JSON.parse(String((await lines.next()).value)), { event_type: 'page_visit', device_id: 'd' });
  watching.kill('SIGINT');

  const query = ['metrics', 'query', 'events', '--group-by', 'page_type', ...inShop];
  t.regex(
    (await personalisation(...query)).stdout,
    /^start +metric +page_type +value\n.*events +home +\d+\n$/,
  );
  const { stderr } = await failing('metrics', 'query', 'evnts', ...inShop);
  t.regex(stderr, /^METRIC_UNKNOWN: /);
});

test('counts are printed exactly', async (t) => {
  const bought = ['device_id=d', 'action_item=sofa', 'amount=3', 'purchased_price=41152.57'];
  await personalisation('events', 'send', 'purchase', ...bought, ...inNews);
  const { stdout } = await personalisation('metrics', 'query', 'revenue', ...inNews);
  t.regex(stdout, /revenue +123457\.71\n/);
});

test('ids that look like numbers are ids', async (t) => {
  const fields = ['user_id=1', 'device_id=007', 'page_type=detail', 'action_item=42', 'price=9.5'];
  const { stdout } = await personalisation('events', 'send', 'detail_pageview', ...fields, ...inNews);
  t.is(stdout, '1 accepted.\n');
  const { stdout: exported } = await personalisation('export', 'events', ...inNews);
  const stored = exported
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  t.like(
    stored.find(({ user_id }) => user_id === '1'),
    { device_id: '007', action_item: '42', price: 9.5 },
  );
});

test('queries without results are listed', async (t) => {
  await personalisation('search', 'zzyzx', ...inShop);
  const { stdout } = await personalisation('queries', '--without-results', ...inShop);
  t.regex(stdout, /^query +searches +without results\n/);
});

test('a user is exported and deleted with a receipt, and the audit log names the client', async (t) => {
  await personalisation('events', 'send', 'page_visit', 'user_id=anna', 'page_type=home', ...inNews);
  const exported = await personalisation('people', 'export', '--user', 'anna', ...inNews);
  t.regex(exported.stdout, /^\{"record":"user_hour".*\n\{"record":"event",.*"anna"/);
  const deleted = await personalisation('people', 'delete', '--user', 'anna', ...inNews);
  const receipt = JSON.parse(deleted.stdout);
  t.is(receipt.deleted.events, 1);
  const { stderr } = await failing('people', 'export', '--user', 'anna', ...inNews);
  t.regex(stderr, /^USER_UNKNOWN: /);
  t.regex((await failing('people', 'delete', ...inNews)).stderr, /--user ID or --device ID/);

  const kept = (await personalisation('people', 'receipts')).stdout.trim();
  t.is(JSON.parse(kept.split('\n').at(-1)!).receipt_id, receipt.receipt_id);
  t.false(kept.includes('anna'));
  const recorded = await personalisation('audit', '--resource', 'users/', '--limit', '3');
  const [refused, last, before] = recorded.stdout.split('\n');
  t.regex(
    last,
    new RegExp(` users\\.delete {2}users/${receipt.receipt_id} {2}news {2}${service.admin.clientId}$`),
  );
  for (const look of [refused, before]) t.regex(look, / users\.export /);
  t.false(recorded.stdout.includes('anna'));
});

test('an undeclared experiment is refused', async (t) => {
  const { stderr } = await failing('experiments', 'read', ...inShop);
  t.regex(stderr, /^BODY_INVALID: /);
});

test('lists are printed for a cold-start visitor, a device and a trial history; a stored configuration is linted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'command-line-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'odd.json');
  const never = { query: { key: 'title', match: 'nothing has this title' } };
  await writeFile(path, JSON.stringify({ configuration_id: 'odd', preferences: [never, never] }));
  const stored = await personalisation('configurations', 'put', path);
  t.regex(stored.stdout, /^odd is stored\.\n.*dead_condition|duplicate_rule/s);
  const recommend = ['recommend', '--configuration', 'odd', '--size', '3', ...inShop];
  t.regex((await personalisation(...recommend)).stdout, /^a stranger \(/);
  t.regex((await personalisation(...recommend, '--device', 'd')).stdout, /^d \(/);
  t.regex((await personalisation(...recommend, '--seen', 'lamp,chair')).stdout, /^a stranger \(/);
});

test('a wrong secret is reported with its file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'command-line-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'wrong.json');
  await writeFile(path, JSON.stringify({ client_id: service.admin.clientId, client_secret: 'wrong' }));
  for (const words of [
    ['clients', 'list'],
    ['configurations', 'list'],
  ]) {
    const { stderr } = await failing(...words, '--credentials', path);
    t.true(stderr.startsWith('CLIENT_INVALID: '), stderr);
    t.true(stderr.includes(path), stderr);
  }
});

test('an unreachable service is reported with the option to change it', async (t) => {
  const { stderr } = await failing('clients', 'list', '--url', 'http://localhost:9/api');
  t.regex(stderr, /^The service cannot be reached at http:\/\/localhost:9\/api: .*--url\.\n$/);
});

test('an unknown command fails, with --help too', async (t) => {
  const { code, stderr } = await failing('serv', '--help');
  t.is(code, 1);
  t.regex(stderr, /unknown command 'serv'\n\(Did you mean serve\?\)/);
  const inGroup = await failing('items', 'lst', '--help');
  t.regex(inGroup.stderr, /unknown command 'lst'\n\(Did you mean list\?\)/);
});

test('completions include commands and options', async (t) => {
  const fish = await personalisation('completion', 'fish');
  t.regex(
    fish.stdout,
    /__fish_seen_subcommand_from metrics; and __fish_seen_subcommand_from query' -l group-by/,
  );
  t.true(
    fish.stdout.includes(`-n '__fish_seen_subcommand_from items' -f\n`),
    'a command with subcommands completes no files',
  );
  const { stdout } = await personalisation('completion', 'bash');
  const complete = (...words: string[]) =>
    `COMP_WORDS=(personalisation ${words.join(' ')}); COMP_CWORD=${words.length}; _personalisation; echo "\${COMPREPLY[@]}"`;
  const asked = [complete('metrics', 'query', '--gr'), complete('items', "''"), complete('completion', 'f')];
  const completed = await run('bash', ['-c', [stdout, ...asked].join('\n')]);
  t.is(completed.stdout, '--group-by\nget put patch list\nfish\n');
});
