/** What configurations do to searches. */

import test from 'ava';
import { findBarriers } from '../support/browser.ts';
import type { House } from '../support/house.ts';

export function tellSteering(house: House): void {
  test.serial(
    'a merchandiser pins, hides, redirects and shows a banner for a query without JSON, and sees it before and after',
    async (t) => {
      const { page, troubles, goTo } = house.guest;
      await goTo('/demo/configurations/boot-days');
      await page.getByText('Searches', { exact: true }).click();
      await page.getByRole('button', { name: 'Add a query' }).click();
      await page.getByRole('textbox', { name: 'Query', exact: true }).fill('boots');
      const pick = async (label: string, typed: string) => {
        await page.getByLabel(label).fill(typed);
        await page
          .getByRole('option', { name: new RegExp(typed, 'i') })
          .first()
          .click();
      };
      await pick('Pin an item', 'carbon-soled road shoes');
      await page.getByRole('button', { name: 'Take out Carbon-soled road shoes' }).waitFor();
      await pick('Hide an item', 'Leather trail boots, resoleable');
      await page.getByLabel('Send to another page').fill('/boots');
      await page.getByRole('button', { name: 'Add a banner' }).click();
      await page.getByLabel('Value of text').fill('Boot days');
      const does = page.getByRole('region', { name: 'What configurations do' });
      await does.getByText('Boot days').waitFor();
      await page.getByText('The draft steers this search').waitFor();
      await page.getByRole('button', { name: /^1 .*Carbon-soled road shoes/ }).waitFor();
      t.deepEqual(await findBarriers(page), []);
      await page.getByRole('button', { name: 'Publish' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
      await page.getByText('In force · version 1').waitFor();

      await goTo('/demo/search?q=boots');
      await does.getByText('/boots').waitFor();
      await does.getByRole('link', { name: 'boot-days' }).waitFor();
      await page.getByRole('img', { name: 'Pinned by boot-days' }).waitFor();
      t.is(await page.getByRole('button', { name: /^\d+ .*Leather trail boots, resoleable/ }).count(), 0);
      t.deepEqual(await findBarriers(page), []);
      t.deepEqual(
        troubles.filter((trouble) => !trouble.includes('status of 400')),
        [],
      );
    },
  );
}
