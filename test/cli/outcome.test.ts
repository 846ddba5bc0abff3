/** Exit codes and errors of interrupted commands, and of commands with a closed output. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { devNull, tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import test, { type ExecutionContext } from 'ava';
import { program } from '../support/program.ts';
import { acceptAll, startFakeService } from './support/fake-service.ts';
import { itemLines, writeInput } from './support/import-run.ts';

const env = { ...process.env, PERSONALISATION_CLIENT_ID: 'c', PERSONALISATION_CLIENT_SECRET: 's' };

/** A device that refuses every write. */
const fullDevice = '/dev/full';

function start(t: ExecutionContext, words: string[], stdout: number | 'pipe' = 'pipe'): ChildProcess {
  const child = spawn(process.execPath, [program, ...words], { env, stdio: ['ignore', stdout, 'pipe'] });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

async function endOf(child: ChildProcess) {
  const [stderr, [exitCode, signal]] = await Promise.all([text(child.stderr!), once(child, 'close')]);
  return { stderr, exitCode, signal };
}

async function startImport(t: ExecutionContext, stdout?: number) {
  const service = await startFakeService(acceptAll);
  t.teardown(() => service.stop());
  const path = await writeInput(t, 'items.ndjson', `${itemLines(3)}no json\n`);
  const words = ['import', 'items', path, '--environment', 'shop', '--address', service.address];
  return start(t, words, stdout);
}

test('a closed output is not a failure', async (t) => {
  const child = start(t, ['completion', 'bash']);
  child.stdout!.destroy();
  t.deepEqual(await endOf(child), { stderr: '', exitCode: 0, signal: null });
});

test('the exit code is the same with a closed output', async (t) => {
  const child = await startImport(t);
  child.stdout!.destroy();
  const { stderr, exitCode } = await endOf(child);
  t.is(exitCode, 3);
  t.notRegex(stderr, /EPIPE/);
});

/** Starts a command with more subjects than one request may have, so that it sends two requests. */
async function startBatches(t: ExecutionContext, answer: (batch: number, response: ServerResponse) => void) {
  const counts = { batches: 0 };
  const service = createHttpServer((_, response) => {
    counts.batches += 1;
    answer(counts.batches, response);
  }).listen(0);
  t.teardown(() => service.close());
  const ids = Array.from({ length: 100_001 }, (_, i) => `${i}\n`);
  const people = await writeInput(t, 'people.txt', ids.join(''));
  const request = await writeInput(t, 'request.json', '{}');
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
  const words = ['batches', 'create', request, '--users', people, '--environment', 'shop'];
  return { counts, child: start(t, [...words, '--url', url, '--token', 'any']) };
}

test('a command with several writes completes them with a closed output', async (t) => {
  const { counts, child } = await startBatches(t, (batch, response) =>
    response.end(JSON.stringify({ batch_id: `batch ${batch}` })),
  );
  child.stdout!.destroy();
  t.deepEqual(await endOf(child), { stderr: '', exitCode: 0, signal: null });
  t.is(counts.batches, 2);
});

test('the next batch of a file waits while the service refuses it', async (t) => {
  const { counts, child } = await startBatches(t, (batch, response) => {
    const isFull = batch === 2 || batch === 3;
    response.writeHead(isFull ? 429 : 202, isFull ? { 'retry-after': '0' } : {});
    response.end(JSON.stringify({ batch_id: `batch ${batch}`, type: '/docs/errors/RATE_LIMITED' }));
  });
  const [stdout, end] = await Promise.all([text(child.stdout!), endOf(child)]);
  t.deepEqual(end, { stderr: '', exitCode: 0, signal: null });
  t.is(stdout, 'batch 1\nbatch 4\n');
  t.is(counts.batches, 4);
});

test('a refusal of the first batch is reported at once', async (t) => {
  const { counts, child } = await startBatches(t, (_, response) => {
    response.writeHead(429, { 'retry-after': '0' });
    response.end(JSON.stringify({ detail: 'Too many batches.', type: '/docs/errors/RATE_LIMITED' }));
  });
  child.stdout!.resume();
  const { stderr, exitCode } = await endOf(child);
  t.is(exitCode, 1);
  t.is(stderr, 'RATE_LIMITED: Too many batches.\n');
  t.is(counts.batches, 1);
});

test('a failure is reported with a closed output', async (t) => {
  const { child } = await startBatches(t, (batch, response) => {
    response.statusCode = batch === 1 ? 202 : 503;
    response.end(JSON.stringify({ batch_id: `batch ${batch}`, title: 'Away' }));
  });
  child.stdout!.destroy();
  const { stderr, exitCode } = await endOf(child);
  t.is(exitCode, 1);
  t.regex(stderr, /./);
});

test('a closed standard error does not stop a command', async (t) => {
  const child = await startImport(t);
  child.stderr!.destroy();
  const [stdout, [exitCode]] = await Promise.all([text(child.stdout!), once(child, 'close')]);
  t.is(exitCode, 3);
  t.regex(stdout, /^3 accepted, 1 refused/);
});

/** Each opens a descriptor that refuses output, with the error of a write. */
const closedOutputs: [open: () => number, error: string][] = [
  [() => openSync(devNull, 'r'), 'EBADF: bad file descriptor'],
  ...(existsSync(fullDevice)
    ? [[() => openSync(fullDevice, 'w'), 'ENOSPC: no space left on device'] as [() => number, string]]
    : []),
];

for (const [open, message] of closedOutputs)
  test(`a failed write is reported in one line: ${message}`, async (t) => {
    for (const begin of [() => startImport(t, open()), () => start(t, ['completion', 'bash'], open())]) {
      const { stderr, exitCode } = await endOf(await begin());
      t.is(exitCode, 1);
      t.true(stderr.endsWith(`${message}, write\n`), stderr);
      t.notRegex(stderr, /\n {4}at /);
    }
  });

test('an interrupted command does not wait for an answer', async (t) => {
  const silent = createServer();
  silent.listen(0);
  t.teardown(() => silent.close());
  const heard = once(silent, 'connection');
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/api`;
  const child = start(t, ['audit', '--url', url]);
  const end = endOf(child);
  const [socket] = await heard;
  t.teardown(() => socket.destroy());
  child.kill('SIGINT');
  t.is((await end).signal, 'SIGINT');
});

test('a running evaluation can be interrupted', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'evaluate-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'lists.txt');
  const lists = Array.from({ length: 400 }, (_, i) =>
    Array.from({ length: 40 }, (__, k) => (i * 7 + k * k) % 900).join(' '),
  );
  await writeFile(path, lists.map((items, user) => `${user} ${items}\n`).join(''));
  const interrupt = async () => {
    const child = start(t, ['evaluate', path, '--kind', 'item-lists', '--protocol', 'leave-last-out']);
    await once(child.stderr!, 'data');
    const end = endOf(child);
    child.kill('SIGINT');
    return end;
  };
  let ended = await interrupt();
  /** On a busy machine it may be over before the signal. */
  while (ended.exitCode === 0) ended = await interrupt();
  t.is(ended.signal, 'SIGINT');
});
