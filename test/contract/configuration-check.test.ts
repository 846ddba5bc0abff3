/** Checks of configurations: warnings, contradictions and size limits. */

import { createClient } from '@connectrpc/connect';
import test from 'ava';
import { ConfigurationService } from '../../gen/es/personalisation/v1/configuration_service_pb.js';
import { createAdminTransport } from '../support/admin-transport.ts';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const http = createJsonClient(service);
const rpc = createClient(ConfigurationService, createAdminTransport(service));

let configurationCount = 0;
const freshId = () => `checked-${++configurationCount}`;

test('a write, a check and a simulation give the same warnings', async (t) => {
  const rule = { case: 'query', value: { key: 'brand', match: { value: text('nobody has this') } } } as const;
  const configuration = {
    configurationId: freshId(),
    constraints: [
      { rule, limit: { min: 2 } },
      { rule, limit: { max: 1 } },
    ],
  };
  const { warnings } = await rpc.lintConfiguration({ configuration });
  t.deepEqual(
    warnings.map(({ kind, pointer }) => `${kind} ${pointer}`),
    [
      'contradiction /constraints/0',
      'dead_condition /constraints/0/query',
      'dead_condition /constraints/1/query',
    ],
  );
  t.is((await http.get(`/configurations/${configuration.configurationId}`)).status, 404);
  const { configurationId } = configuration;
  t.deepEqual((await rpc.putConfiguration({ configurationId, configuration })).warnings, warnings);
  t.deepEqual((await rpc.createConfiguration({ configuration })).warnings, warnings);
  const simulated = await rpc.simulateConfiguration({ environment: 'shop', draft: configuration });
  t.deepEqual(simulated.warnings, warnings);
});

test('a configuration that hides nearly as many items as it may is warned of', async (t) => {
  const warned = async (count: number) => {
    const hides = Array.from({ length: count }, (_, i) => ({ itemId: `hidden-${i}` }));
    const { warnings } = await rpc.lintConfiguration({
      configuration: { configurationId: freshId(), hides },
    });
    return warnings.filter(({ kind }) => kind === 'many_hides').map(({ pointer }) => pointer);
  };
  t.deepEqual(await warned(449), []);
  t.deepEqual(await warned(450), ['/hides']);
});

function text(value: string) {
  return { kind: { case: 'stringValue' as const, value } };
}

test('two musts that exclude each other are refused at the first', async (t) => {
  const must = (value: string) => ({ query: { key: 'brand', match: value } });
  const refused = await http.put(`/configurations/${freshId()}`, { constraints: [must('a'), must('b')] });
  t.like(refused, { status: 400, reason: 'body_invalid', pointers: ['/constraints/0'] });
});

const nested = (opening: string, closing: string) => `${opening.repeat(10_000)}1${closing.repeat(10_000)}`;

const values = (count: number) =>
  JSON.stringify(Array.from({ length: count }, (_, i) => `(a|aa)+$ ${i} ${'x'.repeat(count % 97)}`));

const query = (operators: string) => `{"query":{"key":"title",${operators}},"limit":{"min":1}}`;

const oversized: [what: string, constraints: string, status: number][] = [
  ['10,000 nested or', query(`"match":${nested('{"or":[', ']}')}`), 400],
  ['10,000 nested and', query(`"and":${nested('[{"and":', '}]')}`), 400],
  ['10,000 nested not', query(`"match":${nested('{"not":', '}')}`), 501],
  ['10,000 values of and', query(`"match":{"and":${values(10_000)}}`), 400],
  ['10,000 values of or', query(`"match":{"or":${values(10_000)}}`), 400],
  [
    'a megabyte of values',
    Array(200)
      .fill(query(`"contains":${values(250)}`))
      .join(),
    200,
  ],
  ['regex-like values', query('"starts_with":["(a+)+$","^(.*)*$","[","\\\\"]'), 200],
];

for (const [what, constraints, status] of oversized) {
  test(`${what}: ${status} in bounded time`, async (t) => {
    t.is((await http.put(`/configurations/${freshId()}`, `{"constraints":[${constraints}]}`)).status, status);
  });
}
