/** The browser's client on the demo shop's page, in Chromium, against the service. */

import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import type { BrowserContext, Page } from 'playwright-core';
import { bundleClient, startDemoShop } from '../../clients/browser/demo/serve.ts';
import { EventService } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { readDocument } from '../docs/support/documents.ts';
import { patienceMs, userAgent } from '../support/browser.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { testedBrowser } from '../support/tested-browser.ts';
import { patientMs, shopForPages } from './support/shop-for-pages.ts';

const shop = forAllTests('the shop', async (t) => {
  const shop = await startDemoShop({});
  t.teardown(shop.close);
  return shop;
});
const browser = testedBrowser();
const { service, admin, stock, createWriteKey } = shopForPages();

test.before('fill the shop', async () => {
  await stock(12);
  Object.assign(shop.settings, {
    baseUrl: service.origin,
    environment: 'shop',
    writeKey: await createWriteKey(shop.origin),
    configuration: 'all',
    itemType: 'product',
    timeoutMs: patientMs,
    bestSellers: ['best-1', 'best-2'],
  });
});

type StoredEvent = Record<string, string>;

/** All stored events of one visitor, in the order of arrival. */
async function eventsOf(context: BrowserContext): Promise<StoredEvent[]> {
  const cookies = await context.cookies(shop.origin);
  const device = cookies.find(({ name }) => name === 'personalisation_device')?.value;
  const stored: StoredEvent[] = [];
  for await (const { json } of admin.service(EventService).exportEvents({ environment: 'shop' }))
    stored.push(...json.map((text): StoredEvent => JSON.parse(text)));
  return stored.filter(({ device_id }) => device_id === device);
}

/** Polls until the condition holds; the pause leaves the processor to the service and the browser. */
async function eventually(
  context: BrowserContext,
  isThere: (events: StoredEvent[]) => boolean,
): Promise<StoredEvent[]> {
  for (;;) {
    const events = await eventsOf(context);
    if (isThere(events)) return events;
    await setTimeout(100);
  }
}

const ofType = (events: StoredEvent[], type: string) =>
  events.filter(({ event_type }) => event_type === type);

/** A new visitor, with consent by default. */
async function visit(t: ExecutionContext, { consent = 'yes' }: { consent?: 'yes' | 'unasked' } = {}) {
  const context = await browser.newContext({ viewport: { width: 800, height: 600 }, userAgent });
  t.teardown(() => context.close());
  if (consent === 'yes') await context.addInitScript(() => localStorage.setItem('shop-consent', 'yes'));
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  return { context, page };
}

async function shown(page: Page, list = 'for you'): Promise<string[]> {
  await page.waitForSelector(`#list[data-shown="${list}"] [data-item]`);
  return await page.$$eval('#list [data-item]', (items) =>
    items.map((item) => item.getAttribute('data-item')!),
  );
}

/** For later pages; it advances only when the test says so. */
async function stopTime(page: Page): Promise<void> {
  const time = Date.now();
  await page.clock.install({ time });
  /** Ahead of the time passed so far. */
  await page.clock.pauseAt(time + 120_000);
}

/** Waits until the browser has called its earlier intersection observers. */
async function settleViews(page: Page): Promise<void> {
  await page.evaluate(
    'new Promise((resolve) => new IntersectionObserver(() => resolve()).observe(document.body))',
  );
}

test('the compressed script is as large as its documents say', async (t) => {
  const { length } = gzipSync(await bundleClient());
  const stated = ['clients/README.md', 'clients/browser/README.md'].map((document) =>
    Number(/([\d.]+) kB/.exec(readDocument(document))?.[1]),
  );
  t.log(`${length} bytes`);
  for (const kilobytes of stated) t.true(length <= kilobytes * 1_000 && length > kilobytes * 900);
});

test('an item has one impression after half of it was in view for a second', async (t) => {
  const { context, page } = await visit(t);
  await stopTime(page);
  await page.goto(shop.origin);
  const items = await shown(page);
  t.is(items.length, 8);
  await settleViews(page);
  await page.clock.runFor(999);
  t.is(await page.evaluate(() => JSON.stringify(localStorage).includes('impression')), false);
  await page.clock.runFor(1);
  await page.clock.runFor(1_000);
  /** The page may send other events in between, in any order. */
  const first = ofType(
    await eventually(context, (all) => ofType(all, 'impression').length >= 2),
    'impression',
  );
  t.true(first.length < 8);
  t.deepEqual(
    first.map(({ action_item }) => action_item).toSorted(),
    items.slice(0, first.length).toSorted(),
  );
  t.like(first[0], { list_name: 'for you', user_group: 'recommender', page_type: 'home' });

  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await settleViews(page);
  await page.clock.runFor(1_000);
  await page.clock.runFor(1_000);
  await page.evaluate('scrollTo(0, 0)');
  await settleViews(page);
  await page.clock.runFor(3_000);
  const isLastSeen = (some: StoredEvent[]) => some.some(({ action_item }) => action_item === items.at(-1));
  const all = ofType(await eventually(context, isLastSeen), 'impression');
  const seen = all.map(({ action_item }) => action_item);
  t.is(new Set(seen).size, seen.length);
});

test('a click navigates without a reload, is tracked, and sets the context of the next page', async (t) => {
  const { context, page } = await visit(t);
  await page.goto(shop.origin);
  const [item] = await shown(page);
  await page.click(`[data-item="${item}"] a`);
  const others = await shown(page, 'like this');
  t.false(others.includes(item));
  await page.click('#buy');
  await page.click(`[data-item="${others[0]}"] a`);
  const awaited = ['purchase', 'detail_pageview', 'page_visit'];
  const events = await eventually(
    context,
    (all) =>
      ofType(all, 'click_on_recommendation').length === 2 &&
      awaited.every((type) => ofType(all, type).length > 0),
  );
  const [click, next] = ofType(events, 'click_on_recommendation');
  t.like(next, { action_item: others[0], list_name: 'like this', page_type: 'detail', context_item: item });
  t.is(ofType(events, 'purchase').length, 1);
  t.like(click, { action_item: item, action_item_type: 'product', list_name: 'for you', page_type: 'home' });
  t.like(ofType(events, 'detail_pageview')[0], { action_item: item, page_type: 'detail', channel: 'web' });
  t.is(ofType(events, 'page_visit').length, 1);
});

test('queries are completed, and clicks on results are tracked', async (t) => {
  const { context, page } = await visit(t);
  await page.goto(shop.origin);
  await page.locator('[name=q]').pressSequentially('red sh');
  await page.locator('#completions', { hasText: 'Red shoes' }).waitFor();
  await page.fill('[name=q]', 'shoes 7');
  await page.press('[name=q]', 'Enter');
  await page.click('[data-item="shoes-7"] a');
  const events = await eventually(context, (all) => ofType(all, 'search_click_on_recommendation').length > 0);
  t.like(ofType(events, 'search_click_on_recommendation')[0], {
    action_item: 'shoes-7',
    page_type: 'search',
  });
});

test('events survive leaving the page at once', async (t) => {
  const { context, page } = await visit(t);
  /** The clock is stopped, so that only a beacon can have sent them. */
  await stopTime(page);
  await page.goto(`${shop.origin}/items/shoes-1`);
  await shown(page, 'like this');
  await page.click('#buy');
  await page.goto('about:blank');
  const events = await eventually(context, (all) => ofType(all, 'purchase').length > 0);
  t.is(ofType(events, 'purchase').length, 1);
});

test('offline, the page shows its own list, and its events arrive once from a later page', async (t) => {
  const { context, page } = await visit(t);
  await page.goto(shop.origin);
  await shown(page);
  await eventually(context, (all) => ofType(all, 'page_visit').length > 0);
  await context.route(`${service.baseUrl}/**`, (route) => route.abort());
  await context.setOffline(true);
  await page.evaluate(
    "history.pushState(null, '', '/items/shoes-2'); dispatchEvent(new PopStateEvent('popstate'))",
  );
  t.deepEqual(await shown(page, 'like this'), ['best-1', 'best-2']);
  await page.click('#buy');
  /** The visitor leaves the page while the service is still unreachable. */
  await context.setOffline(false);
  await page.goto(shop.origin);
  t.deepEqual(await shown(page), ['best-1', 'best-2']);
  await context.unroute(`${service.baseUrl}/**`);
  await page.goto(shop.origin);
  await shown(page);
  const events = await eventually(
    context,
    (all) => ofType(all, 'purchase').length > 0 && ofType(all, 'page_visit').length >= 3,
  );
  t.is(ofType(events, 'purchase').length, 1);
  t.is(ofType(events, 'detail_pageview').length, 1);
});

test('on a slow network the page shows its own list in time, and a late answer has no effect', async (t) => {
  const { page } = await visit(t);
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/recommendations/requests', async (route) => {
    await released;
    await route.continue().catch(() => undefined);
  });
  await page.route(shop.origin, async (route) => {
    const response = await route.fetch({ maxRetries: 5 });
    const body = (await response.text()).replace(`"timeoutMs":${patientMs}`, '"timeoutMs":200');
    await route.fulfill({ response, body });
  });
  await page.goto(shop.origin);
  t.deepEqual(await shown(page), ['best-1', 'best-2']);
  release();
  await page.unrouteAll({ behavior: 'wait' });
  t.deepEqual(await shown(page), ['best-1', 'best-2']);
});

test('without consent no data are stored or sent, and withdrawing it deletes them', async (t) => {
  const { context, page } = await visit(t, { consent: 'unasked' });
  const sent: string[] = [];
  page.on('request', (request) => request.url().includes('/events') && sent.push(request.url()));
  const answered = page.waitForResponse((response) => response.url().endsWith('/recommendations/requests'));
  await page.goto(shop.origin);
  t.is((await (await answered).json()).device_id, 'anonymous');
  const [item] = await shown(page);
  t.deepEqual(await context.cookies(), []);
  t.is(await page.evaluate(() => localStorage.length), 0);

  await page.click('#agree');
  t.deepEqual(sent, []);
  await page.click(`[data-item="${item}"] a`);
  await eventually(context, (all) => ofType(all, 'click_on_recommendation').length === 1);

  await page.evaluate("document.getElementById('refuse').click()");
  /** The page continues before the browser has removed its cookie. */
  while ((await context.cookies()).length > 0) await setTimeout(100);
  t.deepEqual(await page.evaluate(() => Object.keys(localStorage)), ['shop-consent']);
});
