/** The hooks on a page that a server renders, in Chromium, against the service. */

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import { type BuildOptions, build } from 'esbuild-bundler';
import { MetricService } from '../../gen/es/personalisation/v1/metric_service_pb.js';
import { patienceMs, userAgent } from '../support/browser.ts';
import { testedBrowser } from '../support/tested-browser.ts';
import { patientMs, shopForPages } from './support/shop-for-pages.ts';

const clients = new URL('../../clients/', import.meta.url).pathname;
const browser = testedBrowser();
const { service, admin, stock, createWriteKey } = shopForPages();

async function bundle(entry: string, options: BuildOptions): Promise<void> {
  await build({
    entryPoints: [join(clients, 'react/example', entry)],
    bundle: true,
    format: 'esm',
    alias: { '@personalisation/browser': join(clients, 'browser/src/index.ts') },
    define: { 'process.env.NODE_ENV': '"development"' },
    ...options,
  });
}

test('a rendered page has its list, is hydrated unchanged, and reports clicks', async (t) => {
  await stock(6);
  /** Below the repository, so that React is found beside it. */
  const folder = await mkdtemp(join(clients, 'react/example/built-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  await bundle('server.ts', { outfile: join(folder, 'server.mjs'), platform: 'node', packages: 'external' });
  await bundle('browser.ts', { outfile: join(folder, 'browser.js') });
  const { renderPage } = await import(join(folder, 'server.mjs'));
  const server = createServer(async ({ url, headers }, response) => {
    if (url === '/browser.js') {
      response.setHeader('content-type', 'text/javascript');
      response.end(await readFile(join(folder, 'browser.js')));
    } else {
      response.setHeader('content-type', 'text/html');
      response.end(await renderPage(headers.cookie ?? '', options));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`;
  const options = {
    baseUrl: service.origin,
    environment: 'shop',
    writeKey: await createWriteKey(origin),
    consent: true,
    timeoutMs: patientMs,
  };

  const page = await browser.newPage({ userAgent });
  page.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  const asked: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/browser.js', async (route) => {
    await released;
    await route.continue();
  });

  await page.goto(origin, { waitUntil: 'commit' });
  const items = page.locator('#for-you li');
  await items.nth(3).waitFor();
  const rendered = await items.allTextContents();
  t.is(new Set(rendered).size, 4);
  await page.evaluate("for (const item of document.querySelectorAll('#for-you li')) item.stamp = true");
  release();
  await page.waitForLoadState('load');

  await page.fill('[name=q]', 'shoes 3');
  await page.click('#results [data-item="shoes-3"]');
  t.deepEqual(await items.allTextContents(), rendered);
  t.true(
    await page.evaluate("[...document.querySelectorAll('#for-you li')].every((item) => item.stamp === true)"),
  );
  t.false(asked.includes('/api/shop/recommendations/requests'));
  t.deepEqual(complaints, []);
  t.is(await clicksOf('search_clicks'), 1);
});

/** Waits for the first. */
async function clicksOf(metric: string): Promise<number> {
  for (;;) {
    const { results } = await admin.service(MetricService).queryMetrics({
      metrics: [metric],
      environment: 'shop',
    });
    const count = results.reduce((sum, { value }) => sum + value, 0);
    if (count > 0) return count;
    await setTimeout(100);
  }
}
