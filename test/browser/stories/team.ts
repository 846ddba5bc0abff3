/** People: invitation, password, and what a viewer sees. */

import test, { type ExecutionContext } from 'ava';
import { TOTP } from 'otpauth';
import type { Page } from 'playwright-core';
import { findViolations } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

const password = 'correct horse battery';

export function testTeam(fixture: Fixture): void {
  test.serial(
    'an invited viewer sets a password, reads pages without buttons to edit, and is removed',
    async (t) => {
      const admin = await fixture.open(t);
      await admin.visit('/demo/team');
      await admin.page.getByRole('button', { name: 'Invite' }).click();
      const form = admin.page.getByRole('dialog', { name: 'Invite a person' });
      await form.getByLabel('Name').fill('Vera Viewer');
      await form.getByLabel('E-mail address').fill('vera@shop.example');
      t.deepEqual(await findViolations(admin.page), []);
      await form.getByRole('button', { name: 'Invite' }).click();
      const link = admin.page.getByRole('dialog', { name: 'Link to pass on' });
      const address = ((await link.getByRole('region', { name: 'link' }).textContent()) ?? '').match(
        /http\S+/,
      )![0];
      t.deepEqual(await findViolations(admin.page), []);
      await link.getByRole('button', { name: 'Done' }).click();
      await admin.page
        .getByRole('row')
        .filter({ hasText: 'Vera Viewer' })
        .getByText('viewer in demo')
        .waitFor();

      const viewer = await fixture.fresh(t, { signsIn: false });
      const { page } = viewer;
      await page.goto(address);
      await page.getByRole('heading', { name: 'Set your password' }).waitFor();
      t.deepEqual(await findViolations(page), []);
      await page.getByLabel('New password').fill(password);
      await page.getByRole('button', { name: 'Set password and sign in' }).click();
      await page.getByRole('button', { name: 'Account Vera Viewer' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await page.getByLabel('E-mail address').fill('vera@shop.example');
      await page.getByLabel('Password').first().fill(password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await changeAccess(t, page);

      await viewer.visit('/demo/configurations');
      await page.getByText('View only. To change rule sets in demo, you need the role editor.').waitFor();
      await page.getByRole('link', { name: 'watch' }).waitFor();
      t.is(await page.getByRole('button', { name: /New rule set|Actions for/ }).count(), 0);
      t.deepEqual(await findViolations(page), []);
      await viewer.visit('/demo/configurations/shop');
      await page.getByRole('tab', { name: 'Versions' }).waitFor();
      t.is(await page.getByRole('button', { name: /Publish|Discard|Undo/ }).count(), 0);
      await viewer.visit('/demo/catalogue');
      await page.getByText('View only. To change catalogue in demo').waitFor();
      t.is(await page.getByRole('link', { name: 'Import' }).count(), 0);
      t.is(
        await page
          .getByRole('navigation')
          .getByRole('link', { name: /Team|Access|People/ })
          .count(),
        0,
      );

      const row = admin.page.getByRole('row').filter({ hasText: 'Vera Viewer' });
      await row.getByRole('button', { name: 'Remove' }).click();
      await admin.page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await row.waitFor({ state: 'detached' });
      t.deepEqual(admin.troubles, []);
    },
  );
}

/** Changes the password, sets up a second factor, and signs in with both. */
async function changeAccess(t: ExecutionContext, page: Page): Promise<void> {
  const account = page.getByRole('button', { name: 'Account Vera Viewer' });
  await account.click();
  await page.getByRole('menuitem', { name: 'Your account' }).click();
  const own = page.getByRole('dialog', { name: 'Your account' });
  const present = own.getByLabel(/^Password/).first();
  const renewed = `${password} staple`;
  await present.fill(`${password}!`);
  await own.getByLabel('New password').fill(renewed);
  await own.getByRole('button', { name: 'Change password' }).click();
  await own.getByRole('alert').getByText('Wrong password.').waitFor();
  t.deepEqual(await findViolations(page), []);
  await present.fill(password);
  await own.getByRole('button', { name: 'Change password' }).click();
  await page.getByText('Password changed.').waitFor();
  const recovery = await setUpSecondFactor(t, page, renewed);
  await page.reload();
  await account.click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByLabel('E-mail address').fill('vera@shop.example');
  await page.getByLabel('Password').first().fill(renewed);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Code').fill('000000');
  t.deepEqual(await findViolations(page), []);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('alert').getByText('Wrong e-mail address, password or code.').waitFor();
  await page.getByLabel('Code').fill(recovery);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await account.waitFor();
}

/** Returns a recovery code. */
async function setUpSecondFactor(t: ExecutionContext, page: Page, secret: string): Promise<string> {
  const own = page.getByRole('dialog', { name: 'Your account' });
  await own.getByRole('button', { name: 'Set up a second factor' }).click();
  await own.getByRole('img', { name: 'QR code of the key' }).waitFor();
  const key = ((await own.getByRole('region', { name: 'key' }).textContent()) ?? '').trim();
  await own
    .getByLabel(/^Password/)
    .last()
    .fill(secret);
  await own.getByLabel('Code').fill(new TOTP({ secret: key }).generate());
  t.deepEqual(await findViolations(page), []);
  await own.getByRole('button', { name: 'Confirm' }).click();
  const codes = (await own.getByRole('region', { name: 'recovery codes' }).textContent()) ?? '';
  await own.getByText('10 recovery codes are left.').waitFor();
  t.deepEqual(await findViolations(page), []);
  return codes.trim().split('\n')[0];
}
