/**
 * Pages look as they did, at three widths. `KEEP_PICTURES=1 npm test -- test/browser/console.test.ts` keeps what they
 * look like now; the difference is then seen by whoever reviews the change.
 */

import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import type { Page } from 'playwright-core';
import { settleIn } from '../support/browser.ts';
import type { House } from '../support/house.ts';
import { differenceOf, takePicture } from '../support/likeness.ts';

const folder = join(import.meta.dirname, '../pictures');

/** Ids make 0.002 from run to run; a page that is moved by 24 pixels, or another page, 0.64 and more. */
const tolerance = 0.3;

const sizes = [
  [390, 844],
  [1280, 800],
  [2560, 1200],
] as const;

/** Pages whose parts stand where they stand whatever the hour is: no table whose columns follow the words for an age. */
const pictured: [name: string, path: string, landmark: (page: Page) => ReturnType<Page['getByText']>][] = [
  ['catalogue', 'catalogue', (page) => page.getByText('400 found')],
  ['new-audience', 'audiences/new', (page) => page.getByText('Add at least one item')],
  ['import', 'catalogue/import', (page) => page.getByRole('button', { name: 'Choose a file' })],
];

export function tellPictures(house: House): void {
  for (const [name, path, landmark] of pictured)
    test.serial(`${path} looks as it did, at 390, 1280 and 2560 px`, async (t) => {
      const { page, goTo } = house.guest;
      await page.emulateMedia({ colorScheme: 'light' });
      await goTo(`/demo/${path}`);
      await landmark(page).waitFor();
      await settleIn(page, 'light');
      for (const [width, height] of sizes) {
        await page.setViewportSize({ width, height });
        await settleIn(page, 'light');
        const file = join(folder, `${name}-${width}.jpg`);
        const picture = await takePicture(page, house.desk);
        if (process.env.KEEP_PICTURES) {
          await mkdir(folder, { recursive: true });
          await writeFile(file, picture);
        }
        const difference = await differenceOf(house.desk, picture, await readFile(file));
        t.true(difference <= tolerance, `${width} px: ${(100 * difference).toFixed(1)} % differ`);
      }
      await page.setViewportSize({ width: 1280, height: 900 });
    });
}
