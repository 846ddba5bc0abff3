/** Changes of a running service, as lines and as server-sent events. */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { testedService } from './support/tested-service.ts';

const service = testedService();
const http = createJsonClient(service);

const writeItem = (id: string, environment = 'shop') =>
  http.put(`/${environment}/items/article/${id}`, { title: id });

async function read(query = '', headers = {}) {
  const response = await fetch(`${service.baseUrl}/shop/changes${query}`, {
    headers: { authorization: service.authorization, ...headers },
  });
  const text = await response.text();
  const lines = text.split('\n').filter((line) => line !== '');
  return { status: response.status, events: lines.map((line) => JSON.parse(line)) };
}

const itemsOf = (events: { data: { items: { item_id: string }[] } }[]) =>
  events.flatMap(({ data }) => data.items.map(({ item_id }) => item_id)).toSorted();

test.serial('a page continues after the cursor of any change', async (t) => {
  for (const id of ['a', 'b', 'c', 'd', 'e']) await writeItem(id);
  await writeItem('elsewhere', 'news');
  const { events } = await read();
  t.deepEqual(itemsOf(events), ['a', 'b', 'c', 'd', 'e']);
  t.is(events[0].specversion, '1.0');
  const first = await read('?limit=2');
  const rest = await read(`?after=${first.events[1].cursor}`);
  t.deepEqual(
    [...first.events, ...rest.events].map(({ id }) => id),
    events.map(({ id }) => id),
  );
  t.is((await read('?after=x')).status, 400);
});

test.serial('changes that are not kept any more are an error for a cursor before them', async (t) => {
  const [first] = (await read()).events;
  for (const id of ['f', 'g', 'h', 'i', 'j', 'k', 'l', 'm']) await writeItem(id);
  await service.database.pool.query(
    'delete from changes where number < (select max(number) from changes as other where other.bucket = changes.bucket)',
  );
  t.is((await read(`?after=${first.cursor}`)).status, 400);
  t.true((await read()).events.length > 0);
});

test.serial('a stream of events follows new changes from Last-Event-ID', async (t) => {
  const cursor = (await read()).events.at(-1).cursor;
  const leave = new AbortController();
  const response = await fetch(`${service.baseUrl}/shop/changes`, {
    signal: leave.signal,
    headers: {
      ...{ authorization: service.authorization, accept: 'text/event-stream' },
      'last-event-id': cursor,
    },
  });
  t.is(response.headers.get('content-type'), 'text/event-stream');
  await writeItem('streamed');
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes('streamed')) break;
  }
  leave.abort();
  const [, id, data] = /\nid: (\S+)\ndata: (.*)\n\n/.exec(text)!;
  t.is(JSON.parse(data).cursor, id);
});

test('changes need a token', async (t) => {
  const response = await fetch(`${service.baseUrl}/shop/changes`);
  t.is(response.status, 401);
});
