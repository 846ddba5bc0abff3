/** The console and the reference behind a proxy that serves them below a prefix. */

import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { testedService } from '../contract/support/tested-service.ts';
import { patienceMs } from '../support/browser.ts';
import { testedBrowser } from '../support/tested-browser.ts';

const browser = testedBrowser();
const service = testedService();

/** Removes the prefix, as nginx does by `proxy_pass http://…/;`. All else is 404. */
async function startProxy(t: ExecutionContext, prefix: string): Promise<string> {
  const proxy = createServer((incoming, answer) => {
    const { method, headers, url = '' } = incoming;
    if (!url.startsWith(`${prefix}/`)) return void answer.writeHead(404).end();
    const path = url.slice(prefix.length);
    const { hostname, port } = new URL(service.origin);
    const call = request({ hostname, port, method, headers, path }, (response) => {
      answer.writeHead(response.statusCode!, response.headers);
      response.pipe(answer);
    });
    call.on('error', () => answer.destroy());
    incoming.pipe(call);
  }).listen(0);
  await once(proxy, 'listening');
  t.teardown(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  return `http://localhost:${(proxy.address() as AddressInfo).port}${prefix}`;
}

async function openPage(t: ExecutionContext) {
  const context = await browser.newContext();
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', ({ message }) => complaints.push(message));
  return { page, complaints };
}

test('the console works below a prefix, after a reload too', async (t) => {
  const base = await startProxy(t, '/shop/console/personal');
  const { page, complaints } = await openPage(t);
  const data = { client_id: service.admin.clientId, client_secret: service.admin.clientSecret };
  await page.context().request.post(`${base}/console/session`, { data });
  for (const path of ['/console', '/console/shop/catalogue']) {
    await page.goto(base + path);
    await page.getByRole('link', { name: 'Catalogue' }).first().click();
    await page.getByRole('heading', { name: 'Catalogue' }).first().waitFor();
    t.regex(page.url(), /\/shop\/console\/personal\/console\/shop\/catalogue/);
  }
  t.deepEqual(complaints, []);
});

test('the reference calls operations below a prefix', async (t) => {
  const base = await startProxy(t, '/personal');
  const { page, complaints } = await openPage(t);
  await page.goto(`${base}/api/docs#tag/metrics/GET/metrics`);
  await page.getByText('(get /metrics)', { exact: true }).click({ force: true });
  const answered = page.waitForResponse(`${base}/api/metrics`);
  await page.getByRole('button', { name: /^Send/ }).first().click();
  t.is((await answered).status(), 401);
  await page.goto(`${base}/api/docs/errors`);
  await page.getByRole('link', { name: 'UNAUTHENTICATED' }).click();
  t.is(await page.locator('h1').textContent(), 'UNAUTHENTICATED');
  t.is(complaints.filter((text) => !text.includes('401')).length, 0, complaints.join('\n'));
});
