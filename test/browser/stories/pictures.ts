/**
 * Pages look as in the stored pictures, at three widths. `KEEP_PICTURES=1 npm test -- test/browser/console.test.ts` keeps what they
 * look like now, so that a reviewer sees the difference.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { Locator, Page } from 'playwright-core';
import { waitForTheme } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';
import { differenceOf, takePicture } from '../support/likeness.ts';

const folder = join(import.meta.dirname, '../pictures');

/** IDs differ by 0.002 from run to run, trainings by 0.05; a page moved by 24 pixels, or another page, by 0.64 and more. */
const tolerance = 0.2;

const sizes = [
  [390, 844],
  [1280, 800],
  [1920, 1080],
] as const;

type Pictured = {
  name: string;
  path: string;
  /** Link to the tested page. */
  leadsOn?: (page: Page) => Locator;
  landmark(page: Page): Locator;
  /** Selector of parts that change from run to run. */
  live?: string;
};

/** Pages with a stable layout: no tables whose column widths depend on ages. */
const pictured: Pictured[] = [
  { name: 'catalogue', path: 'catalogue', landmark: (page) => page.getByText('400 found') },
  {
    name: 'new-audience',
    path: 'audiences/new',
    landmark: (page) => page.getByRole('combobox', { name: 'Restrict by rule set', disabled: false }),
  },
  {
    name: 'import',
    path: 'catalogue/import',
    landmark: (page) => page.getByRole('button', { name: 'Choose a file' }),
  },
  {
    name: 'training',
    path: 'models',
    leadsOn: (page) => page.getByRole('row').getByRole('link').first(),
    landmark: (page) => page.getByRole('heading', { name: 'Model mix' }),
    live: 'main :is(tbody, .numbers, p)',
  },
  {
    name: 'synonyms',
    path: 'search?view=synonyms',
    landmark: (page) => page.getByText('No synonyms yet'),
  },
  { name: 'batches', path: 'batches', landmark: (page) => page.getByText('No batch yet') },
  {
    name: 'new-page',
    path: 'pages?new=1',
    landmark: (page) => page.getByText('Add a row to see it.'),
  },
  {
    name: 'new-experiment',
    path: 'experiments/new',
    landmark: (page) => page.getByRole('button', { name: 'Add a variant' }),
  },
  { name: 'webhooks', path: 'webhooks', landmark: (page) => page.getByText('No webhook yet') },
  { name: 'team', path: 'team', landmark: (page) => page.getByText('Nobody is invited yet') },
  {
    name: 'new-batch',
    path: 'batches/new?who=users',
    landmark: (page) => page.getByRole('button', { name: 'Add a list' }),
  },
  {
    name: 'search-configuration',
    path: 'configurations/pictured',
    landmark: (page) => page.getByText('The draft applies to this search'),
    live: 'main :is(ol, ul)',
  },
];

/** A rule set with all parts of the form. */
const steering = {
  constraints: [{ query: { key: 'in_stock', match: true } }],
  search: {
    environments: ['demo'],
    when: { queries: [{ contains: 'picnic' }] },
    pins: [{ item_type: 'item', item_id: 'leather-trail-boots-resoleable', rank: 1 }],
    redirect: '/picnic',
    promoted_content: [{ text: 'Picnic days' }],
  },
};

export function testPictures(fixture: Fixture): void {
  test.serial('creates a rule set of searches for the pictures', async (t) => {
    t.true((await fixture.send('PUT', '/configurations/pictured', steering)).ok);
  });
  for (const { name, path, leadsOn, landmark, live } of pictured)
    test.serial(`${name} looks as it did, at 390, 1280 and 1920 px`, async (t) => {
      const { page, goTo } = fixture.shared;
      await page.emulateMedia({ colorScheme: 'light' });
      await goTo(`/demo/${path}`);
      await leadsOn?.(page).click();
      await landmark(page).waitFor();
      await waitForTheme(page, 'light');
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height });
        await waitForTheme(page, 'light');
        const file = join(folder, `${name}-${width}.jpg`);
        const picture = await takePicture(
          page,
          fixture.blank,
          live === undefined ? undefined : page.locator(live),
        );
        if (process.env.KEEP_PICTURES) {
          await mkdir(folder, { recursive: true });
          await writeFile(file, picture);
        }
        const difference = await differenceOf(fixture.blank, picture, await readFile(file));
        t.true(difference <= tolerance, `${width} px: ${(100 * difference).toFixed(1)} % differ`);
      }
      await page.setViewportSize({ width: 1280, height: 900 });
    });
}
