/** Exports spans by OpenTelemetry's OTLP in batches, in the background. Registers nothing globally. */

import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import { version } from '../../version.ts';
import type { Span, Traceparent, Tracer, TracerSettings } from './tracer.ts';

/** Keeps an unreachable collector from delaying the stop of the service. */
const longestExportMs = 5_000;

/** Least time between two reports of lost spans. */
const reportEveryMs = 60_000;

const exporters = {
  'http/json': () => import('@opentelemetry/exporter-trace-otlp-http'),
  'http/protobuf': () => import('@opentelemetry/exporter-trace-otlp-proto'),
  grpc: () => import('@opentelemetry/exporter-trace-otlp-grpc'),
};

export async function createOtlpTracer(settings: TracerSettings, logger: Logger): Promise<Tracer> {
  const { endpoint, protocol = 'http/json', share, followsCaller = true, ...others } = settings;
  const { serviceName, instanceId, environmentName, attributes } = others;
  const { OTLPTraceExporter } = await exporters[protocol]();
  const exporter = new OTLPTraceExporter({ url: endpoint, timeoutMillis: longestExportMs });
  const root = new TraceIdRatioBasedSampler(share);
  const provider = new TracerProvider({
    resource: resourceOf({
      'service.version': version,
      ...attributes,
      'service.name': serviceName,
      'service.instance.id': instanceId,
      ...(environmentName && { 'deployment.environment.name': environmentName }),
    }),
    sampler: followsCaller ? new ParentBasedSampler({ root }) : root,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: reporting(exporter, endpoint, logger),
        exportTimeoutMillis: longestExportMs,
      }),
    ],
  });
  const tracer = provider.getTracer(serviceName);

  const wrap = (span: OtelSpan): Span => ({
    rename: (name) => void span.updateName(name),
    setAttribute: (name, value) => void span.setAttribute(name, value),
    startChild: (name) => wrap(tracer.startSpan(name, {}, trace.setSpan(ROOT_CONTEXT, span))),
    end(failure) {
      if (failure !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: failure });
      span.end();
    },
  });

  return {
    start: (name, parent) => wrap(tracer.startSpan(name, { kind: SpanKind.SERVER }, contextOf(parent))),
    stop: () => provider.shutdown().catch(() => undefined),
  };
}

/** Logs that spans are lost, at most once a minute. */
function reporting(exporter: SpanExporter, endpoint: string, logger: Logger): SpanExporter {
  let spanCount = 0;
  let nextMs = 0;
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        spanCount += result.code === 0 ? 0 : spans.length;
        if (spanCount > 0 && performance.now() >= nextMs) {
          const reason = result.error?.message;
          logger.warn({ endpoint, spanCount, reason }, 'Spans are lost: the collector did not take them.');
          spanCount = 0;
          nextMs = performance.now() + reportEveryMs;
        }
        done(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

type Resource = NonNullable<NonNullable<ConstructorParameters<typeof TracerProvider>[0]>['resource']>;

/** Semantic conventions: https://opentelemetry.io/docs/specs/semconv/resource/#service. */
function resourceOf(attributes: Record<string, string>): Resource {
  const resource: Resource = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  };
  return resource;
}

function contextOf(parent: Traceparent | undefined): Context {
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, flags } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags & 1, isRemote: true });
}
