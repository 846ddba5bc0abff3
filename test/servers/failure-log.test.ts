/** Log lines of failed calls. */

import test from 'ava';
import type { Logger } from 'pino';
import { DomainError } from '../../src/errors.ts';
import { createFailureLog } from '../../src/servers/failure-log.ts';

type Line = { level: string; message: string } & Record<string, unknown>;

function watch() {
  const lines: Line[] = [];
  const write = (level: string) => (facts: object, message: string) =>
    lines.push({ level, message, ...facts });
  const clock = { nowMs: 0 };
  const logger = { error: write('error'), debug: write('debug') } as unknown as Logger;
  return { lines, clock, logFailure: createFailureLog(logger, () => clock.nowMs) };
}

const call = { requestId: 'r1', transport: 'http' } as const;

test('an overload is logged once a second and operation, with the number of skipped lines and without a stack', (t) => {
  const { lines, clock, logFailure } = watch();
  const refusal = new DomainError('UNAVAILABLE', 'Too many events wait.', {
    cause: Object.assign(new Error('the disk is full'), { code: '53100' }),
  });
  for (let i = 0; i < 1_000; i++) logFailure(refusal, { operation: 'CreateEvents', call });
  logFailure(refusal, { operation: 'PutItem', call });
  clock.nowMs += 1_000;
  logFailure(refusal, { operation: 'CreateEvents', call });
  t.deepEqual(
    lines.map(({ operation, others }) => [operation, others]),
    [
      ['CreateEvents', 0],
      ['PutItem', 0],
      ['CreateEvents', 999],
    ],
  );
  t.like(lines[0], { level: 'error', code: '53100', cause: 'the disk is full', err: undefined });
});

test('internal errors are logged with their cause, errors of callers at debug level', (t) => {
  const { lines, logFailure } = watch();
  const cause = new Error('not a number');
  for (let i = 0; i < 2; i++)
    logFailure(new DomainError('INTERNAL', 'Failed.', { cause }), { operation: 'GetItem', call });
  logFailure(new DomainError('ITEM_UNKNOWN', 'No such item.'), { operation: 'GetItem', call });
  t.deepEqual(
    lines.map(({ level, err }) => [level, err]),
    [
      ['error', cause],
      ['error', cause],
      ['debug', undefined],
    ],
  );
});
