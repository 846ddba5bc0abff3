/** Stored pages: composed by picking or as JSON, previewed, guarded against others, and deleted. */

import test from 'ava';
import { findViolations, overflowOf, waitForTheme } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';
import { openAs } from './rights.ts';

type Stored = { title: string; rows: { list_name: string; pinned?: number; order?: string }[] };

export function testStoredPages(fixture: Fixture): void {
  testComposing(fixture);
  testOthers(fixture);
}

function testComposing(fixture: Fixture): void {
  const stored = async () => (await (await fixture.send('GET', '/demo/pages/start')).json()) as Stored;

  test.serial('a page is composed, previewed for a visitor, changed and deleted', async (t) => {
    const { page, troubles, goTo } = await fixture.fresh(t);
    t.teardown(() => fixture.send('DELETE', '/demo/pages/start'));
    /** First of all rule sets, which new rows take. */
    await fixture.send('PUT', '/configurations/0-plain', { constraints: [] });
    t.teardown(() => fixture.send('DELETE', '/configurations/0-plain'));
    t.teardown(() => page.emulateMedia({ colorScheme: 'light' }));
    await goTo('/demo/pages');
    await page.getByText('No page yet').waitFor();
    await page.getByRole('link', { name: 'New page' }).click();
    await page.getByLabel('ID', { exact: true }).fill('start');
    await page.getByLabel('Internal title').fill('Start page');
    for (const content of ['Trending items', 'Favourite categories', 'Newest items']) {
      await page.getByRole('button', { name: 'Add a row' }).click();
      await page.getByRole('menuitem', { name: content }).click();
    }
    const preview = page.getByRole('region', { name: 'Preview' });
    await preview.getByRole('region', { name: 'Trending' }).getByRole('link').nth(2).waitFor();
    await preview
      .getByRole('region', { name: /^Best of / })
      .first()
      .waitFor();
    await page.getByLabel('Position', { exact: true }).fill('1');
    await page.getByRole('button', { name: 'Move the row up' }).click();
    await preview.getByRole('region').first().getByRole('heading', { name: 'New', exact: true }).waitFor();
    await preview.getByText('User', { exact: true }).click();
    await preview.getByLabel('User ID').fill('anna');
    await preview.getByRole('region', { name: 'Trending' }).waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.waitForURL('**/demo/pages/start');
    await page.getByRole('heading', { level: 1, name: 'Start page' }).waitFor();
    const { title, rows } = await stored();
    t.is(title, 'Start page');
    t.deepEqual(
      rows.map(({ list_name: name, pinned }) => [name, pinned]),
      [
        ['trending', undefined],
        ['new', 1],
        ['categories', undefined],
      ],
    );
    await page.setViewportSize({ width: 390, height: 800 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await waitForTheme(page, 'dark');
    t.is(await overflowOf(page), 0);
    t.deepEqual(await findViolations(page), []);
    await page.setViewportSize({ width: 1280, height: 900 });

    const json = page.getByLabel('Page JSON');
    await json.fill('{ "rows": [{ "list_name": "new" }] }');
    await page.getByText('Complete the rows to see them.').waitFor();
    t.true(await page.getByRole('button', { name: 'Save' }).isDisabled());
    await page.getByRole('navigation').getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('dialog', { name: 'Leave without saving?' }).getByText('Stay').click();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Delete Start page?' });
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No page yet').waitFor();
    t.deepEqual(troubles, []);
  });
}

function testOthers(fixture: Fixture): void {
  test.serial(
    'a page that another user saves meanwhile is not overwritten unseen; viewers only look',
    async (t) => {
      const rows = [{ list_name: 'new', configuration_id: 'home', order: 'newest', title: 'New' }];
      await fixture.send('PUT', '/demo/pages/shared', { rows });
      t.teardown(() => fixture.send('DELETE', '/demo/pages/shared'));
      const { page, goTo } = fixture.shared;
      await goTo('/demo/pages/shared');
      await page.getByLabel('Internal title').fill('Mine');
      await fixture.send('PUT', '/demo/pages/shared', { title: 'Theirs', rows });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Another user has saved this page since you started').waitFor();
      await page.getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('heading', { level: 1, name: 'Theirs' }).waitFor();

      const viewer = await openAs(t, fixture, ['viewer:demo']);
      await viewer.visit('/demo/pages');
      await viewer.page.getByRole('link', { name: 'Theirs' }).click();
      await viewer.page.getByRole('cell', { name: 'home' }).waitFor();
      await viewer.page.getByRole('region', { name: 'Preview' }).getByRole('link').first().waitFor();
      t.is(await viewer.page.getByRole('button', { name: /^(Save|Delete|Add)/ }).count(), 0);
      t.deepEqual(await findViolations(viewer.page), []);
      t.deepEqual(viewer.refusals, []);
    },
  );
}
