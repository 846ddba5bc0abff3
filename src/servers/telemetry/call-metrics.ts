/**
 * Calls by operation, transport and outcome. Labels are names of the contract, so their number is bounded.
 *
 * Every call passes here, and the library would sort and join its labels each time (4 µs). So the counts stand in arrays, found by
 * three names, and become the library's samples when somebody looks.
 */

import type { Metric, Registry } from 'prom-client';

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

/** Calls of one operation, transport and outcome. */
type Counts = {
  count: number;
  seconds: number /** By bucket; the last is for all that took longer. */;
  buckets: Float64Array;
};

type Labels = { operation: string; transport: string; outcome: string };
type Sample = { metricName?: string; labels: Record<string, string | number>; value: number };
type Family = { name: string; help: string; type: string; read(): Sample[] };

export function createCallMetrics(registry: Registry): CallMetrics {
  const counted = new Map<string, Map<string, Map<string, Counts>>>();
  let runningCount = 0;
  const families: Family[] = [
    {
      name: 'personalisation_calls_total',
      help: 'Calls answered, by operation, transport and outcome: OK or the reason of the refusal or failure.',
      type: 'counter',
      read: () => Array.from(entriesOf(counted), ([labels, { count }]) => ({ labels, value: count })),
    },
    {
      name: 'personalisation_call_duration_seconds',
      help: 'Time from the arrival of a call to the end of its answer; outcome is ok, refused (by the caller’s fault) or failed.',
      type: 'histogram',
      read: () => histogramOf(entriesOf(counted)),
    },
    {
      name: 'personalisation_calls_running',
      help: 'Calls that have arrived and are not answered yet.',
      type: 'gauge',
      read: () => [{ labels: {}, value: runningCount }],
    },
  ];
  for (const family of families) register(registry, family);
  return {
    begin() {
      runningCount += 1;
    },
    end({ operation, transport, outcome = 'OK', seconds }) {
      runningCount -= 1;
      const counts = countsOf(counted, operation, transport, outcome);
      counts.count += 1;
      counts.seconds += seconds;
      counts.buckets[bucketOf(seconds)] += 1;
    },
  };
}

/** A family that reads its samples itself; the library asks no more of one than these. */
function register(registry: Registry, { read, ...family }: Family): void {
  const metric = { ...family, get: async () => ({ ...family, values: read(), aggregator: 'sum' }) };
  registry.registerMetric(metric as unknown as Metric);
}

function countsOf(
  counted: Map<string, Map<string, Map<string, Counts>>>,
  operation: string,
  transport: string,
  outcome: string,
): Counts {
  const byTransport = counted.get(operation) ?? insert(counted, operation, new Map());
  const byOutcome = byTransport.get(transport) ?? insert(byTransport, transport, new Map());
  return byOutcome.get(outcome) ?? insert(byOutcome, outcome, noCounts());
}

function insert<Value>(map: Map<string, Value>, key: string, value: Value): Value {
  map.set(key, value);
  return value;
}

const noCounts = (): Counts => ({
  count: 0,
  seconds: 0,
  buckets: new Float64Array(latencyBuckets.length + 1),
});

function bucketOf(seconds: number): number {
  let bucket = 0;
  while (bucket < latencyBuckets.length && seconds > latencyBuckets[bucket]) bucket += 1;
  return bucket;
}

function* entriesOf(
  counted: Map<string, Map<string, Map<string, Counts>>>,
): Generator<[labels: Labels, counts: Counts]> {
  for (const [operation, byTransport] of counted)
    for (const [transport, byOutcome] of byTransport)
      for (const [outcome, counts] of byOutcome)
        yield [{ operation: operation.slice(operation.lastIndexOf('.') + 1), transport, outcome }, counts];
}

/** Reasons are joined into three classes, which keeps the histogram a tenth of the size. */
function histogramOf(entries: Iterable<[Labels, Counts]>): Sample[] {
  const joined = new Map<string, [Labels, Counts]>();
  for (const [labels, counts] of entries) {
    const outcome = classOf(labels.outcome);
    const key = `${labels.operation} ${labels.transport} ${outcome}`;
    const [, sum] = joined.get(key) ?? insert(joined, key, [{ ...labels, outcome }, noCounts()]);
    sum.count += counts.count;
    sum.seconds += counts.seconds;
    for (const [i, count] of counts.buckets.entries()) sum.buckets[i] += count;
  }
  return Array.from(joined.values(), samplesOf).flat();
}

/** Buckets count all that took no longer than their bound. */
function samplesOf([labels, { count, seconds, buckets }]: [Labels, Counts]): Sample[] {
  const name = 'personalisation_call_duration_seconds';
  let upTo = 0;
  const bounded = Array.from(buckets, (inBucket, i) => {
    upTo += inBucket;
    return {
      metricName: `${name}_bucket`,
      labels: { le: latencyBuckets[i] ?? '+Inf', ...labels },
      value: upTo,
    };
  });
  return [
    ...bounded,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count },
  ];
}

function classOf(outcome: string): 'ok' | 'refused' | 'failed' {
  if (outcome === 'OK') return 'ok';
  return ourFaults.has(outcome) ? 'failed' : 'refused';
}
