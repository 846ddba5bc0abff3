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
  /** Receives spans, e.g. `http://localhost:4318/v1/traces`; without a path for `grpc`. */
  endpoint: string;
  /** [`http/json`] */
  protocol?: (typeof protocols)[number];
  /** Share of calls to trace where the caller did not decide, 0 to 1. */
  share: number;
  /** Whether the decision of a caller counts [true]. */
  followsCaller?: boolean;
  /** The attributes of `OTEL_RESOURCE_ATTRIBUTES`. */
  attributes?: Record<string, string>;
  /** The `service.name` of the spans. */
  serviceName: string;
  /** The `service.instance.id`: differs between nodes. */
  instanceId: string;
  /** The `deployment.environment.name`, such as `production`. */
  environmentName?: string;
};

const protocols = ['http/json', 'http/protobuf', 'grpc'] as const;
const samplers = ['traceidratio', 'always_on', 'always_off'].flatMap((name) => [`parentbased_${name}`, name]);

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
  const protocolName = env.OTEL_EXPORTER_OTLP_TRACES_PROTOCOL ? protocolOfTraces : protocolOfAll;
  const protocol = oneOf(env, protocolName, protocols);
  const path = protocol === 'grpc' ? '' : '/v1/traces';
  const endpoint =
    addressIn(env, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ||
    (base ? `${base.replace(/\/+$/, '')}${path}` : declared?.endpoint);
  if (!endpoint) return undefined;
  const sampler = oneOf(env, 'OTEL_TRACES_SAMPLER', samplers);
  const always = { on: 1, off: 0 }[/always_(\w+)/.exec(sampler)?.[1] ?? ''];
  const share = always ?? shareOf(env.OTEL_TRACES_SAMPLER_ARG) ?? declared?.share ?? 1;
  const attributes = resourceAttributesIn(env.OTEL_RESOURCE_ATTRIBUTES);
  return {
    ...{ endpoint, protocol, share },
    followsCaller: sampler.startsWith('parentbased_'),
    attributes: Object.fromEntries(attributes),
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

const protocolOfAll = 'OTEL_EXPORTER_OTLP_PROTOCOL';
const protocolOfTraces = 'OTEL_EXPORTER_OTLP_TRACES_PROTOCOL';

/** Returns the variable's value, by default the first of `known`. */
function oneOf<T extends string>(
  env: Record<string, string | undefined>,
  name: string,
  known: readonly T[],
): T {
  const value = known.find((one) => one === (env[name] || known[0]));
  if (value !== undefined) return value;
  throw new Error(`${name} must be one of ${known.join(', ')}; it is ${JSON.stringify(env[name])}.`);
}

function shareOf(text: string | undefined): number | undefined {
  const share = Number(text);
  return text && share >= 0 && share <= 1 ? share : undefined;
}
