/** The console in German: every page, without texts left in English, and back to English by choice. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { findViolations, overflowOf } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

const catalogue = join(import.meta.dirname, '../../../src/console/texts/de.json');
const german: Record<string, string> = JSON.parse(readFileSync(catalogue, 'utf8'));

/** English texts that differ in German, in sentences or with a capital: short words also occur in data. */
const english = Object.keys(german).filter(
  (text) =>
    german[text] !== text && /^[A-Z][a-z]+(?: [a-z]|$)/.test(text) && !Object.values(german).includes(text),
);

const pages = [
  ...['overview', 'metrics', 'metrics?view=performance', 'experiments', 'experiments/new', 'merchandising'],
  ...['playground?kind=user&visitor=anna', 'configurations', 'configurations/home', 'pages', 'pages?new=1'],
  ...['search?q=trial shoes', 'search?view=queries', 'search?view=synonyms', 'audiences', 'audiences/new'],
  ...['batches', 'batches/new', 'catalogue', 'catalogue/import', 'events', 'models', 'activity'],
  ...['people?kind=user&id=anna', 'webhooks', 'team', 'access', 'access?view=changes'],
];

/** Texts of elements, apart from those of data, which browsers isolate, and codes. */
const textsOfPage = `[...document.querySelectorAll('body *')].flatMap((one) =>
  one.closest('bdi, code, pre, textarea, .mark, [data-text-of-service]') || !one.checkVisibility()
    ? []
    : [...one.childNodes].filter((node) => node.nodeType === 3).map((node) => node.textContent.trim()))`;

export function testLanguages(fixture: Fixture): void {
  test.serial('the console speaks German, and English when chosen', async (t) => {
    const { page, troubles, visit } = await fixture.open(t, { locale: 'de-DE' });
    const left: string[] = [];
    for (const path of pages) {
      await visit(`/demo/${path}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.waitForLoadState('networkidle');
      const shown = new Set(await page.evaluate<string[]>(textsOfPage));
      left.push(...english.filter((text) => shown.has(text)).map((text) => `${path}: ${text}`));
      t.is(await overflowOf(page), 0, path);
    }
    t.deepEqual(left, []);
    await page.setViewportSize({ width: 390, height: 800 });
    for (const path of ['overview', 'configurations/home', 'metrics?view=performance', 'catalogue']) {
      await visit(`/demo/${path}`);
      await page.waitForLoadState('networkidle');
      t.is(await overflowOf(page), 0, path);
    }
    t.is(await page.evaluate('document.documentElement.lang'), 'de');
    t.deepEqual(await findViolations(page), []);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('button', { name: /^Konto / }).click();
    await page.getByRole('menuitem', { name: 'English' }).click();
    await page.getByRole('heading', { level: 1, name: 'Catalogue' }).waitFor();
    t.is(await page.evaluate('document.documentElement.lang'), 'en');
    t.deepEqual(troubles, []);
  });
}
