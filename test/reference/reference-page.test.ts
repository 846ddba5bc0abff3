/** The reference and the error pages, in a real browser. */

import test from 'ava';
import { errorReasons } from '../../src/errors.ts';
import { testedService } from '../contract/support/tested-service.ts';
import { patienceMs } from '../support/browser.ts';
import { testedBrowser } from '../support/tested-browser.ts';

const browser = testedBrowser();
const service = testedService();

/** A page, with its errors and requests to other hosts. */
async function open(path: string) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(patienceMs);
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { origin, protocol } = new URL(request.url());
    if (protocol.startsWith('http') && origin !== service.origin) complaints.push(`asked ${origin}`);
  });
  await page.goto(service.baseUrl + path, { timeout: patienceMs });
  return { page, complaints };
}

test('the reference shows its groups in reading order, without requests to other hosts', async (t) => {
  const { page, complaints } = await open('/docs');
  const contents = page.getByRole('complementary').first();
  await contents.getByText('Diagnosis', { exact: true }).waitFor();
  const text = (await contents.textContent()) ?? '';
  const groups = [
    'Access',
    'Catalogue',
    'Events',
    'Configurations',
    'Recommendations',
    'Audiences',
    'Metrics',
  ];
  let place = text.indexOf('Introduction');
  for (const group of groups) {
    const next = text.indexOf(group, place);
    t.true(next > place, group);
    place = next;
  }
  t.deepEqual(complaints, []);
});

test("an operation is tried with one's own token", async (t) => {
  const token = service.authorization.replace('Bearer ', '');
  const { page, complaints } = await open('/docs#tag/metrics/GET/metrics');
  await page.getByLabel('Bearer Token').or(page.getByPlaceholder('Token')).first().fill(token);
  await page.getByText('(get /metrics)', { exact: true }).click({ force: true });
  const answered = page.waitForResponse((response) => response.url().endsWith('/api/metrics'));
  await page.getByRole('button', { name: /^Send/ }).first().click();
  const response = await answered;
  t.is(response.status(), 200);
  t.deepEqual(complaints, []);
});

test('every reason has a page at the address of its problem type', async (t) => {
  const { page, complaints } = await open('/docs/errors');
  const links = await page.locator('dt a').allInnerTexts();
  t.deepEqual(links, [...errorReasons]);
  const problem = (await (await fetch(`${service.baseUrl}/nowhere/items/product/1`)).json()) as {
    type: string;
  };
  await page.goto(new URL(problem.type, service.baseUrl).href);
  t.is(await page.locator('h1').textContent(), 'UNAUTHENTICATED');
  t.regex((await page.locator('body').textContent()) ?? '', /What to doGet a token from POST \/oauth\/token/);
  t.deepEqual(complaints, []);
});
