/** The batches command against a running service, and its files. */

import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';
import { runAgainst } from './support/command.ts';

test('a batch for the users of a file is created, watched and written into files', async (t) => {
  const service = await startTestService(t);
  const http = createJsonClient(service);
  await http.put('/shop/items/product/tea', { title: 'Tea', brand: 'Leaf, "green"' });
  await http.put('/configurations/home', { constraints: [] });
  const at = (name: string) => join(service.dataDir, name);
  const lists = [{ configuration_id: 'home', list_name: 'mail', list_size: 3 }];
  await writeFile(at('mail.json'), JSON.stringify({ page_type: 'email', lists }));
  await writeFile(at('people.txt'), 'ann\r\n\n  bob  \nann\n');
  const run = (...words: string[]) => runAgainst(service, 'batches', ...words, '--environment', 'shop');

  const created = await run('create', at('mail.json'), '--users', at('people.txt'));
  t.is(created.exitCode, 0, created.stderr);
  const id = created.stdout.trim();
  const told = `${id}  done  2 of 2 people\n`;
  const watched = await run('watch', id);
  t.deepEqual([watched.exitCode, watched.stdout], [0, told], watched.stderr);
  t.is((await run('show', id)).stdout, told);
  t.is((await run('list')).stdout, told);

  const printed = await run('results', id, '--format', 'ndjson', '--offset', '2');
  t.deepEqual(
    printed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).user_id),
    ['bob'],
  );
  t.is((await run('results', id, at('lists.csv.gz'))).exitCode, 0);
  const table = gunzipSync(await readFile(at('lists.csv.gz'))).toString();
  const [header, ...rows] = table.trim().split(/\r?\n/);
  t.regex(header, /user_id.*item_id/);
  t.deepEqual(
    rows.map((row) => row.split(',').find((value) => value === 'ann' || value === 'bob')),
    ['ann', 'bob'],
  );
  t.is((await run('results', id, at('lists.ndjson'))).exitCode, 0);
  t.is((await readFile(at('lists.ndjson'), 'utf8')).trim().split('\n').length, 2);
});

test('a cancelled or unknown batch makes the command fail', async (t) => {
  const service = await startTestService(t);
  await createJsonClient(service).put('/configurations/home', { constraints: [] });
  const run = (...words: string[]) => runAgainst(service, 'batches', ...words, '--environment', 'shop');
  /** The batch belongs to a node that does not exist, so it waits until it is cancelled. */
  const id = '00000000-0000-4000-8000-000000000001';
  await service.database.pool.query(
    `insert into batches (batch_id, environment, state, request, node, heartbeat_at)
     values ($1, 'shop', 'running', '{}', 'elsewhere', now() + interval '1 hour')`,
    [id],
  );
  const told = `${id}  cancelled  0 of 0 people\n`;
  t.deepEqual(await run('cancel', id), { exitCode: 0, stdout: told, stderr: '' });
  const watched = await run('watch', id);
  t.deepEqual([watched.exitCode, watched.stdout], [1, told]);
  const unknown = await run('show', '00000000-0000-4000-8000-000000000002');
  t.is(unknown.exitCode, 1);
  t.regex(unknown.stderr, /batch/i);
  const lists = [{ configuration_id: 'absent', list_name: 'mail', list_size: 3 }];
  const path = join(service.dataDir, 'mail.json');
  await writeFile(path, JSON.stringify({ page_type: 'email', lists }));
  const refused = await run('create', path, '--active-within', '3');
  t.deepEqual([refused.exitCode, refused.stdout], [1, '']);
  t.regex(refused.stderr, /absent/);
});

test('all batches are listed, for any number', async (t) => {
  const service = await startTestService(t);
  await service.database.pool.query(
    `insert into batches (batch_id, environment, state, request)
     select gen_random_uuid(), 'shop', 'cancelled', '{}' from generate_series(1, 201)`,
  );
  const { stdout } = await runAgainst(service, 'batches', 'list', '--environment', 'shop');
  t.is(new Set(stdout.trim().split('\n')).size, 201);
});
