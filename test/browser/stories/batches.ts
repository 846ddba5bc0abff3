/** Batches. */

import { readFile } from 'node:fs/promises';
import test from 'ava';
import { findViolations } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testBatches(fixture: Fixture): void {
  testFile(fixture);
  testEnd(fixture);
}

/** A batch of this size takes minutes on any machine; the story cancels it after seconds. */
const manyPeople = Array.from({ length: 50_000 }, (_, i) => `batched-${i}`);
const manyLists = Array.from({ length: 20 }, (_, i) => ({
  configuration_id: 'home',
  list_name: `list ${i}`,
  list_size: 50,
}));

function testEnd(fixture: Fixture): void {
  test.serial('cancels a running batch after confirmation', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    const asked = { user_ids: manyPeople, page_type: 'email', lists: manyLists };
    const answer = await fixture.send('POST', '/demo/batches', asked);
    const { batch_id: batchId } = (await answer.json()) as { batch_id: string };
    await goTo(`/demo/batches/${batchId}`);
    await page.getByRole('button', { name: 'Cancel' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel this batch?' });
    await dialog.getByText('No more lists are created').waitFor();
    t.deepEqual(await findViolations(page), []);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Cancelled', { exact: true }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel' }).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Batches' }).last().click();
    await page.getByRole('row').filter({ hasText: 'Cancelled' }).waitFor();
    t.deepEqual(troubles, []);
  });
}

function testFile(fixture: Fixture): void {
  test.serial('creates, checks, downloads and duplicates a batch', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    await goTo('/demo/batches/new?who=users');
    await page.getByLabel('IDs, one per line').fill('anna\n"bob"\nanna');
    await page.getByText('2 IDs').waitFor();
    const start = page.getByRole('button', { name: 'Create batch' });
    t.true(await start.isDisabled());
    await page.getByRole('button', { name: 'Add a list' }).click();
    await page.getByRole('combobox', { name: 'Rule set' }).fill('home');
    await page.keyboard.press('Escape');
    t.deepEqual(await findViolations(page), []);
    await start.click();
    await page.getByText('Done', { exact: true }).waitFor();
    await page.getByRole('region', { name: 'First people' }).getByRole('link', { name: 'bob' }).waitFor();
    t.deepEqual(await findViolations(page), []);
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
