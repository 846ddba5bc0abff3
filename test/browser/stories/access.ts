/** Keys that are handed out, and taken back. */

import test from 'ava';
import { findBarriers } from '../support/browser.ts';
import type { House } from '../support/house.ts';

export function tellAccess(house: House): void {
  test.serial(
    'a write key is made for a page, sends events from there, and is revoked for good',
    async (t) => {
      const { page, troubles, goTo } = house.guest;
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
      t.deepEqual(await findBarriers(page), []);
      const key = /wk_[0-9a-f]+/.exec((await dialog.textContent()) ?? '')?.[0];
      const send = (origin: string) =>
        fetch(`${house.service.baseUrl}/demo/events?write_key=${key}`, {
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
      t.deepEqual(await findBarriers(page), []);
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click();
      await row.getByText(/^disabled/).waitFor();
      t.is(await row.getByRole('button', { name: 'Disable' }).count(), 0);
      t.deepEqual(troubles, []);
    },
  );
  tellCopying(house);
  test.serial('clients behind the first hundred are shown and disabled, too', async (t) => {
    const { page, troubles, goTo } = await house.newcomer(t);
    const { pool } = house.service.database;
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

function tellCopying(house: House): void {
  test.serial('what a page shows can be copied where it came over plain HTTP', async (t) => {
    const { page, troubles, visit } = await house.open(t);
    /** There browsers have none. */
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
