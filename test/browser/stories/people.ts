/** Stored data of people, and the record of changes. */

import { readFile } from 'node:fs/promises';
import test from 'ava';
import { findViolations } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testPeople(fixture: Fixture): void {
  testDeletion(fixture);
  testChanges(fixture);
}

function testDeletion(fixture: Fixture): void {
  test.serial('exports and deletes a user, with a receipt', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    const event = {
      event_type: 'page_visit',
      user_id: 'console-user',
      device_id: 'console-device',
      page_type: 'home',
    };
    await fixture.send('POST', '/demo/events', { events: [event] });
    await goTo('/demo/people');
    await page.getByLabel('ID').fill('console-user');
    await page.keyboard.press('Enter');
    await page.getByText('1 event', { exact: true }).waitFor();
    await page.getByText('console-device').waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
    t.like(JSON.parse(lines.at(-1)!), { record: 'event', event });
    await page.getByRole('button', { name: 'Delete …' }).click();
    const remove = page.getByRole('button', { name: 'Delete permanently' });
    t.true(await remove.isDisabled());
    t.deepEqual(await findViolations(page), []);
    await page.getByLabel('Type the ID to confirm').fill('console-user');
    await remove.click();
    await page.getByText('events 1').waitFor();
    await page.reload();
    await page.getByText('No stored data').waitFor();
    t.deepEqual(
      troubles.filter((trouble) => !trouble.includes('404')),
      [],
    );
  });
}

function testChanges(fixture: Fixture): void {
  test.serial('finds changes by resource, with the content before and after', async (t) => {
    const { page, goTo } = fixture.shared;
    const put = (title: string) =>
      fixture.send('PUT', '/configurations/audited', {
        constraints: [{ query: { key: 'title', match: title } }],
      });
    await put('former');
    await put('latter');
    await goTo('/demo/access');
    await page.getByText('Changes', { exact: true }).click();
    await page.getByLabel('Resource').fill('configurations/audited');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Details' }).nth(1).waitFor();
    t.is(await page.getByRole('button', { name: 'Details' }).count(), 2);
    await page.getByRole('button', { name: 'Details' }).first().click();
    await page.getByText('"former"').waitFor();
    await page.getByText('"latter"').waitFor();
  });
}
