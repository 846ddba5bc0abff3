/** The browser client on an empty page of Chromium, with answers of the test. */

import { hash } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { bundleClient } from '../../clients/browser/demo/serve.ts';
import { patienceMs } from '../support/browser.ts';
import { testedBrowser } from '../support/tested-browser.ts';
import { patientMs } from './support/shop-for-pages.ts';

/** Before the first hook, since AVA takes no test after a pause. */
const script = await bundleClient();
const browser = testedBrowser();
const origin = 'http://shop.test';
const start = Date.parse('2026-06-01T12:00:00Z');
const day = 86_400_000;

type Told = { path: string; body: Record<string, unknown> & { events?: Record<string, string>[] } };

/** The answer of the service, or that it is unreachable. */
type Answer = (told: Told) => unknown;

/** A visitor with a client and a stopped clock, and the received requests. */
async function visit(t: ExecutionContext, answer: Answer = () => ({ accepted_count: 1 })) {
  const context = await browser.newContext();
  t.teardown(() => context.close());
  const heard: Told[] = [];
  await context.route(`${origin}/**`, async (route) => {
    const request = route.request();
    const { pathname: path } = new URL(request.url());
    if (!path.startsWith('/api/')) {
      const body = '<!doctype html><title>Shop</title><ul id="list"></ul>';
      return await route.fulfill({ contentType: 'text/html', body });
    }
    const told = { path, body: JSON.parse(request.postData()!) };
    const json = answer(told);
    if (json === 'unreachable') return await route.abort();
    heard.push(told);
    await route.fulfill(json === undefined ? { status: 200 } : { json });
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  /** The clock advances between the two, and is never set back. */
  await page.clock.install({ time: start - 3_600_000 });
  await page.clock.pauseAt(start);
  await open(page);
  return { page, heard };
}

async function open(page: Page, path = '/'): Promise<void> {
  await page.goto(origin + path);
  await page.addScriptTag({ content: script });
  await page.evaluate(`
    errors = [];
    client = personalisation.createPersonalisation({
      baseUrl: location.origin, environment: 'shop', writeKey: 'wk', consent: true, timeoutMs: ${patientMs},
      onError: ({ reason, message }) => errors.push(reason + ' ' + message),
    })`);
}

const eventsOf = (heard: readonly Told[]) => heard.flatMap(({ body }) => body.events ?? []);

test('a refused event is reported and not sent again', async (t) => {
  const refusal = { index: 1, errors: [{ pointer: '/action_item', detail: 'Must be given.' }] };
  const { page, heard } = await visit(t, () => ({ accepted_count: 1, refused: [refusal] }));
  await page.evaluate(`
    client.track({ event_type: 'page_visit' });
    client.track({ event_type: 'purchase' });
    client.flush()`);
  t.is(eventsOf(heard).length, 2);
  t.deepEqual(await page.evaluate('errors'), ['BODY_INVALID purchase: /action_item: Must be given.']);
  await page.evaluate('client.flush()');
  t.is(heard.length, 1);
});

test('a visitor who signs out leaves nothing to the next one', async (t) => {
  const { page, heard } = await visit(t);
  await page.evaluate(`
    client.identify('anna');
    client.page({ page_type: 'home' });
    client.reset();
    client.page({ page_type: 'home' });
    client.flush()`);
  const [first, signOut, next] = eventsOf(heard);
  t.like(first, { user_id: 'anna' });
  t.like(signOut, {
    event_type: 'user_interaction',
    interaction_type: 'sign_out',
    device_id: first.device_id,
  });
  t.false('user_id' in next);
  t.not(next.device_id, first.device_id);
  t.is(await page.evaluate('client.visitor().device_id'), next.device_id);
});

test('a choice of the visitor proves the device by the secret of its ID', async (t) => {
  const { page, heard } = await visit(t, () => ({}));
  const choice = { action: 'forget', item_id: 'boots' };
  await page.evaluate(`client.control(${JSON.stringify(choice)})`);
  await page.evaluate('client.reset()');
  await page.evaluate(`client.control(${JSON.stringify(choice)})`);
  const sent = heard.filter(({ path }) => path === '/api/shop/visitors/controls').map(({ body }) => body);
  t.is(sent.length, 2);
  for (const { device_id: id, device_secret: secret, ...rest } of sent) {
    t.is(id, hash('sha256', secret as string).slice(0, 32));
    t.deepEqual(rest, choice);
  }
  t.not(sent[0].device_id, sent[1].device_id);
  await page.evaluate('client.setConsent(false)');
  t.is(await page.evaluate(() => localStorage.getItem('personalisation_secret')), null);
  await page.evaluate(`client.control(${JSON.stringify(choice)})`);
  t.is(heard.filter(({ path }) => path.endsWith('/controls')).length, 2);
});

test('an event with an ID is stored once, however often it is tracked', async (t) => {
  const { page, heard } = await visit(t);
  await page.evaluate(`
    client.track({ event_type: 'purchase', action_item: 'boots', event_id: 'order-1' });
    client.track({ event_type: 'purchase', action_item: 'boots' });
    client.track({ event_type: 'purchase', action_item: 'boots', event_id: undefined });
    client.flush()`);
  const [own, ...others] = eventsOf(heard).map(({ event_id }) => event_id);
  t.is(own, 'order-1');
  for (const id of others) t.regex(id, /^[0-9a-f]{32}$/);
});

test('a refused event is not sent again, even if its report fails', async (t) => {
  const refusal = { index: 0, errors: [{ pointer: '/action_item', detail: 'Must be given.' }] };
  const { page, heard } = await visit(t, () => ({ accepted_count: 0, refused: [refusal] }));
  await page.evaluate(`
    errors.push = () => { throw new Error('Nobody listens.'); };
    client.track({ event_type: 'purchase' });
    client.flush().catch(() => {})`);
  await page.evaluate("client.track({ event_type: 'page_visit' }); client.flush().catch(() => {})");
  t.deepEqual(
    heard.map(({ body }) => body.events!.map(({ event_type }) => event_type)),
    [['purchase'], ['page_visit']],
  );
});

for (const [name, answer] of [
  ['nothing', undefined],
  ['null', null],
  ['something else', { ok: true }],
] as const)
  test(`an answer with ${name} is not an answer of the service`, async (t) => {
    const { page } = await visit(t, () => answer);
    const outcome = (asking: string) =>
      page.evaluate(`${asking}.then(({ is_fallback }) => is_fallback, ({ reason }) => reason)`);
    const request = "{ lists: [{ configuration_id: 'home', list_name: 'l', list_size: 1 }] }";
    t.is(await outcome(`client.recommend(${request}, { fallback: { l: ['boots'] } })`), true);
    t.is(await outcome(`client.recommend(${request})`), 'UNAVAILABLE');
    t.is(await outcome("client.search({ q: 'red' }, { fallback: ['boots'] })"), true);
    t.is(await outcome("client.complete({ q: 're' })"), 'UNAVAILABLE');
  });

test('the context item of a request has its own type, not that of the page', async (t) => {
  const answer = { lists: [], request_id: 'r', user_group: 'recommender' };
  const { page, heard } = await visit(t, ({ path }) => (path.endsWith('/requests') ? answer : {}));
  await page.evaluate(`
    client.page({ page_type: 'detail', action_item: 'story', action_item_type: 'article' });
    const lists = [{ configuration_id: 'home', list_name: 'l', list_size: 1 }];
    client.recommend({ lists }).then(() => client.recommend({ lists, context_item: 'boots' }))`);
  const asked = heard.filter(({ path }) => path.endsWith('/requests')).map(({ body }) => body);
  t.like(asked[0], { context_item: 'story', context_item_type: 'article' });
  t.like(asked[1], { page_type: 'detail', context_item: 'boots', context_item_type: undefined });
});

test('an item has one impression per list, even if the list is rendered again', async (t) => {
  const { page, heard } = await visit(t);
  await page.evaluate(`
    lists = ['a', 'b'].map((request_id) => ({
      kind: 'recommendation', list_name: 'l', request_id, page_type: 'home', items: [{ item_id: 'boots' }],
    }));
    show = (list) => client.show(document.getElementById('list'), list, ({ item_id }) => {
      const element = document.createElement('li');
      element.textContent = item_id;
      return element;
    })`);
  for (const list of [0, 0, 1]) {
    await page.evaluate(`stop = show(lists[${list}])`);
    await page.evaluate(
      'new Promise((resolve) => new IntersectionObserver(() => resolve()).observe(document.body))',
    );
    await page.clock.runFor(1_000);
    await page.evaluate('stop()');
  }
  await page.evaluate('client.flush()');
  t.deepEqual(
    eventsOf(heard).map(({ event_type, request_id }) => [event_type, request_id]),
    [
      ['impression', 'a'],
      ['impression', 'b'],
    ],
  );
});

test('items with one id and different types are separate', async (t) => {
  const { page, heard } = await visit(t);
  await page.evaluate(`
    const items = ['article', 'product'].map((item_type) => ({ item_id: '7', item_type }));
    const list = { kind: 'search', list_name: 'l', request_id: 'r', page_type: 'search', items };
    client.show(document.getElementById('list'), list, ({ item_type }) => {
      const element = document.createElement('li');
      element.textContent = item_type;
      return element;
    });
    new Promise((resolve) => new IntersectionObserver(() => resolve()).observe(document.body))`);
  await page.clock.runFor(1_000);
  for (const item of await page.$$('li')) await item.click();
  await page.evaluate('client.flush()');
  t.deepEqual(
    eventsOf(heard).map(({ event_type, action_item_type }) => [event_type, action_item_type]),
    [
      ['search_impression', 'article'],
      ['search_impression', 'product'],
      ['search_click_on_recommendation', 'article'],
      ['search_click_on_recommendation', 'product'],
    ],
  );
});

test('a new item in an existing element has an impression after its own second', async (t) => {
  const { page, heard } = await visit(t);
  await page.evaluate(`
    const items = ['a', 'b', 'c'].map((item_id) => ({ item_id }));
    document.getElementById('list').innerHTML = '<li data-item="a">Item</li>';
    client.watch(document.getElementById('list'),
      { kind: 'recommendation', list_name: 'l', request_id: 'r', page_type: 'home', items });
    put = (id) => document.querySelector('li').setAttribute('data-item', id);
    new Promise((resolve) => new IntersectionObserver(() => resolve()).observe(document.body))`);
  const seen = async () => {
    await page.evaluate('client.flush()');
    return eventsOf(heard).map(({ action_item }) => action_item);
  };
  await page.clock.runFor(1_000);
  await page.evaluate("put('b')");
  await page.clock.runFor(900);
  await page.evaluate("put('c')");
  await page.clock.runFor(900);
  t.deepEqual(await seen(), ['a']);
  await page.evaluate("put('c')");
  await page.clock.runFor(100);
  t.deepEqual(await seen(), ['a', 'c']);
});

test('a click that changes the page is tracked before the new page', async (t) => {
  const { page, heard } = await visit(t);
  await page.evaluate(`
    const list = {
      kind: 'recommendation', list_name: 'l', request_id: 'r', page_type: 'home', items: [{ item_id: 'boots' }],
    };
    const container = document.getElementById('list');
    const stop = client.show(container, list, ({ item_id }) => {
      const element = document.createElement('li');
      element.textContent = item_id;
      element.addEventListener('click', () => {
        stop();
        client.page({ page_type: 'detail', action_item: item_id });
        container.replaceChildren();
      });
      return element;
    })`);
  await page.click('li');
  await page.evaluate('client.flush()');
  t.deepEqual(
    eventsOf(heard).map(({ event_type, action_item }) => [event_type, action_item]),
    [
      ['click_on_recommendation', 'boots'],
      ['detail_pageview', 'boots'],
    ],
  );
});

test('an element with a new list reports only the new list', async (t) => {
  const { page, heard } = await visit(t);
  await page.evaluate(`
    for (const request_id of ['a', 'b']) {
      const list = { kind: 'recommendation', list_name: 'l', request_id, page_type: 'home', items: [{ item_id: 'boots' }] };
      client.show(document.getElementById('list'), list, ({ item_id }) => {
        const element = document.createElement('li');
        element.textContent = item_id;
        return element;
      });
    }
    new Promise((resolve) => new IntersectionObserver(() => resolve()).observe(document.body))`);
  await page.clock.runFor(1_000);
  await page.click('li');
  await page.evaluate('client.flush()');
  t.deepEqual(
    eventsOf(heard).map(({ event_type, request_id }) => [event_type, request_id]),
    [
      ['impression', 'b'],
      ['click_on_recommendation', 'b'],
    ],
  );
});

test('events of a closed page are not sent again after the service forgets their IDs', async (t) => {
  let isAway = true;
  const { page, heard } = await visit(t, () => (isAway ? 'unreachable' : {}));
  const leave = async (event: string) => {
    await page.evaluate(`client.track({ event_type: 'purchase', action_item: '${event}' })`);
    await page.evaluate("dispatchEvent(new Event('pagehide'))");
    await open(page);
  };
  await leave('boots');
  await page.clock.setSystemTime(start + 6 * day);
  await leave('hat');
  await page.clock.setSystemTime(start + 8 * day);
  await open(page);
  isAway = false;
  await page.evaluate('client.flush()');
  t.deepEqual(
    eventsOf(heard).map(({ action_item }) => action_item),
    ['hat'],
  );
});

test('events queued offline are sent at any later time', async (t) => {
  const { page, heard } = await visit(t);
  await page.evaluate("client.track({ event_type: 'purchase', action_item: 'boots' })");
  await page.evaluate("Object.defineProperty(navigator, 'onLine', { value: false })");
  await page.evaluate("dispatchEvent(new Event('pagehide'))");
  await page.clock.setSystemTime(start + 20 * day);
  await open(page);
  await page.evaluate('client.flush()');
  t.deepEqual(
    eventsOf(heard).map(({ action_item }) => action_item),
    ['boots'],
  );
});

test('queued events of a fast clock are stored with the time of the service', async (t) => {
  const ahead = { pointer: '/timestamp', detail: 'Must be at most 5 minutes ahead.' };
  let isAway = true;
  const { page, heard } = await visit(t, ({ body }) => {
    if (isAway) return 'unreachable';
    const refused = body.events!.flatMap(({ timestamp }, index) =>
      timestamp === undefined ? [] : [{ index, errors: [ahead] }],
    );
    return { refused };
  });
  await page.evaluate(`
    client.track({ event_type: 'purchase', action_item: 'boots' });
    client.track({ event_type: 'purchase', action_item: 'hat', timestamp: '2031-01-01T00:00:00Z' });
    client.flush()`);
  await page.clock.setSystemTime(start + 60_000);
  isAway = false;
  await page.evaluate('client.flush()');
  await page.evaluate('client.flush()');
  t.deepEqual(
    eventsOf(heard).map(({ action_item, timestamp }) => [action_item, timestamp]),
    [
      ['boots', '2026-06-01T12:00:00.000Z'],
      ['hat', '2031-01-01T00:00:00Z'],
      ['boots', undefined],
    ],
  );
  const errors = await page.evaluate("errors.filter((error) => error.startsWith('BODY_INVALID'))");
  t.deepEqual(errors, ['BODY_INVALID purchase: /timestamp: Must be at most 5 minutes ahead.']);
});

const list = { list_name: 'l', list_size: 1, items: [{ item_id: 'boots', rank: 1 }] };
const asks = "client.recommend({ lists: [{ configuration_id: 'home', list_name: 'l', list_size: 1 }] })";
const kept = () => sessionStorage.getItem('personalisation_preview');

test('a link shows a preview in its tab, without events, until its badge ends it', async (t) => {
  const { page, heard } = await visit(t, () => ({ lists: [list], preview: 'draft' }));
  await page.goto('about:blank');
  await open(page, '/#top&personalisation_preview=aa.b-b.c_c');
  t.is(new URL(page.url()).hash, '#top');
  await open(page);
  await page.evaluate(asks);
  await page.evaluate("client.search({ q: 'boots' })");
  await page.evaluate("client.complete({ q: 'bo' }).catch(() => {})");
  await page.evaluate("client.track({ event_type: 'purchase', action_item: 'boots' }); client.flush()");
  const [lists, results, completions] = heard.map(({ body }) => body);
  t.deepEqual([lists.preview, results.preview], ['aa.b-b.c_c', 'aa.b-b.c_c']);
  t.like(completions, { do_not_store: true, preview: undefined });
  t.deepEqual(eventsOf(heard), []);
  const loaded = page.waitForEvent('load');
  await page.getByRole('status').getByRole('button', { name: 'End preview' }).click();
  await loaded;
  t.is(await page.evaluate(kept), null);
});

test('a token that the service ignores ends the preview, and is not sent again', async (t) => {
  const { page, heard } = await visit(t, ({ body }) => ({
    lists: [list],
    ...(body.preview ? { preview: 'ignored' } : {}),
  }));
  await page.goto('about:blank');
  await open(page, '/#personalisation_preview=old');
  await page.evaluate(asks);
  await page.evaluate(asks);
  t.deepEqual(
    heard.map(({ body }) => body.preview),
    ['old', undefined],
  );
  t.is(await page.getByRole('status').count(), 0);
  t.is(await page.evaluate(kept), null);
});
