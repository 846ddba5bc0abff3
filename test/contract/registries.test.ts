/** Registered values in requests: `reject` refuses unknown ones with a pointer, `warn` and `accept` allow them. */

import test from 'ava';
import { pino } from 'pino';
import { createJsonClient, type JsonClient } from '../support/json-client.ts';
import { startTestService, type TestService } from '../support/service.ts';

const deployment = `
environments:
  - name: strict
    item_types: [ { name: article } ]
    page_types: { values: [home], on_unknown: reject }
    channels: { values: [web], on_unknown: reject }
    list_names: { values: [top], on_unknown: reject }
  - name: lenient
    item_types: [ { name: article } ]
    page_types: { values: [home], on_unknown: warn }
    channels: { values: [web], on_unknown: warn }
    list_names: { values: [top], on_unknown: accept }
`;

/** Log lines of the service. */
const warnings: string[] = [];

let service: TestService;
let http: JsonClient;

test.before(async () => {
  const logger = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(line) });
  service = await startTestService({ teardown: () => undefined }, deployment, { watch: { logger } });
  http = createJsonClient(service);
  await http.put('/configurations/any', {});
});

test.after.always(() => service?.stop());

type Given = { page_type?: string; channel?: string; list_name?: string };

const calls: Record<string, (environment: string, given: Given) => Promise<unknown>> = {
  recommendations: (environment, { list_name = 'top', ...given }) =>
    http.post(`/${environment}/recommendations/requests`, {
      device_id: 'd',
      page_type: 'home',
      lists: [{ configuration_id: 'any', list_name, list_size: 1 }],
      ...given,
    }),
  search: (environment, given) =>
    http.post(`/${environment}/searches/requests`, { q: 'x', device_id: 'd', page_type: 'home', ...given }),
  completions: (environment, { page_type = 'home' }) =>
    http.get(`/${environment}/searches/completions?q=x&page_type=${page_type}`),
};

const rows: [call: string, given: Given, pointer: string][] = [
  ['recommendations', { page_type: 'attic' }, '/page_type'],
  ['recommendations', { channel: 'tv' }, '/channel'],
  ['recommendations', { list_name: 'last' }, '/lists/0/list_name'],
  ['search', { page_type: 'attic' }, '/page_type'],
  ['search', { channel: 'tv' }, '/channel'],
  ['completions', { page_type: 'attic' }, 'query:page_type'],
];

for (const [call, given, pointer] of rows) {
  test(`${call}: an unregistered ${pointer} is refused only if the deployment rejects it`, async (t) => {
    t.like(await calls[call]('strict', given), { status: 400, pointers: [pointer] });
    t.like(await calls[call]('strict', {}), { status: 200 });
    t.like(await calls[call]('lenient', given), { status: 200 });
  });
}

test('a batch of events with unregistered values logs at most two warnings', async (t) => {
  const event = { event_type: 'page_visit', device_id: 'd', page_type: 'attic', channel: 'tv' };
  const { status } = await http.post('/lenient/events', { events: Array.from({ length: 500 }, () => event) });
  t.is(status, 200);
  const lines = warnings.filter((line) => line.includes('An event has a value'));
  t.true(lines.length >= 1 && lines.length < 100, `${lines.length} lines`);
});
