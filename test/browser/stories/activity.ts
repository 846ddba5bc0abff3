/** Activity of colleagues, on its page and on the overview. */

import test from 'ava';
import { findViolations, overflowOf, waitForTheme } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testActivity(fixture: Fixture): void {
  test.serial('activity names people and what they changed, with links and filters', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    t.teardown(() => page.emulateMedia({ colorScheme: 'light' }));
    await fixture.send('PUT', '/demo/pages/of-activity', {
      rows: [{ list_name: 'new', configuration_id: 'home' }],
    });
    await fixture.send('DELETE', '/demo/pages/of-activity');
    await fixture.send('PUT', '/configurations/of-activity', { environments: ['demo'] });
    await fixture.send('DELETE', '/configurations/of-activity');
    await goTo('/demo/overview');
    const recent = page.getByRole('region', { name: 'Recent activity' });
    await recent.getByText('admin deleted rule set of-activity').waitFor();
    await recent.getByRole('link', { name: 'All activity' }).click();
    const row = page.getByRole('row').filter({ hasText: 'admin published rule set of-activity' });
    await row.waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Items' }).click();
    await row.waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Pages' }).click();
    await page.getByText('admin deleted page of-activity').waitFor();
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Items' }).click();
    await page.getByText('admin deleted page of-activity').waitFor({ state: 'detached' });
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Rule sets' }).click();
    await page.getByRole('combobox', { name: 'Person' }).click();
    await page.getByRole('option', { name: 'admin' }).click();
    await row.waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await waitForTheme(page, 'dark');
    t.is(await overflowOf(page), 0);
    t.deepEqual(await findViolations(page), []);
    await page.setViewportSize({ width: 1280, height: 800 });
    await row.getByRole('link', { name: 'of-activity' }).click();
    await page.waitForURL('**/demo/configurations/of-activity');
    t.deepEqual(troubles, []);
  });
}
