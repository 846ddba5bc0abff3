/** Lists for many people. */

import { readFile } from 'node:fs/promises';
import test from 'ava';
import { findBarriers } from '../support/browser.ts';
import type { House } from '../support/house.ts';

export function tellBatches(house: House): void {
  tellFile(house);
  tellEnd(house);
}

/** So many lists for so many people take minutes on any machine; the story ends them after seconds. */
const manyPeople = Array.from({ length: 50_000 }, (_, i) => `batched-${i}`);
const manyLists = Array.from({ length: 20 }, (_, i) => ({
  configuration_id: 'home',
  list_name: `list ${i}`,
  list_size: 50,
}));

function tellEnd(house: House): void {
  test.serial(
    'a batch that is under way is cancelled, after it was asked whether it should be',
    async (t) => {
      const { page, troubles, goTo } = house.guest;
      const asked = { user_ids: manyPeople, page_type: 'email', lists: manyLists };
      const answer = await house.send('POST', '/demo/batches', asked);
      const { batch_id: batchId } = (await answer.json()) as { batch_id: string };
      await goTo(`/demo/batches/${batchId}`);
      await page.getByRole('button', { name: 'Cancel' }).click();
      const dialog = page.getByRole('dialog', { name: 'Cancel this batch?' });
      await dialog.getByText('No more lists are created').waitFor();
      t.deepEqual(await findBarriers(page), []);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('Cancelled', { exact: true }).waitFor();
      await dialog.waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
      await page.getByRole('link', { name: 'Batches' }).last().click();
      await page.getByRole('row').filter({ hasText: 'Cancelled' }).waitFor();
      t.deepEqual(troubles, []);
    },
  );
}

function tellFile(house: House): void {
  test.serial('a batch is asked for, looked at, taken as a file, and asked for again', async (t) => {
    const { page, troubles, goTo } = house.guest;
    await goTo('/demo/batches/new?who=users');
    await page.getByLabel('IDs, one per line').fill('anna\n"bob"\nanna');
    await page.getByText('2 IDs').waitFor();
    const start = page.getByRole('button', { name: 'Create batch' });
    t.true(await start.isDisabled());
    await page.getByRole('button', { name: 'Add a list' }).click();
    await page.getByRole('combobox', { name: 'Rule set' }).fill('home');
    await page.keyboard.press('Escape');
    t.deepEqual(await findBarriers(page), []);
    await start.click();
    await page.getByText('Done', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'First people' }).getByRole('link', { name: 'bob' }).waitFor();
    t.deepEqual(await findBarriers(page), []);
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'CSV' }).click();
    const [names, ...lines] = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
    t.regex(names, /^offset,user_id,/);
    t.deepEqual([...new Set(lines.map((line) => line.split(',')[1]))], ['anna', 'bob']);
    await page.getByRole('link', { name: 'Duplicate' }).click();
    t.is(await page.getByRole('combobox', { name: 'Rule set' }).inputValue(), 'home');
    t.deepEqual(troubles, []);
  });
}
