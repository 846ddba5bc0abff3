/** A real browser on the console of a running service, with its errors, foreign requests and findings of axe. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ExecutionContext } from 'ava';
import type { Browser, BrowserContextOptions, Page, Request } from 'playwright-core';
import { patienceMs } from '../../support/browser.ts';
import type { TestService } from '../../support/service.ts';

/** Timeout for a page that may no longer respond. */
const lastLookMs = 5_000;

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Answer of an overloaded service. */
export const busy = {
  status: 429,
  contentType: 'application/json',
  body: '{"code": "resource_exhausted", "message": "Too many calls."}',
};

export type ConsolePage = {
  page: Page;
  /** Console errors, exceptions and requests to other hosts. */
  troubles: string[];
  /** Describes the address, pending requests and content of the page. */
  describe(): Promise<string>;
  /** Loads a path below `/console`. */
  visit(path: string): Promise<void>;
  /** Navigates to a path below `/console` like a link, without a reload. */
  goTo(path: string): Promise<void>;
};

/** The part of AVA's context that a page needs. */
type TestContext = Pick<ExecutionContext, 'teardown'> & {
  readonly passed?: boolean;
  log?(text: string): void;
};

export type Opening = Pick<BrowserContextOptions, 'colorScheme' | 'locale' | 'viewport'>;

const desktop = { width: 1280, height: 900 };

/** Opens a page, signed in as the administrator by default. */
export async function openConsole(
  t: TestContext,
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
 * Resets a page to the state of a new one, in a third less time. The clock and init scripts cannot be reset: stories that change
 * them need a page of their own.
 */
export async function resetPage(
  t: TestContext,
  { page, troubles, describe }: ConsolePage,
  service: TestService,
  signsIn: boolean,
): Promise<void> {
  t.teardown(async () => {
    if (t.passed === false) t.log?.(await describe());
  });
  for (const other of page.context().pages()) if (other !== page) await other.close();
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  /** Stops scripts that may still write; keeps the origin, and with it access to its storage. */
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
  /** Pages with unsaved changes ask before they are left. */
  page.on('dialog', (dialog) => dialog.accept());
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

/** Waits until an expression is true. The page's content security policy blocks Playwright's own polling. */
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

/** Waits until the latest answer is drawn. */
export async function waitForFrame(page: Page): Promise<void> {
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
}

/** Waits until the page has the theme, without running transitions. */
export async function waitForTheme(page: Page, theme: 'light' | 'dark'): Promise<void> {
  await page.locator(`html[data-mantine-color-scheme=${theme}]`).waitFor();
  await waitForTransitions(page);
}

/** Waits for the end of transitions, during which text has less contrast. */
async function waitForTransitions(page: Page): Promise<void> {
  await page.evaluate(`new Promise((done) => {
    const isChanging = () => document.getAnimations().some((one) => one instanceof CSSTransition);
    const look = () => (isChanging() ? requestAnimationFrame(look) : done());
    requestAnimationFrame(() => requestAnimationFrame(look));
  })`);
}

/**
 * Returns the findings of axe, one per line.
 *
 * @param rules A change of the theme changes contrasts alone [all].
 */
export async function findViolations(page: Page, rules: 'all' | 'contrast' = 'all'): Promise<string[]> {
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axeSource);
  await waitForTransitions(page);
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

/** Frames after which charts have adapted to the width of the window. */
const mostFrames = 120;

/** Pixels by which the page is wider than its window. */
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
