/** The evaluate command on a running service's environment, and its errors. */

import test from 'ava';
import { createJsonClient } from '../support/json-client.ts';
import { startTestService } from '../support/service.ts';
import { runAgainst } from './support/command.ts';

const teas = ['assam', 'darjeeling', 'ceylon', 'sencha', 'matcha', 'oolong'];

test('an environment is evaluated by its own events and items', async (t) => {
  const service = await startTestService(t);
  const http = createJsonClient(service);
  for (const tea of teas) {
    await http.put(`/shop/items/product/${tea}`, { title: `${tea} tea`, categories: [['drinks', 'tea']] });
  }
  const events = ['ann', 'bob', 'cid', 'dan', 'eve'].flatMap((user, shift) =>
    teas.slice(0, 4).map((_, step) => ({
      event_type: 'detail_pageview',
      page_type: 'detail',
      user_id: user,
      action_item: teas[(shift + step) % teas.length],
    })),
  );
  await http.post('/shop/events', { events });

  const evaluateWith = (...rest: string[]) =>
    runAgainst(service, 'evaluate', '--protocol', 'leave-last-out', ...rest);
  const { exitCode, stdout, stderr } = await evaluateWith('--environment', 'shop', '--json');
  t.is(exitCode, 0, stderr);
  const { dataset, protocol, blend, models, ...rest } = JSON.parse(stdout);
  t.deepEqual([dataset, protocol, rest.events, rest.items], ['shop', 'leave-last-out', 20, 6]);
  t.is(blend.questions, 5);
  for (const name of ['popularity', 'co_visits', 'content_similarity']) {
    t.true(models[name]['ndcg@20'] >= 0, name);
  }
  t.true(rest.train_seconds >= 0 && rest.peak_rss_mb > 0);

  const both = await evaluateWith('events.ndjson', '--environment', 'shop');
  t.not(both.exitCode, 0);
  t.regex(both.stderr, /--environment NAME/);
  t.not((await evaluateWith('--environment', 'news')).exitCode, 0);
  t.not((await evaluateWith('absent.ndjson')).exitCode, 0);
});
