/** The configured telemetry: metrics for the admin port, traces for a collector, request ids for logs. */

import type { Logger } from 'pino';
import type { Observer } from '../../handlers/chain/call.ts';
import { loadIntegration } from '../integrations.ts';
import { type CallScope, createStep, type Step } from './call-scope.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createObserver } from './observer.ts';
import type { Tracer, TracerSettings } from './tracer.ts';

export type Telemetry = {
  observer: Observer;
  step: Step;
  /** Undefined without an admin port. */
  metrics: Metrics | undefined;
  stop(): Promise<void>;
};

export type TelemetryOptions = {
  /** The logger's, so that its lines find the call. */
  scope: CallScope;
  measures: boolean;
  traces?: TracerSettings;
  logger: Logger;
};

export async function createTelemetry(options: TelemetryOptions): Promise<Telemetry> {
  const { scope, measures, traces, logger } = options;
  const metrics = measures ? createMetrics() : undefined;
  const tracer = traces && (await loadTracer(traces, logger));
  return {
    observer: createObserver({ scope, metrics: metrics?.calls, tracer }),
    step: createStep(scope),
    metrics,
    stop: async () => tracer?.stop(),
  };
}

/** Loads OpenTelemetry's packages on demand: they take a tenth of a second and 20 MB. */
async function loadTracer(settings: TracerSettings, logger: Logger): Promise<Tracer> {
  return loadIntegration('Tracing', async () => {
    return (await import('./otlp-tracer.ts')).createOtlpTracer(settings, logger);
  });
}
