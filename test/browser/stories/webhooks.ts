/** Webhooks: receivers of changes, and their deliveries. */

import test from 'ava';
import { findViolations, overflowOf, waitForTheme } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testWebhooks(fixture: Fixture): void {
  test.serial('a webhook is created, tested, edited, disabled, replayed and deleted', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    t.teardown(() => page.emulateMedia({ colorScheme: 'light' }));
    await goTo('/demo/webhooks');
    await page.getByText('No webhook yet').waitFor();
    await page.getByRole('button', { name: 'New webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address').fill('https://hooks.invalid/first');
    await dialog.getByRole('combobox', { name: 'Changes' }).click();
    await page.getByRole('option', { name: 'Batch ready' }).click();
    await page.keyboard.press('Tab');
    t.deepEqual(await findViolations(page), []);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('it is shown once').waitFor();
    t.regex((await dialog.getByRole('region', { name: 'secret' }).textContent())!, /^whsec_/);
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('link', { name: 'https://hooks.invalid/first' }).click();
    await page.getByText('Changes: Batch ready.').waitFor();

    await page.getByRole('button', { name: 'Send a test' }).click();
    await page.getByText('Test failed: ').waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Description').fill('Warehouse');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1 }).getByText('Warehouse').waitFor();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Active', { exact: true }).waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.emulateMedia({ colorScheme: 'dark' });
    await waitForTheme(page, 'dark');
    t.deepEqual(await findViolations(page, 'contrast'), []);
    await page.setViewportSize({ width: 390, height: 900 });
    t.is(await overflowOf(page), 0);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('button', { name: 'Replay' }).click();
    await dialog.getByRole('button', { name: 'Replay' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Rotate the secret' }).click();
    await dialog.getByRole('button', { name: 'Rotate the secret' }).click();
    await dialog.getByText('it is shown once').waitFor();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No webhook yet').waitFor();
    t.deepEqual(troubles, []);
  });
}
