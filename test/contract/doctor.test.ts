/**
 * The doctor of a running service: over HTTP and gRPC, and on the command line with its exit codes.
 * Tests run one after the other, because at most eight diagnoses wait.
 */

import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import test from 'ava';
import { DiagnosisService } from '../../gen/es/personalisation/v1/diagnosis_service_pb.js';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { program } from '../support/program.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { createClients } from './support/clients.ts';

const deployment = `
environments:
  - name: clean
    item_types: [ { name: product } ]
  - name: faulty
    item_types: [ { name: product } ]
    list_names: { values: [top], on_unknown: warn }
  - name: empty
    item_types: [ { name: product } ]
`;

type Diagnosis = {
  event_count: number;
  item_count: number;
  findings: { check: string; severity: string; count: number; examples: string[] }[];
};

type Answer = { request_id: string; user_group: string; version: string };

let service: TestService;
let http: JsonClient;

const item = { action_item: 'chair', action_item_type: 'product' };
const types = ['detail_pageview', 'add_to_cart', 'remove_from_cart', 'purchase'];

/** All events of one visit in a shop without mailings, searches and sessions. */
function visitOf(answer: Answer): object[] {
  const person = { device_id: 'd1', user_id: 'u1', page_type: 'home' };
  const { request_id, user_group, version } = answer;
  const shown = { ...person, ...item, list_name: 'top', request_id, user_group, version };
  const group = { ...person, action_group: 'chairs', interaction_type: 'like' };
  return [
    ...types.map((event_type) => ({ ...person, ...item, event_type })),
    { ...person, ...item, event_type: 'item_interaction', interaction_type: 'like' },
    { ...group, event_type: 'group_pageview' },
    { ...group, event_type: 'group_interaction' },
    { ...person, event_type: 'page_visit' },
    { ...shown, event_type: 'impression' },
    { ...shown, event_type: 'click_on_recommendation' },
  ];
}

async function stock(environment: string): Promise<Answer> {
  await http.put(`/${environment}/items/product/chair`, { title: 'Chair' });
  await http.post('/configurations', { configuration_id: 'plain' });
  const { body } = await http.post<Answer>(`/${environment}/recommendations/requests`, {
    device_id: 'd1',
    page_type: 'home',
    lists: [{ configuration_id: 'plain', list_name: 'top', list_size: 1 }],
  });
  return body;
}

const send = (environment: string, events: object[]) => http.post(`/${environment}/events`, { events });

const diagnose = async (environment: string, query = '') =>
  (await http.get<Diagnosis>(`/${environment}/diagnosis${query}`)).body;

test.before(async () => {
  service = await startTestService({ teardown: () => undefined }, deployment);
  http = createJsonClient(service);
  await send('clean', visitOf(await stock('clean')));
  const answer = await stock('faulty');
  const [, ...others] = visitOf(answer);
  const lost = { ...answer, request_id: 'lost' };
  await send('faulty', [...others, { ...visitOf(lost).at(-1), action_item: 'gone', list_name: 'Best' }]);
});

test.after.always(() => service?.stop());

test.serial('an integration as documented has no findings', async (t) => {
  const { findings, event_count, item_count } = await diagnose('clean');
  t.deepEqual(findings, []);
  t.is(event_count, 10);
  t.is(item_count, 1);
});

test.serial('planted faults are found, the worst first, with examples', async (t) => {
  const { findings } = await diagnose('faulty');
  t.deepEqual(findings.map(({ check }) => check).toSorted(), [
    'clicks_without_impressions',
    'event_type_missing',
    'events_without_recommendations',
    'items_missing',
    'unregistered_values',
  ]);
  t.is(findings[0].severity, 'fault');
  t.true(findings.some(({ examples }) => examples.includes('request lost')));
  t.false(JSON.stringify(findings).includes('u1'));
});

test.serial('an environment without events and items is reported', async (t) => {
  const { findings } = await diagnose('empty');
  t.deepEqual(
    findings.map(({ check }) => check),
    ['no_events', 'catalogue_empty'],
  );
});

test.serial('notices are returned on request', async (t) => {
  const { findings } = await diagnose('clean', '?notices=true');
  t.deepEqual([...new Set(findings.map(({ severity }) => severity))], ['notice']);
});

test.serial('parameters have their limits, and environments must exist', async (t) => {
  t.is((await http.get('/clean/diagnosis?window_hours=0')).status, 400);
  t.is((await http.get('/clean/diagnosis?window_hours=8761')).status, 400);
  t.is((await http.get('/clean/diagnosis?since=7d')).status, 400);
  t.is((await http.get('/nowhere/diagnosis')).status, 404);
});

test.serial('only an administrator of the environment may read the diagnosis', async (t) => {
  const clients = createClients(service);
  const statusFor = async (...scopes: string[]) => {
    const { authorization } = await clients.create(...scopes);
    return (await createJsonClient({ ...service, authorization }).get('/empty/diagnosis')).status;
  };
  t.is(await statusFor('events:*', 'metrics:*'), 403);
  t.is(await statusFor('admin:clean'), 403);
  t.is(await statusFor('admin:empty'), 200);
  t.is((await createJsonClient({ ...service, authorization: '' }).get('/empty/diagnosis')).status, 401);
});

test.serial('gRPC answers the same', async (t) => {
  const baseUrl = `http://${service.grpcAddress}`;
  const rpc = createClient(DiagnosisService, createGrpcTransport({ baseUrl }));
  const { authorization } = service;
  const { diagnosis } = await rpc.getDiagnosis({ environment: 'faulty' }, { headers: { authorization } });
  t.deepEqual(
    diagnosis!.findings.map(({ check, examples }) => ({ check, examples })),
    (await diagnose('faulty')).findings.map(({ check, examples }) => ({ check, examples })),
  );
});

async function runDoctor(environment: string, ...rest: string[]) {
  const token = service.authorization.slice('Bearer '.length);
  const address = ['--address', service.grpcAddress, '--token', token];
  const child = spawn(process.execPath, [
    program,
    'doctor',
    '--environment',
    environment,
    ...address,
    ...rest,
  ]);
  const exit = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { exitCode: await exit, stdout, stderr };
}

test.serial('the command ends with 0 for a clean log', async (t) => {
  const { exitCode, stdout, stderr } = await runDoctor('clean', '--since', '2h');
  t.is(exitCode, 0, stderr);
  t.regex(stdout, /^clean: 10 events .*\n\nNo faults found\.\n$/s);
});

test.serial('the command ends with 2 for faults, each with a fix', async (t) => {
  const { exitCode, stdout } = await runDoctor('faulty');
  t.is(exitCode, 2);
  t.regex(stdout, /FAULT {2}event_type_missing:detail_pageview\n.*\n {2}→ Send detail_pageview/);
  t.regex(stdout, /request lost/);
});

test.serial(
  'the command prints JSON, leaves out ignored findings, and never fails if so configured',
  async (t) => {
    const ignored = await runDoctor('faulty', '--json', '--ignore', 'event_type_missing:detail_pageview');
    t.is(ignored.exitCode, 2);
    const checks = JSON.parse(ignored.stdout).findings.map(({ check }: { check: string }) => check);
    t.true(checks.length > 0);
    t.false(checks.includes('event_type_missing'));
    t.is((await runDoctor('faulty', '--fail-on', 'never')).exitCode, 0);
  },
);

test.serial('the command ends with 1 without a diagnosis', async (t) => {
  const { exitCode, stderr } = await runDoctor('nowhere');
  t.is(exitCode, 1);
  t.regex(stderr, /ENVIRONMENT_UNKNOWN/);
  t.is((await runDoctor('clean', '--since', 'yesterday')).exitCode, 1);
});
