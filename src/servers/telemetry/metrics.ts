/** Operational metrics in Prometheus' format. Lengths, ages and counts are read when they are scraped. */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { withinTime } from '../../ranking/runtime/within-time.ts';
import { type CallMetrics, createCallMetrics } from './call-metrics.ts';

/** A value with its labels, e.g. of one environment. */
export type Sample = readonly [labels: Record<string, string>, value: number];

/** Returns the current values. A reading that fails or takes too long is left out. */
export type Reading = () => Sample[] | Promise<Sample[]>;

export type Series = { name: string; help: string; labels: readonly string[]; read: Reading };

export type Metrics = {
  calls: CallMetrics;
  /** Adds a value that goes up and down. */
  gauge(series: Series): void;
  /** Adds a value that only grows until the process ends. */
  counter(series: Series): void;
  expose(): Promise<{ contentType: string; body: string }>;
};

const readingTimeoutMs = 2_000;

/** Event loop delay, garbage collection, memory and CPU of the process are included. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    calls: createCallMetrics(registry),
    gauge({ name, help, labels: labelNames, read }) {
      new Gauge({
        ...{ name, help, labelNames, registers },
        async collect() {
          const samples = await readInTime(read);
          this.reset();
          for (const [labels, value] of samples) this.set(labels, value);
        },
      });
    },
    counter({ name, help, labels: labelNames, read }) {
      new Counter({
        ...{ name, help, labelNames, registers },
        async collect() {
          const samples = await readInTime(read);
          this.reset();
          for (const [labels, value] of samples) this.inc(labels, value);
        },
      });
    },
    async expose() {
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

async function readInTime(read: Reading): Promise<readonly Sample[]> {
  const reading = new Promise<readonly Sample[]>((resolve) => resolve(read()));
  return (await withinTime(readingTimeoutMs, reading)) ?? [];
}
