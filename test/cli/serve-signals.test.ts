/** Signals that end the service. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { createTestDatabase } from '../support/database.ts';
import { addressOf } from '../support/database-address.ts';
import { program } from '../support/program.ts';
import { roomyFolder } from '../support/roomy-folder.ts';

const againMs = 300;

/** Longer than the test waits, so that one signal does not end the service in time. */
const longDrain = '300';

async function startService(t: ExecutionContext, drainSeconds: string) {
  const folder = await mkdtemp(join(tmpdir(), 'serve-signals-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const deployment = join(folder, 'deployment.yaml');
  await writeFile(deployment, 'environments: [ { name: shop, item_types: [ { name: article } ] } ]');
  const url = addressOf((await createTestDatabase(t)).connection);
  const words = ['serve', '--port', '0', '--grpc-port', '0', '--log-level', 'silent', '--data-dir', folder];
  const more = ['--deployment', deployment, '--database-url', url, '--drain-seconds', drainSeconds];
  const child = spawn(process.execPath, [program, ...words, ...more], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  const stderr = text(child.stderr);
  for await (const line of createInterface(child.stdout)) if (line.includes('The service is ready')) break;
  return { child, stderr };
}

test.serial('SIGTERM ends the service with 0 and without output on standard error', async (t) => {
  const { child, stderr } = await startService(t, '0');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  t.is(code, 0);
  t.is(await stderr, '');
});

for (const [signal, exitCode] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  test.serial(`${signal} again ends it at once, with ${exitCode}`, async (t) => {
    const { child, stderr } = await startService(t, longDrain);
    const exit = once(child, 'exit');
    let hasEnded = false;
    exit.then(() => {
      hasEnded = true;
    });
    while (!hasEnded) {
      child.kill(signal);
      await Promise.race([exit, delay(againMs)]);
    }
    t.is((await exit)[0], exitCode);
    t.is(await stderr, '');
  });
}

test.serial('SIGTERM to npm ends the service that it started, with its ports and its database', async (t) => {
  const folder = await mkdtemp(join(roomyFolder(), 'npm-start-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const deployment = join(folder, 'deployment.yaml');
  await writeFile(deployment, 'environments: [ { name: shop, item_types: [ { name: article } ] } ]');
  const words = ['--port', '0', '--grpc-port', '0', '--data-dir', join(folder, 'data')];
  const npm = spawn('npm', ['start', '--', ...words, '--deployment', deployment], {
    ...{ cwd: join(import.meta.dirname, '../..'), stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    env: { ...process.env, DATABASE_URL: '' },
  });
  /** The group of processes that npm leads. */
  t.teardown(() => {
    if (isRunning(-npm.pid!)) process.kill(-npm.pid!, 'SIGKILL');
  });
  const errors = text(npm.stderr!);
  let port = '';
  for await (const line of createInterface(npm.stdout!)) {
    port ||= /HTTP \(JSON\).*:(\d+)\/api/.exec(line)?.[1] ?? '';
    if (line.includes('Try it:')) break;
  }
  const postmaster = join(folder, 'data', 'postgres', 'postmaster.pid');
  const databasePid = Number.parseInt(await readFile(postmaster, 'utf8'), 10);
  t.is((await fetch(`http://localhost:${port}/healthz`)).status, 200);
  npm.kill('SIGTERM');
  while (isRunning(-npm.pid!) || isRunning(databasePid)) await delay(50);
  await t.throwsAsync(fetch(`http://localhost:${port}/healthz`));
  await t.throwsAsync(readFile(postmaster), { code: 'ENOENT' });
  t.notRegex(await errors, /warn/i);
});

/** @param pid Negative for a group of processes. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
