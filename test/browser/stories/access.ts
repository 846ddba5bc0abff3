/** Clients and write keys. */

import test from 'ava';
import { findViolations } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testAccess(fixture: Fixture): void {
  test.serial('a write key is created, sends events from its origin, and is disabled', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    await goTo('/demo/access');
    await page.getByRole('button', { name: 'New client' }).click();
    const dialog = page.getByRole('dialog', { name: 'New client' });
    await dialog.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'A web page, with a public write key' }).click();
    await dialog.getByLabel('Name').fill('Window of spring');
    const make = dialog.getByRole('button', { name: 'Create' });
    t.true(await make.isDisabled());
    await dialog.getByLabel('Allowed origins').fill('https://window.example');
    await page.keyboard.press('Enter');
    await make.click();
    await dialog.getByText('The key is public').waitFor();
    t.deepEqual(await findViolations(page), []);
    const key = /wk_[0-9a-f]+/.exec((await dialog.textContent()) ?? '')?.[0];
    const send = (origin: string) =>
      fetch(`${fixture.service.baseUrl}/demo/events?write_key=${key}`, {
        method: 'POST',
        headers: { origin, 'content-type': 'application/json' },
        body: JSON.stringify({ events: [{ event_type: 'page_visit', device_id: 'w', page_type: 'home' }] }),
      });
    t.is((await send('https://window.example')).status, 200);
    t.is((await send('https://elsewhere.example')).status, 403);
    await dialog.getByRole('button', { name: 'Done' }).click();

    const row = page.getByRole('row').filter({ hasText: 'Window of spring' });
    await row.getByRole('cell', { name: /^write key/ }).waitFor();
    const lacking = page.getByRole('dialog').getByRole('alert');
    await row.getByRole('button', { name: 'Disable' }).click();
    let isAway = true;
    t.teardown(() => page.unrouteAll());
    await page.route('**/*DisableClient', (route) => (isAway ? route.abort() : route.continue()));
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await lacking.getByText('The service cannot be reached').waitFor();
    isAway = false;
    troubles.length = 0;
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    await row.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByText('cannot be enabled again').waitFor();
    t.is(await lacking.count(), 0);
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await row.getByText(/^disabled/).waitFor();
    t.is(await row.getByRole('button', { name: 'Disable' }).count(), 0);
    t.deepEqual(troubles, []);
  });
  testCopying(fixture);
  test.serial('loads and disables clients after the first hundred', async (t) => {
    const { page, troubles, goTo } = await fixture.fresh(t);
    const { pool } = fixture.service.database;
    t.teardown(() => pool.query(`delete from clients where client_id like 'wk_many%'`));
    await pool.query(
      `insert into clients (client_id, kind, name, scopes, origins)
       select 'wk_many' || number, 'write_key', 'Shop window ' || number, '{events:demo}', '{https://window.example}'
       from generate_series(101, 210) as number`,
    );
    await goTo('/demo/access');
    const last = page.getByRole('row').filter({ hasText: 'Shop window 210' });
    await page.getByRole('row').filter({ hasText: 'Shop window 101' }).waitFor();
    t.is(await last.count(), 0);
    await page.getByRole('button', { name: 'Load more' }).click();
    await last.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
    await last.getByText(/^disabled/).waitFor();
    t.deepEqual(troubles, []);
  });
}

function testCopying(fixture: Fixture): void {
  test.serial('copies text on pages served over plain HTTP', async (t) => {
    const { page, troubles, visit } = await fixture.open(t);
    /** Browsers have no clipboard API there. */
    await page.addInitScript(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await visit('/demo/access');
    await page.getByRole('button', { name: 'New client' }).click();
    const dialog = page.getByRole('dialog', { name: 'New client' });
    await dialog.getByRole('combobox', { name: 'Permissions' }).click();
    await page.getByRole('option').first().click();
    await dialog.getByLabel('Name').fill('Shop server');
    await dialog.getByRole('button', { name: 'Create' }).click();
    const shown = await dialog.getByRole('region', { name: 'credentials' }).textContent();
    const copy = dialog.getByRole('button', { name: 'Copy credentials' });
    await copy.click();
    await dialog.getByRole('button', { name: 'Copied' }).waitFor();
    await copy.waitFor();
    t.is(await dialog.locator(':focus').getAttribute('aria-label'), 'Copy credentials');
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.evaluate(`document.body.append(document.createElement('textarea'))`);
    const pasted = page.locator('body > textarea');
    await pasted.focus();
    await page.keyboard.press('ControlOrMeta+V');
    t.is((await pasted.inputValue()).trim(), shown!.trim());
    t.deepEqual(troubles, []);
  });
}
