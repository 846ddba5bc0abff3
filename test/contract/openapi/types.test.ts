/** The types that openapi-typescript makes of the document, and openapi-fetch calling with them. */

import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import test from 'ava';
import { testedService } from '../support/tested-service.ts';

const run = promisify(execFile);
const root = resolve(import.meta.dirname, '../../..');
const service = testedService();

/** A caller's code; each line that must not compile is marked. */
const caller = `
import createClient from 'openapi-fetch';
import type { components, paths } from './api.d.ts';

const headers = { authorization: process.env.AUTHORIZATION };
const client = createClient<paths>({ baseUrl: process.env.BASE_URL, headers });
const lamp = { environment: 'shop', item_type: 'product', item_id: 'lamp' };
const constraint: components['schemas']['Constraint'] = {
  query: { key: 'brand', match: { variable: { name: 'brand', default: 'Lumen' } } },
  limit: { min: 1 },
};

await client.PUT('/{environment}/items/{item_type}/{item_id}', {
  params: { path: lamp },
  body: { title: 'Lamp', description: null, brand: 'Lumen', images: ['https://a.example/lamp.jpg'] },
});
await client.PUT('/configurations/{configuration_id}', {
  params: { path: { configuration_id: 'home' } },
  body: { constraints: [constraint] },
});
const { data } = await client.POST('/{environment}/recommendations/requests', {
  params: { path: { environment: 'shop' } },
  body: { device_id: 'd', page_type: 'home', lists: [{ configuration_id: 'home', list_name: 'l', list_size: 3 }] },
});
const ids: string[] | undefined = data?.lists[0].items.map((item) => item.item_id);
// @ts-expect-error a rank is a number
const rank: string | undefined = data?.lists[0].items[0].rank;
// @ts-expect-error page_type is missing
void (() => client.POST('/{environment}/searches/requests', { params: { path: { environment: 'shop' } }, body: { q: '', device_id: 'd' } }));

const { data: item } = await client.GET('/{environment}/items/{item_type}/{item_id}', { params: { path: lamp } });
const title: string | null | undefined = item?.title;
const { data: stored } = await client.GET('/configurations/{configuration_id}', {
  params: { path: { configuration_id: 'home' } },
});
const minimum: number | null | undefined = stored?.constraints?.[0].limit?.min;
const { error } = await client.GET('/metrics/{metric}', { params: { path: { metric: 'x' } } });
const reason: string | undefined = error?.type;
console.log(JSON.stringify({ ids, rank, id: item?.item_id, title, minimum, reason }));
`;

test('types made by openapi-typescript compile, and openapi-fetch calls with them', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'openapi-types-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'caller.ts'), caller);
  const generator = join(import.meta.dirname, 'node_modules/.bin/openapi-typescript');
  await run(generator, [join(root, 'gen/rest/openapi.json'), '-o', join(folder, 'api.d.ts')]);
  const settings = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
  const compiler = join(root, 'node_modules/.bin/tsc');
  await run(compiler, [...settings, '--allowImportingTsExtensions', '--skipLibCheck', 'caller.ts'], {
    cwd: folder,
  }).catch(({ stdout }) => t.fail(stdout));
  const env = { ...process.env, BASE_URL: service.baseUrl, AUTHORIZATION: service.authorization };
  const { stdout } = await run(process.execPath, ['caller.ts'], { cwd: folder, env });
  t.like(JSON.parse(stdout), {
    ids: ['lamp'],
    rank: 1,
    id: 'lamp',
    title: 'Lamp',
    minimum: 1,
  });
});
