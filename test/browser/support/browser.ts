/** A real browser on the console of a running service, watched: what it complains of, which hosts it asks, what axe finds. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ExecutionContext } from 'ava';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import type { TestService } from '../../support/service.ts';

/** A wait that the machine's load may stretch; what is waited for is always a condition. */
const patienceMs = 120_000;

/** For a page that may not answer any more. */
const lastLookMs = 5_000;

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What a service answers that has too much to do. */
export const busy = {
  status: 429,
  contentType: 'application/json',
  body: '{"code": "resource_exhausted", "message": "Too many calls."}',
};

export type ConsolePage = {
  page: Page;
  /** Complaints, exceptions and requests to other hosts since the page was opened. */
  troubles: string[];
  /** For the report of a story that failed: where the page is, what it waits for, and what it says. */
  describe(): Promise<string>;
  /** Opens a path below `/console` anew. */
  visit(path: string): Promise<void>;
  /** Goes to a path below `/console` as a link in it would, without loading it again. */
  goTo(path: string): Promise<void>;
};

/** What a page needs of AVA. */
type Teller = Pick<ExecutionContext, 'teardown'> & { readonly passed?: boolean; log?(text: string): void };

export type Opening = Pick<BrowserContextOptions, 'colorScheme' | 'viewport'>;

const desktop = { width: 1280, height: 900 };

/** A page of its own, signed in as the administrator unless it says otherwise. */
export async function openConsole(
  t: Teller,
  browser: Browser,
  service: TestService,
  { signsIn = true, ...opening }: Opening & { signsIn?: boolean } = {},
): Promise<ConsolePage> {
  const origin = new URL(service.baseUrl).origin;
  const context = await browser.newContext({
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    viewport: desktop,
    reducedMotion: 'reduce',
    ...opening,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const { troubles, describe } = watch(page, origin);
  t.teardown(async () => {
    if (t.passed === false) t.log?.(await describe());
    await context.close();
  });
  if (signsIn) await signIn(page, service);
  const visit = async (path: string) => void (await page.goto(`${origin}/console${path}`));
  const goTo = async (path: string) =>
    page.url().startsWith(`${origin}/console`)
      ? page
          .evaluate(`history.pushState(null, '', ${JSON.stringify(`/console${path}`)})`)
          .then(() => undefined)
      : visit(path);
  return { page, troubles, describe, visit, goTo };
}

async function signIn(page: Page, { baseUrl, admin }: TestService): Promise<void> {
  const data = { client_id: admin.clientId, client_secret: admin.clientSecret };
  await page.context().request.post(new URL('/console/session', baseUrl).href, { data });
}

/**
 * Makes a page what a new one would be, in a third less time. What a story gives to a page for good, its clock and scripts that
 * run before it, would stay: such a page has to be the story's own.
 */
export async function beginAnew(
  t: Teller,
  { page, troubles, describe }: ConsolePage,
  service: TestService,
  signsIn: boolean,
): Promise<void> {
  t.teardown(async () => {
    if (t.passed === false) t.log?.(await describe());
  });
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  /** Away from what may still write, and where storage is the same. */
  await page.goto(new URL('/healthz', service.baseUrl).href);
  await page.evaluate('sessionStorage.clear(); localStorage.clear()');
  await page.context().clearCookies();
  await page.setViewportSize(desktop);
  if (signsIn) await signIn(page, service);
  troubles.length = 0;
}

function watch(page: Page, origin: string): Pick<ConsolePage, 'troubles' | 'describe'> {
  const troubles: string[] = [];
  const waitsFor = new Set<Request>();
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) troubles.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => troubles.push(`exception: ${error.stack ?? error}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith('data:')) troubles.push(`request: ${url}`);
    waitsFor.add(request);
  });
  page.on('requestfinished', (request) => waitsFor.delete(request));
  page.on('requestfailed', (request) => waitsFor.delete(request));
  return {
    troubles,
    async describe() {
      const asked = [...waitsFor].map((request) => `${request.method()} ${request.url()}`);
      const parts = await page.locator('main, [role=dialog]').all();
      const says = parts.map((part) =>
        part.ariaSnapshot({ timeout: lastLookMs }).catch((error: Error) => error.message),
      );
      return [
        page.url(),
        `waits for ${asked.join(', ') || 'nothing'}`,
        ...troubles,
        ...(await Promise.all(says)),
      ].join('\n');
    },
  };
}

/** Waits until an expression holds on the page, whose policy keeps Playwright's own wait from looking more than once. */
export async function waitUntil(page: Page, condition: string): Promise<void> {
  await page.evaluate(`new Promise((done, fail) => {
    const end = performance.now() + ${patienceMs};
    const look = () => {
      if (${condition}) done();
      else if (performance.now() > end) fail(new Error('It never came to hold.'));
      else requestAnimationFrame(look);
    };
    look();
  })`);
}

/** Waits until what has just been answered is drawn. */
export async function lookAgain(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** Waits until the page has the theme, and no colour is on its way from the other one. */
export async function settleIn(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.locator(`html[data-mantine-color-scheme=${theme}]`).waitFor();
  await standStill(page);
}

/** Waits until nothing fades: letters that come or go have less contrast. */
async function standStill(page: Page): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    const isChanging = () => document.getAnimations().some((one) => one instanceof CSSTransition);
    const look = () => (isChanging() ? requestAnimationFrame(look) : done());
    requestAnimationFrame(() => requestAnimationFrame(look));
  })`);
}

/**
 * What axe finds wrong with the page as it is, one line a finding.
 *
 * @param rules A change of the theme changes contrasts alone [all].
 */
export async function findBarriers(page: Page, rules: 'all' | 'contrast' = 'all'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource);
  await standStill(page);
  return page.evaluate(async (isContrast) => {
    type Finding = { id: string; nodes: { html: string; failureSummary?: string }[] };
    type Axe = { run(options: object): Promise<{ violations: Finding[] }> };
    const { axe } = globalThis as unknown as { axe: Axe };
    const { violations } = await axe.run({
      resultTypes: ['violations'],
      ...(isContrast && { runOnly: ['color-contrast'] }),
    });
    return violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`),
    );
  }, rules === 'contrast');
}

/** Frames in which charts follow the width of the window; the page is looked at until then. */
const mostFrames = 120;

/** Pixels by which the page stays wider than its window. */
export async function overflowOf(page: Page): Promise<number> {
  return page.evaluate(`new Promise((done) => {
    const { documentElement } = document;
    const look = (frames) => {
      const overflow = documentElement.scrollWidth - documentElement.clientWidth;
      if (overflow === 0 || frames === 0) done(overflow);
      else requestAnimationFrame(() => look(frames - 1));
    };
    look(${mostFrames});
  })`);
}
