/** Telemetry of calls: request ids in log lines, counts and latencies by outcome. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { Registry } from 'prom-client';
import { createBatcher } from '../../../src/repository/batcher.ts';
import { createCallMetrics } from '../../../src/servers/telemetry/call-metrics.ts';
import { createCallScope, createStep } from '../../../src/servers/telemetry/call-scope.ts';
import { createLogger } from '../../../src/servers/telemetry/logger.ts';
import { createMetrics } from '../../../src/servers/telemetry/metrics.ts';
import { createObserver } from '../../../src/servers/telemetry/observer.ts';
import type { Span } from '../../../src/servers/telemetry/tracer.ts';

function createLog() {
  const lines: Record<string, unknown>[] = [];
  const scope = createCallScope();
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  return { lines, scope, logger: createLogger('info', { scope, destination }) };
}

test('every line logged during a call has its request id, after any awaits', async (t) => {
  const { lines, scope, logger } = createLog();
  const observer = createObserver({ scope });
  const serve = async (requestId: string) =>
    observer.begin({ transport: 'http', requestId }).run(async () => {
      await nextTurn();
      logger.warn('late');
    });
  await Promise.all(['a', 'b'].map(serve));
  logger.info('outside');
  t.deepEqual(
    lines.map(({ msg, request_id }) => [msg, request_id]),
    [
      ['late', 'a'],
      ['late', 'b'],
      ['outside', undefined],
    ],
  );
});

test('a batch belongs to none of its calls', async (t) => {
  const { lines, scope, logger } = createLog();
  const batcher = createBatcher<string, void>({
    maxBatch: 10,
    maxQueued: 10,
    run: async (batch) => {
      logger.info('batch');
      return batch.map(() => undefined);
    },
  });
  await Promise.all(['a', 'b'].map((requestId) => scope.run({ requestId }, () => batcher(requestId))));
  t.deepEqual(
    lines.map(({ request_id }) => request_id),
    [undefined],
  );
});

test('calls are counted once, by operation, transport and outcome', async (t) => {
  const registry = new Registry();
  const observer = createObserver({ scope: createCallScope(), metrics: createCallMetrics(registry) });
  const operation = 'personalisation.v1.ItemService/PutItem';
  const call = (outcome?: string) => {
    const observation = observer.begin({ transport: 'grpc', requestId: 'r' });
    observation.end(operation, outcome);
    observation.end(operation, 'CLIENT_GONE');
  };
  call();
  call();
  call('BODY_INVALID');
  call('INTERNAL');
  const text = await registry.metrics();
  const labels = (outcome: string) =>
    `{operation="ItemService/PutItem",transport="grpc",outcome="${outcome}"}`;
  t.true(text.includes(`personalisation_calls_total${labels('OK')} 2`));
  t.true(text.includes(`personalisation_calls_total${labels('BODY_INVALID')} 1`));
  for (const [outcome, count] of [
    ['ok', 2],
    ['refused', 1],
    ['failed', 1],
  ] as const)
    t.true(text.includes(`personalisation_call_duration_seconds_count${labels(outcome)} ${count}`));
  t.true(text.includes('personalisation_calls_running 0'));
  t.false(text.includes('CLIENT_GONE'));
});

test('a latency bucket counts all shorter calls', async (t) => {
  const registry = new Registry();
  const metrics = createCallMetrics(registry);
  for (const seconds of [0.001, 0.003, 0.3, 60]) metrics.end({ operation: 'o', transport: 'http', seconds });
  const text = await registry.metrics();
  const bucket = (le: string) => `_bucket{le="${le}",operation="o",transport="http",outcome="ok"}`;
  for (const [le, count] of [
    ['0.001', 1],
    ['0.005', 2],
    ['0.25', 2],
    ['0.5', 3],
    ['10', 3],
    ['+Inf', 4],
  ] as const)
    t.true(text.includes(`personalisation_call_duration_seconds${bucket(le)} ${count}\n`), le);
  t.regex(text, /_sum\{operation="o",transport="http",outcome="ok"\} 60\.30/);
});

test('steps are spans of traced calls only, and end when their work does', async (t) => {
  const ended: string[] = [];
  const spanOf = (name: string): Span => ({
    rename: () => undefined,
    setAttribute: () => undefined,
    startChild: spanOf,
    end: (failure) => void ended.push(failure ? `${name} ${failure}` : name),
  });
  const scope = createCallScope();
  const step = createStep(scope);
  t.is(
    step('outside', () => 1),
    1,
  );
  await scope.run({ requestId: 'r', span: spanOf('call') }, async () => {
    t.is(
      step('now', () => 2),
      2,
    );
    const later = step('later', async () => 3);
    t.deepEqual(ended, ['now']);
    t.is(await later, 3);
    t.throws(() =>
      step('never', () => {
        throw new Error('x');
      }),
    );
    await t.throwsAsync(step('rejected', () => Promise.reject(new Error('y'))));
  });
  t.deepEqual(ended, ['now', 'later', 'never failed', 'rejected failed']);
});

test('failed readings are left out of the metrics', async (t) => {
  const metrics = createMetrics();
  const labels = ['of'];
  metrics.gauge({ name: 'here', help: 'h', labels, read: () => [[{ of: 'a' }, 3]] });
  metrics.gauge({ name: 'away', help: 'h', labels, read: () => Promise.reject(new Error('no database')) });
  const { body, contentType } = await metrics.expose();
  t.regex(contentType, /^text\/plain; version=0\.0\.4/);
  t.true(body.includes('here{of="a"} 3'));
  t.false(/^away\{/m.test(body));
  t.regex(body, /^nodejs_eventloop_lag_p99_seconds /m);
});
