/** Calls by operation, transport and outcome. The labels are names of the contract, so their number is bounded. */

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Seconds. A list takes two milliseconds, the longest import batch some seconds. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Failures of the service; all others are the caller's. */
const serviceFailures = new Set(['INTERNAL', 'UNAVAILABLE', 'DEADLINE_EXCEEDED']);

export type EndedCall = {
  /** `personalisation.v1.ItemService/PutItem`; `none` for an unknown path. */
  operation: string;
  transport: string;
  /** Reason of a failure; absent for success. */
  outcome?: string;
  seconds: number;
};

export type CallMetrics = { begin(): void; end(call: EndedCall): void };

/** Counting a call takes about 2 µs. */
export function createCallMetrics(registry: Registry): CallMetrics {
  const labelNames = ['operation', 'transport', 'outcome'] as const;
  const registers = [registry];
  const calls = new Counter({
    name: 'personalisation_calls_total',
    help: 'Calls answered, by operation, transport and outcome: OK or the reason of the refusal or failure.',
    labelNames,
    registers,
  });
  /** The outcome is one of three classes: reasons would make the histogram ten times as large. */
  const durations = new Histogram({
    name: 'personalisation_call_duration_seconds',
    help: 'Time from the arrival of a call to the end of its answer; outcome is ok, refused (the caller’s fault) or failed.',
    labelNames,
    buckets: latencyBuckets,
    registers,
  });
  const running = new Gauge({
    name: 'personalisation_calls_running',
    help: 'Calls in progress.',
    registers,
  });
  return {
    begin: () => running.inc(),
    end({ operation: name, transport, outcome = 'OK', seconds }) {
      const operation = name.slice(name.lastIndexOf('.') + 1);
      running.dec();
      calls.inc({ operation, transport, outcome });
      durations.observe({ operation, transport, outcome: classOf(outcome) }, seconds);
    },
  };
}

function classOf(outcome: string): 'ok' | 'refused' | 'failed' {
  if (outcome === 'OK') return 'ok';
  return serviceFailures.has(outcome) ? 'failed' : 'refused';
}
