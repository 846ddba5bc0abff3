/** Rules as code, end to end: a folder, the commands, and a running service. */

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { createJsonClient, type JsonClient } from '../../support/json-client.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { runAgainst } from '../support/command.ts';

const home = {
  configuration_id: 'home',
  constraints: [{ query: { match: ['a', 'b'], key: 'brand' }, limit: { max: 2 } }],
};

let service: TestService;
let http: JsonClient;

test.before(async () => {
  service = await startTestService({ teardown: () => undefined });
  http = createJsonClient(service);
});

test.after.always(() => service?.stop());

type Workspace = {
  folder: string;
  run(command: string, ...rest: string[]): ReturnType<typeof runAgainst>;
  write(name: string, document: unknown): Promise<void>;
};

/** An empty folder, and a service without configurations. */
async function openWorkspace(t: ExecutionContext): Promise<Workspace> {
  const { body: ids } = await http.get<string[]>('/configurations');
  for (const id of ids) await http.send('DELETE', `/configurations/${encodeURIComponent(id)}`);
  const folder = await mkdtemp(join(tmpdir(), 'rules-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return {
    folder,
    run: (command, ...rest) => runAgainst(service, 'configurations', command, ...rest),
    write: (name, document) => writeFile(join(folder, name), JSON.stringify(document)),
  };
}

test.serial(
  'a pulled folder equals the service byte for byte, and applying it changes nothing',
  async (t) => {
    const { folder, run } = await openWorkspace(t);
    await http.put('/configurations/home', home);
    await http.put('/configurations/a%2Fb', {});
    t.like(await run('pull', folder), { exitCode: 0, stderr: '' });
    t.deepEqual((await readdir(folder)).sort(), ['a%2Fb.json', 'home.json']);
    t.is(await readFile(join(folder, 'home.json'), 'utf8'), `${JSON.stringify(home, null, 2)}\n`);
    t.like(await run('pull', folder), { exitCode: 0, stdout: '' });
    t.like(await run('diff', folder, '--delete'), { exitCode: 0, stdout: '' });
    t.like(await run('apply', folder, '--dry-run'), { exitCode: 0, stdout: '' });
  },
);

test.serial('diff ends with 2 and lists the changes; a dry run has no effect', async (t) => {
  const { folder, run, write } = await openWorkspace(t);
  await http.put('/configurations/home', home);
  await http.put('/configurations/surplus', {});
  await write('home.json', { ...home, constraints: [{ ...home.constraints[0], limit: { max: 3 } }] });
  await write('new.json', { configuration_id: 'new' });
  const expected = '~ home\n    /constraints/0/limit/max: 2 → 3\n+ new is new\n';
  t.like(await run('diff', folder), { exitCode: 2, stdout: expected });
  t.like(await run('diff', folder, '--delete'), {
    exitCode: 2,
    stdout: `${expected}- surplus is only in the service\n`,
  });
  const dry = await run('apply', folder, '--dry-run');
  t.is(dry.exitCode, 2);
  t.regex(dry.stdout, /home \/constraints\/0\/query: dead_condition: /);
  t.deepEqual((await http.get('/configurations')).body, ['home', 'surplus']);
  t.deepEqual((await http.get('/configurations/home')).body, home);
});

test.serial('apply stores, deletes on request, and records its comment', async (t) => {
  const { folder, run, write } = await openWorkspace(t);
  await http.put('/configurations/surplus', {});
  await write('home.json', home);
  t.like(await run('apply', folder, '--comment', 'release 7 & more'), { exitCode: 0 });
  t.deepEqual((await http.get('/configurations')).body, ['home', 'surplus']);
  t.deepEqual((await http.get('/configurations/home')).body, home);
  t.like(await run('apply', folder, '--delete'), { exitCode: 0 });
  t.deepEqual((await http.get('/configurations')).body, ['home']);
  const versions = await run('versions', 'home');
  t.regex(versions.stdout, /^ +\d+ {2}\d{4}-.*Z {2}\S+ {2}release 7 & more$/m);
});

test.serial('an invalid file prevents any write', async (t) => {
  const { folder, run, write } = await openWorkspace(t);
  await write('a.json', { configuration_id: 'a' });
  await write('b.json', {
    configuration_id: 'b',
    constraints: [{ query: { key: 'brand', match: 1 }, limit: {} }, {}],
  });
  const { exitCode, stderr } = await run('apply', folder);
  t.is(exitCode, 1);
  t.regex(stderr, /BODY_INVALID.*\/constraints\/1/);
  t.deepEqual((await http.get('/configurations')).body, []);
});

test.serial('an earlier version is written again', async (t) => {
  const { run } = await openWorkspace(t);
  await http.put('/configurations/again', { ...home, configuration_id: 'again' });
  await http.put('/configurations/again', {});
  t.like(await run('roll-back', 'again', '1', '--comment', 'back'), { exitCode: 0 });
  t.deepEqual((await http.get('/configurations/again')).body, { ...home, configuration_id: 'again' });
  const unknown = await run('roll-back', 'again', '9');
  t.is(unknown.exitCode, 1);
  t.regex(unknown.stderr, /CONFIGURATION_UNKNOWN/);
});

test.serial('lint ends with 2 for warnings', async (t) => {
  const { folder, run, write } = await openWorkspace(t);
  await write('clean.json', { configuration_id: 'clean', constraints: [{ diversify: { key: 'brand' } }] });
  await write('home.json', home);
  t.like(await run('lint', join(folder, 'clean.json')), { exitCode: 0, stdout: '' });
  const { exitCode, stdout } = await run('lint', join(folder, 'clean.json'), join(folder, 'home.json'));
  t.is(exitCode, 2);
  t.regex(stdout, /^home \/constraints\/0\/query: dead_condition/);
});

test.serial('a draft is simulated, and a list explained, in readable form', async (t) => {
  const { folder, run, write } = await openWorkspace(t);
  for (const id of ['a1', 'a2', 'b1', 'b2'])
    await http.put(`/shop/items/product/${id}`, { brand: id[0], title: `Item ${id}` });
  await http.put('/configurations/home', {
    preferences: [{ query: { key: 'brand', match: 'b' }, weight: 2 }],
  });
  const lists = [{ configuration_id: 'home', list_name: 'l', list_size: 3 }];
  await http.post('/shop/recommendations/requests', { device_id: 'd', page_type: 'home', lists });
  await write('draft.json', {
    configuration_id: 'home',
    constraints: [{ query: { key: 'brand', match: { not: 'b' } } }],
  });
  const simulated = await run('simulate', join(folder, 'draft.json'), '--environment', 'shop');
  t.is(simulated.exitCode, 0, simulated.stderr);
  t.regex(simulated.stdout, /^1 lists of 1 requests, version \d+ beside the draft: 1 lists change\.\n/);
  t.regex(simulated.stdout, /brand b +66\.7 % +0\.0 %/);
  t.regex(simulated.stdout, /Items that leave:\n( {4}b\d {2}Item b\d {2}in 1 → 0 lists\n){2}/);
  const json = await run('simulate', join(folder, 'draft.json'), '--environment', 'shop', '--json');
  t.is(JSON.parse(json.stdout).list_count, 1);
  const wanted = ['--environment', 'shop', '--user', 'u', '--configuration', 'home', '--size', '2'];
  const explained = await runAgainst(service, 'explain', ...wanted, '--why-not', 'a1, stranger');
  t.is(explained.exitCode, 0, explained.stderr);
  t.regex(explained.stdout, /^ {3}1\. {2}b\d {2}Item b\d\n {6}fallback; preference 0 \(weight 2\)$/m);
  t.regex(
    explained.stdout,
    /^Why not:\n {4}a1: It ranks .* lacks 2 .*\n {4}stranger: The catalogue does not contain it\.$/m,
  );
});

test.serial('drafts prints each draft with its base, time and author', async (t) => {
  const { run } = await openWorkspace(t);
  for (const [id, base_version] of [
    ['drafted', 3],
    ['drafted-new', 0],
  ] as const)
    await http.put(`/configurations/${id}/draft`, { base_version, document: {} });
  const { exitCode, stdout } = await run('drafts');
  t.is(exitCode, 0);
  t.regex(stdout, /^drafted {2}changes version 3 {2}\d{4}-\d\d-\d\dT[^ ]+Z {2}\S+$/m);
  t.regex(stdout, /^drafted-new {2}new {2}/m);
});
