/** Experiments: from the form to the conclusion. */

import test from 'ava';
import { findViolations, overflowOf, waitForTheme } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testExperiments(fixture: Fixture): void {
  test.serial('an experiment is planned, started, ramped, read, concluded and archived', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    t.teardown(() => page.emulateMedia({ colorScheme: 'light' }));
    await goTo('/demo/experiments');
    await page.getByRole('row', { name: /more-trends Stopped/ }).waitFor();
    await page.getByRole('link', { name: 'New experiment' }).click();
    const save = page.getByRole('button', { name: 'Save draft' });
    t.true(await save.isDisabled());
    await page.getByText('Enter an ID of letters').waitFor();
    await page.getByLabel('ID', { exact: true }).fill('home-new-items');
    await page.getByLabel('Expected effect').fill('New items raise clicks.');
    const variant = page.getByRole('group', { name: 'Variant 1' });
    await variant.getByLabel('Name').fill('fresh');
    await variant.getByRole('combobox', { name: 'Add a rule set' }).click();
    await page.getByRole('option', { name: 'home', exact: true }).click();
    await variant.getByRole('combobox', { name: 'home', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Add a guardrail' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^(Needs|Not enough data)/ })
      .waitFor();
    t.deepEqual(await findViolations(page), []);
    await save.click();

    await page.getByText('Not started.').waitFor();
    await page.getByRole('cell', { name: 'home version 1' }).waitFor();
    const answer = async (name: string, confirm = name) => {
      await page.getByRole('button', { name, exact: true }).click();
      const dialog = page.getByRole('dialog', { name: `${name}: home-new-items` });
      await dialog.waitFor();
      if (name === 'Change traffic') await dialog.getByLabel('Traffic (%)').fill('40');
      if (name === 'Publish the winner') {
        await dialog.getByRole('combobox', { name: 'Winner' }).click();
        await page.getByRole('option', { name: 'fresh' }).click();
      }
      await dialog.getByRole('button', { name: confirm, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await answer('Start');
    await page.getByText('Running with 100% of the traffic').waitFor();
    await page.getByText('Not enough devices for an interval yet').waitFor();
    await answer('Change traffic');
    await page.getByText('Running with 40% of the traffic').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.emulateMedia({ colorScheme: 'dark' });
    await waitForTheme(page, 'dark');
    t.deepEqual(await findViolations(page, 'contrast'), []);
    await answer('Publish the winner');
    await page.getByText('Winner: fresh.').waitFor();
    await goTo('/demo/experiments');
    await page.getByRole('row', { name: /home-new-items Concluded/ }).waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.setViewportSize({ width: 390, height: 900 });
    t.is(await overflowOf(page), 0);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('link', { name: 'home-new-items' }).click();
    await answer('Archive');
    await answer('Delete');
    await page.getByRole('row', { name: /more-trends Stopped/ }).waitFor();
    t.deepEqual(troubles, []);
  });
}
