/**
 * `node test/bench/console.ts [--items N]`: how long the console's pages take on the demo until they are useful, how
 * long until the screen answers a key or a click, and how evenly long lists and a year of a chart move.
 *
 * Cold is a browser that has nothing of the console; warm one that was there before: until the first frame, of
 * the page's own clock, in which the page shows what one comes for. Interactions are what the browser
 * itself measures from the input to the next picture (Event Timing, in steps of 8 ms).
 *
 * @param N Items that the catalogue has for the last part [100,000]; 0 leaves it out.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { openConsole } from '../browser/support/browser.ts';
import { startBrowser } from '../support/browser.ts';
import { startTestService, type TestService } from '../support/service.ts';
import { addItems, addYear } from './console-world.ts';
import { countOf } from './sizes.ts';

const { values } = parseArgs({ options: { items: { type: 'string', default: '100000' } } });
const pollMs = 200;
const longestMs = 30_000;
const itemCount = Number(values.items) === 0 ? 0 : countOf(values.items);

const tidies: (() => unknown)[] = [];
const t = { teardown: (tidy: () => unknown) => void tidies.push(tidy) };

/** A page is useful once an element of the selector with a matching name or text is visible. */
type Useful = [path: string, selector: string, name: RegExp];

/** All elements with a text. */
const everything = 'p, h1, h2, h3, span, td, th, div';

const pages: Useful[] = [
  ['overview', everything, /^Page views$/],
  ['metrics?metric=pageviews&by=page_type', 'th', /^Peak/],
  ['experiments', 'a', /^more-trends$/],
  ['playground?kind=user&visitor=anna', 'button', /^Why /],
  ['configurations', 'a', /^watch$/],
  ['configurations/home', 'button', /^Why /],
  ['search?q=trial shoes', everything, /^Query interpretation/],
  ['audiences', 'a', /^Hikers$/],
  ['batches', everything, /^No batch yet/],
  ['catalogue', everything, /^[\d,]+ found$/],
  ['events', 'button', /pageview/],
  ['models', 'th', /^Quality/],
  ['people?kind=user&id=anna', 'button', /^Delete …/],
  ['access', everything, /\(you\)$/],
];

/**
 * Measures a loaded page: `usefulMs` is the first frame that shows this, in ms since the request.
 */
const watchUseful = (selector: string, name: RegExp) => `globalThis.usefulMs = new Promise((done) => {
  const isUseful = (one) => one.checkVisibility() && ${name}.test((one.ariaLabel ?? one.textContent).trim());
  const observer = new MutationObserver(() => {
    if (!Array.from(document.querySelectorAll('${selector}')).some(isUseful)) return;
    observer.disconnect();
    requestAnimationFrame(() => done(performance.now()));
  });
  observer.observe(document, { childList: true, subtree: true, characterData: true });
})`;

/** A page that never shows it fails the benchmark. */
const late = `new Promise((_, fail) => setTimeout(() => fail(new Error('It never was useful.')), ${longestMs}))`;

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return Math.round(performance.now() - start);
}

async function timePages(browser: Browser, service: TestService): Promise<void> {
  for (const [path, selector, name] of pages) {
    const { page, visit } = await openConsole(t, browser, service);
    await page.addInitScript(watchUseful(selector, name));
    const look = async () => {
      await visit(`/demo/${path}`);
      return Math.round(await page.evaluate<number>(`Promise.race([usefulMs, ${late}])`));
    };
    console.log(`${path.padEnd(40)} cold ${await look()} ms, warm ${await look()} ms`);
    await page.context().close();
  }
}

const watchInputs = `globalThis.inputs = [];
new PerformanceObserver((list) => globalThis.inputs.push(...list.getEntries().map(({ duration }) => duration)))
  .observe({ type: 'event', durationThreshold: 16 })`;

/** The longest time from an input to the next frame; 16 includes all shorter ones. */
async function slowestInput(page: Page, act: () => Promise<unknown>): Promise<number> {
  await page.evaluate(watchInputs);
  await act();
  await page.waitForLoadState('networkidle');
  return page.evaluate('Math.max(16, ...globalThis.inputs)');
}

type Act = [name: string, path: string, act: (page: Page) => Promise<unknown>];

const acts: Act[] = [
  ['overview: open the palette, type', 'overview', (page) => typeInPalette(page)],
  [
    'playground: why',
    'playground?kind=user&visitor=anna',
    (page) => page.getByRole('button', { name: /^Why / }).first().click(),
  ],
  ['editor: add a rule', 'configurations/home', (page) => addRule(page)],
  ['catalogue: type a filter', 'catalogue', (page) => type(page, 'Title or ID', 'trail boots')],
  ['search: type a query', 'search', (page) => type(page, 'e.g. trial shoes', 'trail boots')],
  [
    'metrics: another measure',
    'metrics',
    async (page) => {
      await page.getByRole('combobox', { name: 'Metric' }).click();
      await page.getByRole('option', { name: 'Page views' }).click();
    },
  ],
];

async function typeInPalette(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.type('watch', { delay: 40 });
}

async function type(page: Page, placeholder: string, text: string): Promise<void> {
  await page.getByPlaceholder(placeholder).pressSequentially(text, { delay: 40 });
}

async function addRule(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add a rule' }).click();
  await page.getByRole('menuitem', { name: 'At least' }).click();
}

async function timeActs(browser: Browser, service: TestService): Promise<void> {
  const { page, visit } = await openConsole(t, browser, service);
  for (const [name, path, act] of acts) {
    await visit(`/demo/${path}`);
    await page.waitForLoadState('networkidle');
    console.log(`${name.padEnd(40)} ${await slowestInput(page, () => act(page))} ms`);
  }
}

const watchFrames = `globalThis.frames = []; { let before = performance.now();
const look = (now) => { globalThis.frames.push(now - before); before = now; requestAnimationFrame(look); };
requestAnimationFrame(look); }`;

/** Frames while something moves: half are shorter than the first figure, 99 of 100 than the second. */
async function framesOf(page: Page, move: () => Promise<unknown>): Promise<string> {
  await page.evaluate(watchFrames);
  await move();
  const frames = (await page.evaluate<number[]>('globalThis.frames')).sort((a, b) => a - b);
  const at = (share: number) => frames[Math.floor(share * (frames.length - 1))].toFixed(0);
  return `${frames.length} frames, median ${at(0.5)} ms, 99 % within ${at(0.99)} ms, longest ${at(1)} ms`;
}

const wheels = 120;

async function timeMuch(browser: Browser, service: TestService): Promise<void> {
  await addItems(service, itemCount);
  await addYear(service);
  const { page, visit } = await openConsole(t, browser, service);
  const found = page.getByText(/found$/);
  console.log(
    `catalogue of ${itemCount} more: ${await timeOf(() => visit('/demo/catalogue').then(() => found.waitFor()))} ms`,
  );
  await page.mouse.move(700, 600);
  const scroll = async () => {
    for (let i = 0; i < wheels; i += 1) await page.mouse.wheel(0, 800);
    await page.waitForLoadState('networkidle');
  };
  console.log(`scrolling it: ${await framesOf(page, scroll)}`);
  console.log(`typing a filter: ${await slowestInput(page, () => type(page, 'Title or ID', 'thing 77'))} ms`);
  const year = '/demo/metrics?metric=pageviews&by=page_type&range=365d&step=hour';
  const chart = page.getByText('Peak');
  console.log(`a year of hours: ${await timeOf(() => visit(year).then(() => chart.waitFor()))} ms`);
  const box = (await page.locator('.u-over').boundingBox())!;
  const drag = async () => {
    for (let x = 0; x < 60; x += 1) await page.mouse.move(box.x + (x * box.width) / 60, box.y + 40);
  };
  console.log(`moving over the chart: ${await framesOf(page, drag)}`);
}

/** A training takes the processors that the browser and the service share here. */
async function atRest({ baseUrl, authorization }: TestService): Promise<void> {
  for (;;) {
    const answer = await fetch(`${baseUrl}/demo/models/trainings`, { headers: { authorization } });
    const { trainings } = (await answer.json()) as { trainings: { reason: string; end_time?: string }[] };
    if (trainings.some(({ reason, end_time }) => reason === 'first' && end_time !== undefined)) return;
    await delay(pollMs);
  }
}

const [service, browser] = await Promise.all([startTestService(t, 'demo', { trains: true }), startBrowser()]);
try {
  await atRest(service);
  await timePages(browser, service);
  await timeActs(browser, service);
  if (itemCount > 0) await timeMuch(browser, service);
} finally {
  await browser.close();
  for (const tidy of tidies.toReversed()) await tidy();
}
