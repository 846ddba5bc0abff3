/** Exports spans by OpenTelemetry's OTLP in batches, in the background. Registers nothing globally. */

import {
  type Context,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { version } from '../../version.ts';
import type { Span, Traceparent, Tracer, TracerSettings } from './tracer.ts';

/** Keeps an unreachable collector from delaying the stop of the service. */
const longestExportMs = 5_000;

export function createOtlpTracer(settings: TracerSettings): Tracer {
  const { endpoint, share, serviceName, instanceId, environmentName } = settings;
  const exporter = new OTLPTraceExporter({ url: endpoint, timeoutMillis: longestExportMs });
  const processor = new BatchSpanProcessor({ exporter, exportTimeoutMillis: longestExportMs });
  const provider = new TracerProvider({
    resource: resourceOf({
      'service.name': serviceName,
      'service.version': version,
      'service.instance.id': instanceId,
      ...(environmentName && { 'deployment.environment.name': environmentName }),
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(share) }),
    spanProcessors: [processor],
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
