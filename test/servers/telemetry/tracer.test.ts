/** Traces: parents, destinations, and disabled tracing. */

import test from 'ava';
import { parseTraceparent, tracerSettings } from '../../../src/servers/telemetry/tracer.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

const traceparents: { meaning: string; text: string | undefined; flags?: number }[] = [
  { meaning: 'sampled', text: `00-${traceId}-${spanId}-01`, flags: 1 },
  { meaning: 'not sampled', text: `00-${traceId}-${spanId}-00`, flags: 0 },
  { meaning: 'of a later version', text: `01-${traceId}-${spanId}-01-more`, flags: 1 },
  { meaning: 'absent', text: undefined },
  { meaning: 'of the version that is forbidden', text: `ff-${traceId}-${spanId}-01` },
  { meaning: 'without a trace', text: `00-${'0'.repeat(32)}-${spanId}-01` },
  { meaning: 'without a span', text: `00-${traceId}-${'0'.repeat(16)}-01` },
  { meaning: 'in upper case', text: `00-${traceId.toUpperCase()}-${spanId}-01` },
  { meaning: 'endless', text: `01-${traceId}-${spanId}-01-${'x'.repeat(1_000)}` },
];

for (const { meaning, text, flags } of traceparents) {
  test(`a traceparent ${meaning} is ${flags === undefined ? 'ignored' : 'continued'}`, (t) => {
    t.deepEqual(parseTraceparent(text), flags === undefined ? undefined : { traceId, spanId, flags });
  });
}

const declared = { endpoint: 'http://file:4318/v1/traces', share: 0.5 };
const serviceName = 'personalisation';

test('environment variables take precedence over the deployment file', (t) => {
  const settingsOf = (env: Record<string, string>, file?: typeof declared) => {
    const { endpoint, share, serviceName } = tracerSettings(env, file)!;
    return [endpoint, share, serviceName];
  };
  t.is(tracerSettings({}, undefined), undefined);
  t.deepEqual(settingsOf({}, declared), [declared.endpoint, declared.share, serviceName]);
  t.deepEqual(settingsOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://env:4318/' }, declared), [
    ...['http://env:4318/v1/traces', 0.5, serviceName],
  ]);
  const own = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://env:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces/in',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_SERVICE_NAME: 'shop',
  };
  t.deepEqual(settingsOf(own), ['http://traces/in', 0.25, 'shop']);
  t.is(tracerSettings({ OTEL_SDK_DISABLED: 'true' }, declared), undefined);
  t.is(tracerSettings({ OTEL_TRACES_EXPORTER: 'none' }, declared), undefined);
});

test('the resource of spans names node and environment as OTEL_RESOURCE_ATTRIBUTES does', (t) => {
  const resourceOf = (text?: string) => {
    const { instanceId, environmentName } = tracerSettings({ OTEL_RESOURCE_ATTRIBUTES: text }, declared)!;
    return [instanceId, environmentName];
  };
  const usual = resourceOf()[0];
  t.regex(usual!, /-\d+$/);
  t.deepEqual(resourceOf(), [usual, undefined]);
  const both = ' service.instance.id=pod-1 , deployment.environment.name=pre%20production';
  t.deepEqual(resourceOf(both), ['pod-1', 'pre production']);
  t.deepEqual(resourceOf('deployment.environment=test,broken,=x,y='), [usual, 'test']);
  t.deepEqual(resourceOf('deployment.environment.name=%ff'), [usual, undefined]);
});

test('sampler and protocol are read as OpenTelemetry names them', (t) => {
  const settingsOf = (env: Record<string, string>) => {
    const { share, followsCaller, protocol, endpoint } = tracerSettings(env, declared)!;
    return [share, followsCaller, protocol, endpoint];
  };
  t.deepEqual(settingsOf({}), [0.5, true, 'http/json', declared.endpoint]);
  t.deepEqual(settingsOf({ OTEL_TRACES_SAMPLER: 'always_off' }).slice(0, 2), [0, false]);
  t.deepEqual(settingsOf({ OTEL_TRACES_SAMPLER: 'parentbased_always_on' }).slice(0, 2), [1, true]);
  const ratio = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
  t.deepEqual(settingsOf(ratio).slice(0, 2), [0.1, false]);
  const grpc = { OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://env:4317' };
  t.deepEqual(settingsOf(grpc).slice(2), ['grpc', 'http://env:4317']);
  const proto = { ...grpc, OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf' };
  t.deepEqual(settingsOf(proto).slice(2), ['http/protobuf', 'http://env:4317/v1/traces']);
  for (const name of ['OTEL_TRACES_SAMPLER', 'OTEL_EXPORTER_OTLP_PROTOCOL'])
    t.throws(() => settingsOf({ [name]: 'xray' }), {
      message: new RegExp(`^${name} must be one of .*"xray"`),
    });
});

test('an endpoint without http:// is refused by name, because no traces would arrive there', (t) => {
  for (const name of ['OTEL_EXPORTER_OTLP_ENDPOINT', 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'])
    for (const address of ['collector:4318', 'collector'])
      t.throws(() => tracerSettings({ [name]: address }, declared), {
        message: `${name} must be an address like http://localhost:4318; it is "${address}".`,
      });
  const off = { OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' };
  t.is(tracerSettings(off, declared), undefined);
});
