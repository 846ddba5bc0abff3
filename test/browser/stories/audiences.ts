/** Whom to reach with a promotion. */

import { readFile } from 'node:fs/promises';
import test from 'ava';
import { findBarriers } from '../support/browser.ts';
import type { House } from '../support/house.ts';

export function tellAudiences(house: House): void {
  test.serial(
    'an audience is defined, computed, explained, exported with whom is held out, and found again',
    async (t) => {
      const { page, troubles, visit } = house.guest;
      troubles.length = 0;
      await visit('/demo/audiences');
      await page.getByText('No audience yet').waitFor();
      await page.getByRole('link', { name: 'New audience' }).click();
      await page.getByLabel('Add an item').fill('leather trail boots');
      await page
        .getByRole('option', { name: /Leather trail boots/ })
        .first()
        .click();
      await page.getByRole('button', { name: /Take out Leather trail boots/ }).waitFor();
      await page.getByLabel('Hold out').fill('20');
      await page.getByLabel('Name').fill('Boots of spring');
      await page.keyboard.press('Tab');
      t.deepEqual(await findBarriers(page), []);
      await page.getByRole('button', { name: 'Compute' }).click();
      const people = page.getByRole('region', { name: 'The most interested' }).getByRole('listitem');
      await people.first().waitFor();
      await people.first().getByRole('button').click();
      /** Whoever is before them may be held out, or come in since. */
      await page.getByText(/^Now at place \d+,/).waitFor();
      t.deepEqual(await findBarriers(page), []);
      const linesOf = async (button: string) => {
        const download = page.waitForEvent('download');
        await page.getByRole('button', { name: button, exact: true }).click();
        return (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n').slice(1);
      };
      const [inside, outside] = [await linesOf('Export'), await linesOf('Export held out')];
      t.true(inside.length > outside.length && outside.length > 0);
      t.deepEqual(
        inside.filter((line) => outside.includes(line)),
        [],
      );
      await page.getByRole('link', { name: 'Audiences' }).last().click();
      await page.getByRole('link', { name: 'Boots of spring' }).waitFor();
      t.deepEqual(troubles, []);
    },
  );
}
