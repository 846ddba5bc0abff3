/** Child processes of the benchmark, in process groups of their own: Ctrl-C reaches only this process, which stops them. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** Time for a service to commit pending work and close its database. */
const stopMs = 20_000;

/** A process under load. */
export type Served = { port: number; stop(): Promise<void> };

/**
 * Runs a program of this repository with the same Node as this one; `programArguments` begin with its path. The child ends
 * with this process.
 */
export function startNode(programArguments: string[]): ChildProcess {
  const child = spawn(process.execPath, programArguments, {
    cwd: root,
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const endWithThis = () => child.kill('SIGTERM');
  process.once('exit', endWithThis);
  child.once('exit', () => process.off('exit', endWithThis));
  return child;
}

/** Resolves when the standard output so far matches; rejects when the process ends before. */
export function waitForOutput(child: ChildProcess, pattern: RegExp): Promise<RegExpExecArray> {
  let text = '';
  return new Promise((done, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`A process ended with code ${code} before it was ready.`)));
    child.stdout!.on('data', (chunk) => {
      text += chunk;
      const match = pattern.exec(text);
      if (match) done(match);
    });
  });
}

export async function stopProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopMs);
  await exit;
  clearTimeout(timer);
}

export async function startEcho(): Promise<Served> {
  const child = startNode(['test/bench/echo.ts']);
  const [port] = await waitForOutput(child, /^\d+(?=\n)/);
  return { port: Number(port), stop: () => stopProcess(child) };
}
