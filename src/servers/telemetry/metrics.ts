/**
 * Operational metrics in Prometheus' format. What stands somewhere anyway (lengths, ages, counts) is read when it is asked
 * for, so it costs nothing in between.
 */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type CallMetrics, createCallMetrics } from './call-metrics.ts';

/** A value with its labels, e.g. of one environment. */
export type Sample = readonly [labels: Record<string, string>, value: number];

/** Reads what there is now. What cannot be read (a database that is away) is left out. */
export type Reading = () => Sample[] | Promise<Sample[]>;

export type Series = { name: string; help: string; labels: readonly string[]; read: Reading };

export type Metrics = {
  calls: CallMetrics;
  /** A value that goes up and down. */
  gauge(series: Series): void;
  /** A value that only grows until the process ends. */
  counter(series: Series): void;
  /** The exposition: text and its media type. */
  expose(): Promise<{ contentType: string; body: string }>;
};

/** A reading that takes longer is left out. */
const longestReadingMs = 2_000;

/** Event loop delay, garbage collection, memory and CPU of the process are included. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    calls: createCallMetrics(registry),
    gauge({ name, help, labels, read }) {
      new Gauge({
        name,
        help,
        labelNames: labels,
        registers,
        async collect() {
          const samples = await readInTime(read);
          this.reset();
          for (const [values, value] of samples) this.set(values, value);
        },
      });
    },
    counter({ name, help, labels, read }) {
      new Counter({
        name,
        help,
        labelNames: labels,
        registers,
        async collect() {
          const samples = await readInTime(read);
          this.reset();
          for (const [values, value] of samples) this.inc(values, value);
        },
      });
    },
    async expose() {
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}

async function readInTime(read: Reading): Promise<readonly Sample[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<readonly Sample[]>((resolve) => {
    timer = setTimeout(resolve, longestReadingMs, []);
  });
  try {
    const samples = new Promise<readonly Sample[]>((resolve) => resolve(read()));
    return await Promise.race([samples.catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}
