/** Calls by operation, transport and outcome. Labels are names of the contract, so their number is bounded. */

import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Seconds; a list takes two milliseconds, the longest import batch some seconds. */
const latencyBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** What is the service's own doing; every other failure is the caller's. */
const ourFaults = new Set(['INTERNAL', 'UNAVAILABLE', 'DEADLINE_EXCEEDED']);

export type EndedCall = {
  /** `personalisation.v1.ItemService/PutItem`; `none` when no operation was found. */
  operation: string;
  transport: string;
  /** Reason of a failure; absent for success. */
  outcome?: string;
  seconds: number;
};

export type CallMetrics = { begin(): void; end(call: EndedCall): void };

type Counted = { inc(): void };
type Timed = { observe(seconds: number): void };

export function createCallMetrics(registry: Registry): CallMetrics {
  const registers = [registry];
  const calls = new Counter({
    name: 'personalisation_calls_total',
    help: 'Calls answered, by operation, transport and outcome: OK or the reason of the refusal or failure.',
    labelNames: ['operation', 'transport', 'outcome'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'personalisation_call_duration_seconds',
    help: 'Time from the arrival of a call to the end of its answer; outcome is ok, refused (by the caller’s fault) or failed.',
    labelNames: ['operation', 'transport', 'outcome'] as const,
    buckets: latencyBuckets,
    registers,
  });
  const running = new Gauge({
    name: 'personalisation_calls_running',
    help: 'Calls that have arrived and are not answered yet.',
    registers,
  });
  /** Finding a series by its labels costs more than counting; there are few, so they are kept. */
  const series = new Map<string, { count: Counted; time: Timed }>();
  const seriesOf = ({ operation, transport, outcome = 'OK' }: EndedCall) => {
    const key = `${operation} ${transport} ${outcome}`;
    let found = series.get(key);
    if (!found) {
      const name = operation.slice(operation.lastIndexOf('.') + 1);
      found = {
        count: calls.labels({ operation: name, transport, outcome }),
        time: durations.labels({ operation: name, transport, outcome: classOf(outcome) }),
      };
      series.set(key, found);
    }
    return found;
  };
  return {
    begin: () => running.inc(),
    end(call) {
      running.dec();
      const { count, time } = seriesOf(call);
      count.inc();
      time.observe(call.seconds);
    },
  };
}

function classOf(outcome: string): 'ok' | 'refused' | 'failed' {
  if (outcome === 'OK') return 'ok';
  return ourFaults.has(outcome) ? 'failed' : 'refused';
}
