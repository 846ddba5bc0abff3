/** `postgres.log`: what the server says, bounded in size, quoted when a start fails. */
import { closeSync, existsSync, openSync, readSync, renameSync, statSync, truncateSync } from 'node:fs';

/** Past this size the log is moved aside at a start and emptied while running. */
const maxLogBytes = 16 * 1024 * 1024;

/** A quote needs no more than the end of the log. */
const quoteBytes = 4_096;

/** The old log stays beside as `postgres.log.1`. */
export function rotateLog(path: string): void {
  if (logSize(path) > maxLogBytes) renameSync(path, `${path}.1`);
}

/** The server appends, so emptying its open file is safe. */
export function boundLog(path: string): void {
  if (logSize(path) > maxLogBytes) truncateSync(path);
}

export function logSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** The last complaints written after `sinceByte`, on one line. */
export function quoteLog(path: string, sinceByte: number): string {
  const size = logSize(path);
  const from = Math.max(sinceByte, size - quoteBytes);
  const bytes = Buffer.alloc(Math.max(0, size - from));
  const file = openSync(path, 'r');
  const count = readSync(file, bytes, 0, bytes.length, from);
  closeSync(file);
  const lines = bytes.toString('utf8', 0, count).trim().split('\n');
  const complaints = lines.filter((line) => !routine.test(line)).slice(-4);
  return complaints.map((line) => line.replace(/^.*? (?=[A-Z]+: )/, '').trim()).join(' ');
}

/** What every start and stop says, which explains nothing. */
const routine = /LOG: +(starting PostgreSQL|listening on|database system is|database system was shut down)/;
