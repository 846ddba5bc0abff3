/** A worker that is the first process on a database. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import test from 'ava';
import { bucketCountOf } from '../../src/repository/buckets.ts';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { program } from '../support/program.ts';

test('a worker that fills the database creates the buckets of the deployment file', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'work-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const deployment = join(folder, 'deployment.yaml');
  await writeFile(
    deployment,
    'storage: { buckets: 6 }\nenvironments: [ { name: shop, item_types: [ { name: article } ] } ]',
  );
  const db = await createTestDatabase(t);
  await db.pool.query('drop schema public cascade; create schema public');
  const words = ['work', '--deployment', deployment, '--database-url', addressOf(db.connection)];
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.teardown(() => child.kill('SIGKILL'));
  for await (const line of createInterface(child.stdout)) if (line === 'Waiting for trainings.') break;
  t.is(await bucketCountOf(db), 6);
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  t.is(code, 0);
});
