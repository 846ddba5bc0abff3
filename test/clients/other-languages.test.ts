/** The examples in Python and Go, run against the service if the toolchains are installed. */

import { spawnSync } from 'node:child_process';
import { cp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { testedService } from '../contract/support/tested-service.ts';
import { createJsonClient } from '../support/json-client.ts';
import { makeFolder, root, run, unpack } from './support/installed.ts';

const succeeds = (command: string, ...args: string[]) => spawnSync(command, args).status === 0;
const hasPython = succeeds('python3', '-c', 'import grpc_tools.protoc, grpc_status.rpc_status, google.rpc');
const hasGo = ['go', 'protoc-gen-go', 'protoc-gen-connect-go'].every((name) => succeeds('which', name));

const listOfThree = /^1 \S+\n2 \S+\n3 \S+\nstored 3\n$/;

if (hasPython || hasGo) {
  const service = testedService();
  const http = createJsonClient(service);
  const environment = (configuration = 'all') => ({
    ...process.env,
    PERSONALISATION_URL: service.origin,
    PERSONALISATION_ADDRESS: service.grpcAddress,
    PERSONALISATION_ENVIRONMENT: 'shop',
    PERSONALISATION_CONFIGURATION: configuration,
    PERSONALISATION_CLIENT_ID: service.admin.clientId,
    PERSONALISATION_CLIENT_SECRET: service.admin.clientSecret,
  });

  test.before('fill the shop', async () => {
    await http.post('/configurations', { configuration_id: 'all' });
    for (const id of ['chair', 'table', 'lamp']) await http.put(`/shop/items/product/${id}`, {});
  });

  if (hasPython)
    test('Python: the archive of the protos gives a working client', async (t) => {
      const folder = await makeFolder(t);
      const { stdout: archive } = await run(process.execPath, ['tools/pack-protos.ts', folder], {
        cwd: root,
      });
      const protos = join(folder, 'protos');
      await unpack(archive.trim(), protos);
      const generated = join(folder, 'gen');
      await run(join(root, 'clients/python/generate.sh'), [join(protos, 'proto'), generated]);
      const main = [join(root, 'clients/python/example/main.py')];
      const env = (configuration?: string) => ({ ...environment(configuration), PYTHONPATH: generated });
      t.regex((await run('python3', main, { env: env() })).stdout, listOfThree);
      const failure = await t.throwsAsync<Error & { stderr: string }>(
        run('python3', main, { env: env('none') }),
      );
      t.regex(failure!.stderr, /^CONFIGURATION_UNKNOWN /);
    });

  if (hasGo)
    test('Go: the archive of the protos gives a working client', async (t) => {
      const folder = await makeFolder(t);
      const { stdout: archive } = await run(process.execPath, ['tools/pack-protos.ts', folder], {
        cwd: root,
      });
      const protos = join(folder, 'protos');
      await unpack(archive.trim(), protos);
      const example = join(folder, 'example');
      await cp(join(root, 'clients/go/example'), example, { recursive: true });
      const template = join(root, 'clients/go/buf.gen.yaml');
      const buf = join(root, 'node_modules/.bin/buf');
      await run(buf, ['generate', '--template', template, '-o', example], { cwd: protos });
      await run('go', ['build', '-o', join(folder, 'shop'), '.'], { cwd: example });
      t.regex((await run(join(folder, 'shop'), [], { env: environment() })).stdout, listOfThree);
      const failing = run(join(folder, 'shop'), [], { env: environment('none') });
      const failure = await t.throwsAsync<Error & { stderr: string }>(failing);
      t.regex(failure!.stderr, /no list: CONFIGURATION_UNKNOWN /);
    });
}

if (!hasPython)
  console.warn('python3 with clients/python/requirements.txt is not here: its example was not run.');
if (!hasGo)
  console.warn('go with protoc-gen-go and protoc-gen-connect-go is not here: its example was not run.');

test('the examples name existing services and messages', async (t) => {
  const contract = await readAll(join(root, 'proto/personalisation/v1'), '.proto');
  const declared = new Set(Array.from(contract.matchAll(/^(?:message|service) (\w+)/gm), ([, name]) => name));
  const python = await readAll(join(root, 'clients/python/example'), '.py');
  const go = await readAll(join(root, 'clients/go/example'), '.go');
  const named = [
    ...Array.from(python.matchAll(/_pb2_grpc\.(\w+)Stub/g), ([, name]) => name),
    ...Array.from(python.matchAll(/[a-z]_pb2\.([A-Z]\w+)\(/g), ([, name]) => name),
    ...Array.from(go.matchAll(/personalisation\.([A-Z]\w+)\{/g), ([, name]) => name),
    ...Array.from(go.matchAll(/\.New(\w+)Client\(/g), ([, name]) => name),
  ].filter((name) => name !== 'ErrorInfo');
  t.true(named.length > 10);
  t.deepEqual(
    named.filter((name) => !declared.has(name)),
    [],
  );
});

async function readAll(folder: string, extension: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => name.endsWith(extension));
  return (await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))).join('\n');
}
