/** The tracing interface; otlp-tracer.ts implements it by OpenTelemetry and is loaded only when tracing is configured. */

import { hostname } from 'node:os';

export type Span = {
  /** Sets the name, which is unknown at the start. */
  rename(name: string): void;
  setAttribute(name: string, value: string): void;
  startChild(name: string): Span;
  /** @param failure Why the work failed; absent for success. */
  end(failure?: string): void;
};

export type Tracer = {
  /** @param traceparent The caller's, if valid; see https://www.w3.org/TR/trace-context/#traceparent-header. */
  start(name: string, traceparent: Traceparent | undefined): Span;
  /** Exports the last spans. */
  stop(): Promise<void>;
};

export type TracerSettings = {
  /** Receives spans as OTLP over HTTP, e.g. `http://localhost:4318/v1/traces`. */
  endpoint: string;
  /** Share of calls to trace where the caller did not decide, 0 to 1. */
  share: number;
  /** The `service.name` of the spans. */
  serviceName: string;
  /** The `service.instance.id`: differs between nodes. */
  instanceId: string;
  /** The `deployment.environment.name`, such as `production`. */
  environmentName?: string;
};

export type Traceparent = { traceId: string; spanId: string; flags: number };

const grammar = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;

/** Ignores the fields that versions after 00 may add. */
export function parseTraceparent(text: string | undefined): Traceparent | undefined {
  if (text === undefined || text.length > 256) return undefined;
  const [, traceId, spanId, flags] = grammar.exec(text) ?? [];
  return traceId === undefined ? undefined : { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/**
 * Reads the standard variables first, then the deployment file. Returns undefined when tracing is off.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 * @throws Error when a variable is not an HTTP address.
 */
export function tracerSettings(
  env: Record<string, string | undefined>,
  declared: { endpoint: string; share: number } | undefined,
): TracerSettings | undefined {
  if (env.OTEL_SDK_DISABLED === 'true' || env.OTEL_TRACES_EXPORTER === 'none') return undefined;
  const base = addressIn(env, 'OTEL_EXPORTER_OTLP_ENDPOINT');
  const endpoint =
    addressIn(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ||
    (base ? `${base.replace(/\/+$/, '')}/v1/traces` : declared?.endpoint);
  if (!endpoint) return undefined;
  const share = shareOf(env.OTEL_TRACES_SAMPLER_ARG) ?? declared?.share ?? 1;
  const attributes = resourceAttributesIn(env.OTEL_RESOURCE_ATTRIBUTES);
  return {
    ...{ endpoint, share },
    serviceName: env.OTEL_SERVICE_NAME || attributes.get('service.name') || 'personalisation',
    instanceId: attributes.get('service.instance.id') || `${hostname()}-${process.pid}`,
    environmentName:
      attributes.get('deployment.environment.name') || attributes.get('deployment.environment'),
  };
}

/** Reads `key=value,key=value` with percent-encoded values; ignores what is not. */
function resourceAttributesIn(text = ''): Map<string, string> {
  const pairs = text.split(',').map((pair) => /^\s*([^=\s]+)\s*=\s*(\S+)\s*$/.exec(pair) ?? []);
  return new Map(
    pairs.flatMap(([, key, value]) => {
      try {
        return key === undefined ? [] : [[key, decodeURIComponent(value)] as const];
      } catch {
        return [];
      }
    }),
  );
}

function addressIn(env: Record<string, string | undefined>, name: string): string | undefined {
  const text = env[name];
  if (!text || (/^https?:\/\//.test(text) && URL.canParse(text))) return text;
  throw new Error(`${name} must be an address like http://localhost:4318; it is ${JSON.stringify(text)}.`);
}

function shareOf(text: string | undefined): number | undefined {
  const share = Number(text);
  return text && share >= 0 && share <= 1 ? share : undefined;
}
