/**
 * Operational metrics in Prometheus' format. What stands somewhere anyway (lengths, ages, counts) is read when it is asked
 * for, so it costs nothing in between.
 */

import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { type CallMetrics, createCallMetrics } from './call-metrics.ts';

/** One value for each label value, e.g. by environment. */
export type Reading = () => Iterable<readonly [label: string, value: number]>;

export type Metrics = {
  calls: CallMetrics;
  /** A value that is read when somebody looks. */
  gauge(name: string, help: string, label: string, read: Reading): void;
  /** The same for a value that only grows. */
  counter(name: string, help: string, label: string, read: Reading): void;
  /** The exposition: text and its media type. */
  expose(): Promise<{ contentType: string; body: string }>;
};

/** Event loop delay, garbage collection, memory and CPU of the process are included. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  return {
    calls: createCallMetrics(registry),
    gauge(name, help, label, read) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [value, number] of read()) this.set({ [label]: value }, number);
        },
      });
    },
    counter(name, help, label, read) {
      new Counter({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [value, number] of read()) this.inc({ [label]: value }, number);
        },
      });
    },
    async expose() {
      return { contentType: registry.contentType, body: await registry.metrics() };
    },
  };
}
