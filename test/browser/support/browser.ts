/**
 * A real browser on the console of a running service, watched: what it complains of, which hosts it asks, and what axe finds.
 *
 * `CHROMIUM` names another browser than the one that the tests bring along, which runs on Linux.
 */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import sparticuz from '@sparticuz/chromium';
import type { ExecutionContext } from 'ava';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import type { TestService } from '../../support/service.ts';

/** A browser that serves nobody else; what it would fetch for itself is off. */
const flags = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--no-first-run',
];

/** A wait that the machine's load may stretch; what is waited for is always a condition. */
const patienceMs = 30_000;

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? (await sparticuz.executablePath());
  return chromium.launch({ executablePath, args: flags, headless: true });
}

export type ConsolePage = {
  page: Page;
  /** Complaints, exceptions and requests to other hosts since the page was opened. */
  troubles: string[];
  /** Goes to a path below `/console`. */
  visit(path: string): Promise<void>;
};

export type Opening = Pick<BrowserContextOptions, 'colorScheme' | 'viewport'>;

/** A page of its own, signed in as the administrator unless it says otherwise. */
export async function openConsole(
  t: Pick<ExecutionContext, 'teardown'>,
  browser: Browser,
  service: TestService,
  { signsIn = true, ...opening }: Opening & { signsIn?: boolean } = {},
): Promise<ConsolePage> {
  const origin = new URL(service.baseUrl).origin;
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: { width: 1280, height: 900 },
    ...opening,
  });
  t.teardown(() => context.close());
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const troubles: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`exception: ${error.stack ?? error}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:')) troubles.push(`request: ${url}`);
  });
  if (signsIn) {
    await context.request.post(`${origin}/console/session`, {
      data: { client_id: service.admin.clientId, client_secret: service.admin.clientSecret },
    });
  }
  const visit = async (path: string) => void (await page.goto(`${origin}/console${path}`));
  return { page, troubles, visit };
}

/** What axe finds wrong with the page as it is, one line a finding. */
export async function findBarriers(page: Page): Promise<string[]> {
  await page.evaluate(axeSource);
  return page.evaluate(async () => {
    type Finding = { id: string; nodes: { html: string; failureSummary?: string }[] };
    type Axe = { run(): Promise<{ violations: Finding[] }> };
    const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run();
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  });
}

/** Pixels by which the page is wider than its window. */
export async function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}
