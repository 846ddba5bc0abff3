/** Accessibility, errors and width of every page. */

import test from 'ava';
import type { Locator, Page } from 'playwright-core';
import { findViolations, overflowOf, waitForTheme, waitUntil } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

/** Pages with an element that shows that they are loaded, and the link that leads on to the tested page, if any. */
const landmarks: [path: string, landmark: (page: Page) => Locator, leadsOn?: (page: Page) => Locator][] = [
  ['overview', (page) => page.getByText('Page views')],
  ['playground?compare=1&visitor2=chloe&kind2=user', (page) => page.getByText('One column')],
  ['merchandising?list=home', (page) => page.getByRole('button', { name: /^Move / }).first()],
  ['configurations', (page) => page.getByRole('link', { name: 'watch' })],
  ['configurations?view=calendar', (page) => page.getByText('No schedules this month')],
  ['configurations/shop?panel=json', (page) => page.getByLabel('Rule set JSON')],
  ['configurations/home/simulation', (page) => page.getByText('No simulation yet')],
  ['search?q=trial shoes', (page) => page.getByRole('heading', { name: 'Query interpretation' })],
  ['metrics?metric=pageviews&by=page_type', (page) => page.getByRole('columnheader', { name: 'Peak' })],
  ['experiments?view=split', (page) => page.getByText('Not enough devices for an interval yet')],
  ['access', (page) => page.getByText('(you)')],
  ['audiences/new', (page) => page.getByText('Add at least one item')],
  ['events', (page) => page.getByRole('button', { name: /pageview/ }).first()],
  ['catalogue', (page) => page.getByText('400 found')],
  ['catalogue/item/leather-trail-boots-resoleable', (page) => page.getByLabel('Item JSON')],
  ['people?kind=user&id=anna', (page) => page.getByRole('button', { name: 'Delete …' })],
  ['access?view=changes', (page) => page.getByRole('columnheader', { name: 'Change' })],
  ['models', (page) => page.getByRole('cell', { name: 'First training' })],
  [
    'models',
    (page) => page.getByRole('heading', { name: 'Model mix' }),
    (page) => page.getByRole('row').getByRole('link').first(),
  ],
  ['search?q=shoes&facets=1', (page) => page.getByRole('combobox', { name: 'brand' })],
  ['search?view=synonyms', (page) => page.getByText('No synonyms yet')],
  ['search?view=blocked', (page) => page.getByLabel('Words and phrases, one per line')],
  ['batches', (page) => page.getByText('No batch yet')],
  ['search?view=queries', (page) => page.getByRole('combobox', { name: 'Show' })],
  ['configurations/home/versions', (page) => page.getByText('This is the first version')],
];

export function testPages(fixture: Fixture): void {
  test.serial('shows numbers in a browser with an invalid language tag', async (t) => {
    const { page, troubles, visit } = await fixture.open(t);
    await page.addInitScript(`Object.defineProperties(navigator, {
      language: { value: 'en-US@posix', configurable: true },
      languages: { value: ['en-US@posix'], configurable: true },
    })`);
    await visit('/demo/overview');
    await page.getByRole('img', { name: 'Events per hour' }).waitFor();
    t.deepEqual(troubles, []);
  });

  test.serial('marks chosen options with forced colours', async (t) => {
    const { page, goTo } = fixture.shared;
    t.teardown(() => page.emulateMedia({ forcedColors: 'none' }));
    await page.emulateMedia({ forcedColors: 'active' });
    await goTo('/demo/search?q=shoes&facets=1');
    await page.getByRole('switch', { name: 'Filters' }).waitFor();
    const colorOf = (selector: string) =>
      `getComputedStyle(document.querySelector('${selector}')).backgroundColor`;
    const chosen = colorOf('.mantine-SegmentedControl-indicator');
    t.not(await page.evaluate(chosen), await page.evaluate(colorOf('body')));
    await waitUntil(page, `${colorOf('input:checked + .mantine-Switch-track')} === ${chosen}`);
  });

  for (const [path, landmark, leadsOn] of landmarks) {
    test.serial(
      `${path}${leadsOn ? ' and on' : ''}: accessible in both themes, without errors or foreign requests, from 390 to 2560 px`,
      async (t) => {
        const { page, troubles, goTo } = fixture.shared;
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width: 1280, height: 900 });
        if (path === 'models') await fixture.trained();
        await goTo(`/demo/${path}`);
        await leadsOn?.(page).click();
        await landmark(page).waitFor();
        await waitForTheme(page, 'light');
        t.deepEqual(await findViolations(page), [], 'light');
        await page.emulateMedia({ colorScheme: 'dark' });
        await waitForTheme(page, 'dark');
        t.deepEqual(await findViolations(page, 'contrast'), [], 'dark');
        for (const width of [390, 2560]) {
          await page.setViewportSize({ width, height: 900 });
          t.is(await overflowOf(page), 0, `${width} px`);
        }
        t.deepEqual(troubles, []);
      },
    );
  }
}
