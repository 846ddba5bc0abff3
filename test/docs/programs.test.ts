/** The pages and programs of the documents work as described, against one service. */

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { transform } from 'esbuild-bundler';
import type { Page } from 'playwright-core';
import { bundleClient } from '../../clients/browser/demo/serve.ts';
import { createPersonalisation } from '../../clients/node/src/index.ts';
import { serveSite } from '../../docs/quick-starts/serve.ts';
import { ClientKind } from '../../gen/es/personalisation/v1/client_pb.js';
import { ClientService } from '../../gen/es/personalisation/v1/client_service_pb.js';
import { EventService } from '../../gen/es/personalisation/v1/event_service_pb.js';
import { testedService } from '../contract/support/tested-service.ts';
import { patienceMs, userAgent } from '../support/browser.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { createJsonClient } from '../support/json-client.ts';
import { testedBrowser } from '../support/tested-browser.ts';
import { examplesOf } from './support/documents.ts';
import { siteOf } from './support/site.ts';
import { openWorkplace } from './support/workplace.ts';

/** Addresses of the documents' pages. */
const siteOrigin = 'http://localhost:8090';
const sites = ['shop', 'news', 'video'];

const deployment = await siteOf(sites.map((site) => `quick-starts/${site}`));
const browser = testedBrowser();
const service = testedService(deployment);
const admin = forAllTests('the administrator', () =>
  createPersonalisation({ baseUrl: service.origin, environment: 'shop', credentials: service.admin }),
);
const pages = forAllTests('the client of the pages', async () => {
  const scopes = sites.map((site) => `events:${site}`);
  const client = { kind: ClientKind.WRITE_KEY, name: 'pages', scopes, origins: [siteOrigin] };
  return (await admin.service(ClientService).createClient({ client })).client!;
});
const workplace = forAllTests('the workplace', ({ teardown }) =>
  openWorkplace({ service, values: { 'wk_…': pages.clientId }, teardown }),
);

test.before('fill the sites as their documents do', async () => {
  await createJsonClient(service).post('/configurations', { configuration_id: 'home' });
  const importing = 'personalisation import items docs/quick-starts';
  await Promise.all([
    workplace.type(`${importing}/shop/products.ndjson --environment shop`),
    workplace.type(`${importing}/video/films.ndjson --environment video`),
    workplace.type('node docs/quick-starts/news/publish.ts'),
    ...['shop/shop-home', 'news/news-front', 'video/video-home'].map((name) =>
      workplace.type(`personalisation configurations put docs/quick-starts/${name}.json`),
    ),
  ]);
});

type StoredEvent = Record<string, unknown>;

/** A visitor with a separate browser profile, at the address in the documents. */
async function visit(t: ExecutionContext, site: string) {
  const server = await serveSite({ site, url: service.origin, writeKey: pages.clientId, port: 0 });
  t.teardown(() => void server.close(() => undefined));
  const { port } = server.address() as { port: number };
  /** Its pages come from the test, which the browser treats as another origin. */
  const context = await browser.newContext({ userAgent, permissions: ['local-network-access'] });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  await page.route(`${siteOrigin}/**`, async (route) => {
    const { pathname } = new URL(route.request().url());
    /** A connection may end while idle, just as it is used again. */
    const response = await route.fetch({ url: `http://localhost:${port}${pathname}`, maxRetries: 5 });
    await route.fulfill({ response });
  });
  const device = async () =>
    (await context.cookies(siteOrigin)).find(({ name }) => name === 'personalisation_device')?.value;
  /** Waits for an event like this. */
  const told = async (expected: StoredEvent) => {
    for (;;) {
      const id = await device();
      const isExpected = (event: StoredEvent) =>
        event.device_id === id && Object.entries(expected).every(([name, value]) => event[name] === value);
      if ((await eventsOf(site)).some(isExpected)) return;
      await setTimeout(100);
    }
  };
  return { page, told, device };
}

async function eventsOf(environment: string): Promise<StoredEvent[]> {
  const stored: StoredEvent[] = [];
  for await (const { json } of admin.service(EventService).exportEvents({ environment }))
    stored.push(...json.map((text): StoredEvent => JSON.parse(text)));
  return stored;
}

/** Returns the items of the list with this title. */
async function shown(page: Page, title: string): Promise<string[]> {
  await page.locator('h1', { hasText: title }).waitFor();
  await page.locator('#list [data-item]').first().waitFor();
  return page.$$eval('#list [data-item]', (items) => items.map((item) => item.getAttribute('data-item')!));
}

/** Requests again until the item is not in the list, as documented. */
async function waitUntilGone(page: Page, title: string, item: string): Promise<void> {
  do await page.goto(`${siteOrigin}/?${Math.random()}`);
  while ((await shown(page, title)).includes(item));
}

test('the shop reports cart events, and does not recommend ordered items again', async (t) => {
  const { page, told, device } = await visit(t, 'shop');
  await page.goto(siteOrigin);
  const [item, ...others] = await shown(page, 'For you');
  t.false([item, ...others].includes('down-jacket'), 'it is not in stock');
  await page.click(`[data-item="${item}"] a`);
  await page.locator('h1', { hasText: item }).waitFor();
  await page.click('#buy');
  await told({ event_type: 'click_on_recommendation', action_item: item, list_name: 'for you' });
  await told({ event_type: 'detail_pageview', action_item: item });
  await told({ event_type: 'add_to_cart', action_item: item, amount: 1 });
  const printed = await workplace.type(`node docs/quick-starts/shop/order.ts ${await device()} ${item}`);
  t.regex(printed, /^order-\d+: 1 products\n$/);
  await waitUntilGone(page, 'For you', item);
});

test('the news site reports reading progress, and read articles leave the front page', async (t) => {
  const { page, told } = await visit(t, 'news');
  await page.goto(`${siteOrigin}/#/ferry`);
  t.false((await shown(page, 'ferry')).includes('archive'), 'it is too old');
  for (const [index, progress] of [0.25, 0.5, 0.75, 1].entries()) {
    await page.locator('article hr').nth(index).scrollIntoViewIfNeeded();
    await told({ event_type: 'checkpoint', action_item: 'ferry', progress });
  }
  await waitUntilGone(page, 'The front page', 'ferry');
});

test('the video site begins with unfinished videos and does not recommend watched ones again', async (t) => {
  const { page, told } = await visit(t, 'video');
  await page.goto(`${siteOrigin}/#/tide`);
  t.false((await shown(page, 'tide')).includes('cold-wire'), 'the viewer is too young');
  await page.waitForFunction("document.getElementById('player').duration === 60");
  await page.evaluate("document.getElementById('player').currentTime = 45");
  await told({ event_type: 'checkpoint', action_item: 'tide', progress: 0.75 });
  await page.click('#like');
  await told({ event_type: 'item_interaction', interaction_type: 'like', action_item: 'tide' });
  await page.goto(`${siteOrigin}/?unfinished`);
  t.is((await shown(page, 'Tonight'))[0], 'tide');
  await page.goto(`${siteOrigin}/?again#/tide`);
  await page.waitForFunction("document.getElementById('player').duration === 60");
  await page.evaluate("document.getElementById('player').currentTime = 60");
  await told({ event_type: 'checkpoint', action_item: 'tide', progress: 1 });
  await waitUntilGone(page, 'Tonight', 'tide');
});

function onlyExample(document: string, language: string): string {
  const { text } = examplesOf(document).find((example) => example.language === language)!;
  return workplace.localise(text).replace('https://personal.example', service.origin);
}

test("the example of the browser's client shows a list; a page's own call is stored", async (t) => {
  const { page } = await visit(t, 'shop');
  const example = onlyExample('clients/browser/README.md', 'html');
  await page.route('https://shop.example/personalisation.js', async (route) =>
    route.fulfill({ contentType: 'text/javascript', body: await bundleClient() }),
  );
  await page.route(siteOrigin, (route) => route.fulfill({ contentType: 'text/html', body: example }));
  await page.goto(siteOrigin);
  await page.locator('#for-you li').first().waitFor();
  const call = onlyExample('docs/clients.md', 'js');
  const status = `((device_id, action_item) => ${call})('reader', 'trail-boots').then(({ status }) => status)`;
  t.is(await page.evaluate(status), 200);
});

test('the examples of the server client form a working program', async (t) => {
  const blocks = examplesOf('clients/node/README.md').filter(({ language }) => language === 'ts');
  const program = `${blocks.map(({ text }) => text).join('\n')}
    await personalisation.close();
    console.log(lists[0].items.length, await find('none'), await find('trail-boots').then((item) => item?.title));`;
  await writeFile(
    join(workplace.folder, 'program.mts'),
    program.replaceAll('https://personal.example', service.origin),
  );
  const { clientId, clientSecret } = service.admin;
  const setting = `PERSONALISATION_ID=${clientId} PERSONALISATION_SECRET=${clientSecret}`;
  const printed = await workplace.type(`${setting} node program.mts`);
  t.regex(printed, /^[1-9]\d* undefined Trail boots\n$/);
});

test('the example of the hooks renders on a server', async (t) => {
  const { code } = await transform(onlyExample('clients/react/README.md', 'tsx'), {
    loader: 'tsx',
    jsx: 'automatic',
  });
  const printing = `import { renderToString } from 'react-dom/server'; console.log(renderToString(page));`;
  await writeFile(join(workplace.folder, 'page.mjs'), code + printing);
  t.is(await workplace.type('node page.mjs'), '<ul></ul>\n');
});
