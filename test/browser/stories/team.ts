/** People: invitation, password, and what a viewer sees. */

import test from 'ava';
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
      await page.getByRole('button', { name: 'Account Vera Viewer' }).waitFor();

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
