/** Every page as it is when one opens it. */

import test from 'ava';
import type { Locator, Page } from 'playwright-core';
import { findBarriers, overflowOf, settleIn, waitUntil } from '../support/browser.ts';
import type { House } from '../support/house.ts';

/** What is on a page once it is there; where a link leads on to the page, the page before has it, too. One column of the playground, and the form of the editor, have stories of their own. */
const landmarks: [path: string, landmark: (page: Page) => Locator, leadsOn?: (page: Page) => Locator][] = [
  ['overview', (page) => page.getByText('Page views')],
  ['playground?compare=1&visitor2=chloe&kind2=user', (page) => page.getByText('One column')],
  ['configurations', (page) => page.getByRole('link', { name: 'watch' })],
  ['configurations?view=calendar', (page) => page.getByText('No schedules this month')],
  ['configurations/shop?panel=json', (page) => page.getByLabel('Rule set JSON')],
  ['configurations/home/simulation', (page) => page.getByText('No simulation yet')],
  ['search?q=trial shoes', (page) => page.getByRole('heading', { name: 'Query interpretation' })],
  ['metrics?metric=pageviews&by=page_type', (page) => page.getByRole('columnheader', { name: 'Peak' })],
  ['experiments', (page) => page.getByText('Not enough devices for an interval yet')],
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
    (page) => page.getByRole('row').getByRole('link').last(),
  ],
  ['search?q=shoes&facets=1', (page) => page.getByRole('combobox', { name: 'brand' })],
  ['search?view=synonyms', (page) => page.getByText('No synonyms yet')],
  ['search?view=blocked', (page) => page.getByLabel('Words and phrases, one per line')],
  ['batches', (page) => page.getByText('No batch yet')],
  ['search?view=queries', (page) => page.getByText('Only without results')],
  ['configurations/home/versions', (page) => page.getByText('This is the first version')],
];

export function tellPages(house: House): void {
  test.serial('a browser whose language is no tag shows figures all the same', async (t) => {
    const { page, troubles, visit } = await house.open(t);
    await page.addInitScript(`Object.defineProperties(navigator, {
      language: { value: 'en-US@posix', configurable: true },
      languages: { value: ['en-US@posix'], configurable: true },
    })`);
    await visit('/demo/overview');
    await page.getByRole('img', { name: 'Events per hour' }).waitFor();
    t.deepEqual(troubles, []);
  });

  test.serial('in the colours of who chose their own it is seen what is chosen', async (t) => {
    const { page, goTo } = house.guest;
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
      `${path}${leadsOn ? ' and on' : ''}: no barrier in either theme, no complaint, nobody else asked, from 390 to 2560 px`,
      async (t) => {
        const { page, troubles, goTo } = house.guest;
        await page.emulateMedia({ colorScheme: 'light' });
        await page.setViewportSize({ width: 1280, height: 900 });
        if (path === 'models') await house.learnt();
        await goTo(`/demo/${path}`);
        await leadsOn?.(page).click();
        await landmark(page).waitFor();
        await settleIn(page, 'light');
        t.deepEqual(await findBarriers(page), [], 'light');
        await page.emulateMedia({ colorScheme: 'dark' });
        await settleIn(page, 'dark');
        t.deepEqual(await findBarriers(page, 'contrast'), [], 'dark');
        for (const width of [390, 2560]) {
          await page.setViewportSize({ width, height: 900 });
          t.is(await overflowOf(page), 0, `${width} px`);
        }
        t.deepEqual(troubles, []);
      },
    );
  }
}
