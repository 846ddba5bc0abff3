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
  t.is(tracerSettings({}, undefined), undefined);
  t.deepEqual(tracerSettings({}, declared), { ...declared, serviceName });
  t.deepEqual(tracerSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://env:4318/' }, declared), {
    endpoint: 'http://env:4318/v1/traces',
    share: 0.5,
    serviceName,
  });
  const own = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://env:4318',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces/in',
    OTEL_TRACES_SAMPLER_ARG: '0.25',
    OTEL_SERVICE_NAME: 'shop',
  };
  t.deepEqual(tracerSettings(own, undefined), {
    endpoint: 'http://traces/in',
    share: 0.25,
    serviceName: 'shop',
  });
  t.is(tracerSettings({ OTEL_SDK_DISABLED: 'true' }, declared), undefined);
  t.is(tracerSettings({ OTEL_TRACES_EXPORTER: 'none' }, declared), undefined);
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
