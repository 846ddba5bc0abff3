/** The audiences command against a running service, and its output. */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { userLine } from '../../src/cli/audiences.ts';
import { createJsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';
import { runAgainst } from './support/command.ts';

test('an id with a comma, a quote or a line break is quoted in CSV', (t) => {
  const user = { id: 'a,"b"\nc', userType: 'user_id', score: 0.5 };
  t.is(userLine(user, 3, 'csv'), '3,"a,""b""\nc",user_id,0.5\n');
  t.deepEqual(JSON.parse(userLine(user, 3, 'ndjson')), {
    rank: 3,
    id: user.id,
    user_type: 'user_id',
    score: 0.5,
  });
});

test('an id that is a formula gets an apostrophe in CSV, and is unchanged in NDJSON', (t) => {
  const user = { id: '=HYPERLINK("http://evil.example")', userType: 'user_id', score: 0.5 };
  t.is(userLine(user, 1, 'csv'), `1,"'=HYPERLINK(""http://evil.example"")",user_id,0.5\n`);
  t.deepEqual(JSON.parse(userLine(user, 1, 'ndjson')), {
    rank: 1,
    id: user.id,
    user_type: 'user_id',
    score: 0.5,
  });
});

test('an audience is created, exported in both formats, and explained', async (t) => {
  const service = await startTestService(t);
  const http = createJsonClient(service);
  await http.put('/shop/items/product/tea', { title: 'Tea' });
  const events = ['=ann', 'bob', 'bob'].map((user) => ({
    event_type: 'detail_pageview',
    page_type: 'detail',
    user_id: user,
    action_item: 'tea',
  }));
  await http.post('/shop/events', { events });
  const request = ['--environment', 'shop', '--promote', 'product/tea'];

  const created = await runAgainst(service, 'audiences', 'create', ...request);
  t.is(created.exitCode, 0, created.stderr);
  t.regex(created.stdout, /^\S+ {2}2 users\n$/);
  const [id] = created.stdout.split(' ');

  const exportTo = (...rest: string[]) =>
    runAgainst(service, 'audiences', 'export', id, '--environment', 'shop', ...rest);
  const csv = await exportTo();
  t.regex(csv.stdout, /^rank,id,user_type,score\n1,bob,user_id,[\d.]+\n2,'=ann,user_id,[\d.]+\n$/);
  const path = join(service.dataDir, 'audience.ndjson');
  t.is((await exportTo(path)).exitCode, 0);
  const lines = (await readFile(path, 'utf8')).trim().split('\n');
  t.deepEqual(
    lines.map((line) => JSON.parse(line).id),
    ['bob', '=ann'],
  );

  const explained = await runAgainst(service, 'audiences', 'explain', 'bob', ...request);
  t.regex(explained.stdout, /^bob: rank 1, score \S+\n.*product\/tea {2}own .*\n$/);
  t.is((await runAgainst(service, 'audiences', 'export', 'none', '--environment', 'shop')).exitCode, 1);
});
