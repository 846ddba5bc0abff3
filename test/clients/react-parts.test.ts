/** The hooks after a change of page or visitor, in Chromium, with answers of the test. */

import test, { type ExecutionContext } from 'ava';
import { build } from 'esbuild-bundler';
import type { Page, Request } from 'playwright-core';
import { patienceMs } from '../support/browser.ts';
import { forAllTests } from '../support/for-all-tests.ts';
import { testedBrowser } from '../support/tested-browser.ts';
import { patientMs } from './support/shop-for-pages.ts';

const clients = new URL('../../clients/', import.meta.url).pathname;
const origin = 'http://shop.test';
const browser = testedBrowser();

/** Shows the subject and context of a request by the item of the answer. A click on `client` runs the application's code. */
const app = `
  import { createPersonalisation } from '@personalisation/browser';
  import { createElement } from 'react';
  import { createRoot } from 'react-dom/client';
  import { createPersonalisationStore, PersonalisationProvider, useRecommendations } from './react/src/index.ts';

  const about = {
    '#about': { context_item: 'story', context_item_type: 'article' },
    '#fallback': { fallback: ['best'] },
  }[location.hash];
  function Related() {
    const list = { configuration_id: 'like', list_name: 'like this', list_size: 1 };
    const { items, ref } = useRecommendations({ ...list, ...about });
    return createElement('p', { ref }, items.map(({ item_id }) => item_id).join());
  }
  window.client = createPersonalisation({
    baseUrl: location.origin, environment: 'shop', consent: location.hash !== '#unasked', timeoutMs: ${patientMs},
  });
  window.client.page({ page_type: 'home' });
  const store = createPersonalisationStore(window.client);
  const root = document.body.appendChild(document.createElement('main'));
  const shown = createRoot(root);
  window.show = (isShown) =>
    shown.render(createElement(PersonalisationProvider, { store }, isShown && createElement(Related)));
  window.show(true);`;

const script = forAllTests('the script of the page', async () => {
  const { outputFiles } = await build({
    stdin: { contents: app, resolveDir: clients },
    bundle: true,
    write: false,
    alias: { '@personalisation/browser': `${clients}browser/src/index.ts` },
    define: { 'process.env.NODE_ENV': '"development"' },
  });
  return { text: outputFiles[0].text };
});

type Asked = {
  page_type: string;
  context_item?: string;
  context_item_type?: string;
  user_id?: string;
  device_id: string;
  lists: Record<string, unknown>[];
};

/** @param answering Resolves when an answer may be given, to `away` for no answer. */
async function open(
  t: ExecutionContext,
  hash = '',
  answering: (asked: Asked) => Promise<unknown> = async () => {},
) {
  const page = await browser.newPage();
  t.teardown(() => page.close());
  page.setDefaultTimeout(patienceMs);
  const asked: Asked[] = [];
  await page.route(`${origin}/**`, async (route) => {
    if (!route.request().url().endsWith('/requests'))
      return await route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Shop</title>' });
    const question: Asked = JSON.parse(route.request().postData()!);
    asked.push(question);
    if ((await answering(question)) === 'away') return await route.abort();
    const { page_type, context_item = 'nothing', user_id = 'none' } = question;
    const items = [{ item_id: `${page_type} ${context_item} ${user_id}`, rank: 1 }];
    const lists = [{ list_name: 'like this', list_size: 1, items }];
    await route
      .fulfill({ json: { lists, request_id: 'r', user_group: 'recommender' } })
      .catch(() => undefined);
  });
  await page.goto(`${origin}/${hash}`);
  await page.addScriptTag({ content: script.text });
  return { page, asked };
}

const shows = (page: Page, text: string) => page.locator('p', { hasText: new RegExp(`^${text}$`) }).waitFor();

test('a list relates to the current page, even if the component stays mounted', async (t) => {
  const { page, asked } = await open(t);
  await shows(page, 'home nothing none');
  for (const item of ['boots', 'hat']) {
    await page.evaluate(`client.page({ page_type: 'detail', action_item: '${item}' })`);
    await shows(page, `detail ${item} none`);
  }
  await page.evaluate("client.page({ page_type: 'detail', action_item: 'boots' })");
  await shows(page, 'detail boots none');
  t.is(asked.length, 3);
});

test('the context item of a list is sent with its type', async (t) => {
  const { page, asked } = await open(t, '#about');
  await shows(page, 'home story none');
  t.like(asked[0], { context_item: 'story', context_item_type: 'article' });
  t.deepEqual(asked[0].lists, [{ configuration_id: 'like', list_name: 'like this', list_size: 1 }]);
});

test('after a sign-in or sign-out the lists of the previous visitor disappear', async (t) => {
  const { page, asked } = await open(t);
  await shows(page, 'home nothing none');
  await page.evaluate("client.identify('anna')");
  await shows(page, 'home nothing anna');
  await page.evaluate("client.identify('anna')");
  await page.evaluate('client.identify()');
  await shows(page, 'home nothing none');
  t.is(asked.length, 3);
});

test('a late answer for the previous visitor is not shown', async (t) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { page } = await open(t, '', async ({ user_id }) => {
    if (user_id === 'anna') await released;
  });
  await shows(page, 'home nothing none');
  const isOfAnna = (request: Request) => request.postData()?.includes('anna') ?? false;
  const asked = page.waitForRequest(isOfAnna);
  await page.evaluate("client.identify('anna')");
  await asked;
  await page.evaluate("client.identify('ben')");
  await shows(page, 'home nothing ben');
  const answered = page.waitForResponse((response) => isOfAnna(response.request()));
  release();
  await (await answered).finished();
  await page.evaluate('new Promise(requestAnimationFrame)');
  t.is(await page.textContent('p'), 'home nothing ben');
});

test('anonymous lists remain after consent, and personal lists disappear when it is withdrawn', async (t) => {
  const { page, asked } = await open(t, '#unasked');
  await shows(page, 'home nothing none');
  await page.evaluate('client.setConsent(true)');
  t.is(await page.textContent('p'), 'home nothing none');
  t.is(asked.length, 1);
  await page.evaluate("client.identify('anna')");
  await shows(page, 'home nothing anna');
  await page.evaluate('client.setConsent(false)');
  await shows(page, 'home nothing none');
  t.is(asked.at(-1)!.device_id, 'anonymous');
});

test('the caller’s own list stays until the service answers a remounted component', async (t) => {
  let isAway = true;
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { page, asked } = await open(t, '#fallback', async () => (isAway ? 'away' : await released));
  const comeAgain = async () => {
    await page.evaluate('show(false)');
    await page.locator('p').waitFor({ state: 'detached' });
    await page.evaluate('show(true)');
  };
  await shows(page, 'best');
  isAway = false;
  const asking = page.waitForRequest((request) => request.url().endsWith('/requests'));
  await comeAgain();
  await asking;
  await shows(page, 'best');
  release();
  await shows(page, 'home nothing none');
  await comeAgain();
  await shows(page, 'home nothing none');
  t.is(asked.length, 2);
});
