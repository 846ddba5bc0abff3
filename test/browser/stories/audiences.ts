/** Audiences. */

import { readFile } from 'node:fs/promises';
import test from 'ava';
import type { Page } from 'playwright-core';
import { busy, findViolations } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

/** Returns the lines of the file that a button saves, without the header. */
async function exported(page: Page, button: string): Promise<string[]> {
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  return (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n').slice(1);
}

export function testAudiences(fixture: Fixture): void {
  testPromotion(fixture);
  testConfiguration(fixture);
  testSize(fixture);
  testDraft(fixture);
}

function testDraft(fixture: Fixture): void {
  test.serial('a duplicate of an audience keeps its exclusions', async (t) => {
    const { page, goTo } = fixture.shared;
    const item = 'item%2Fleather-trail-boots-resoleable';
    await goTo(`/demo/audiences/new?name=Drafted&items=${item}&mailed=30&hold=12.5`);
    const mailings = page.getByRole('combobox', { name: 'Campaigns to check' });
    await mailings.fill('spring');
    await mailings.press('Enter');
    await page.waitForURL(/mailings=spring/);
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Build audience' }).click();
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await mailings.waitFor();
    t.is(await page.getByLabel('Control group (%)').inputValue(), '12.5');
    t.is(await page.getByLabel('Not contacted in the last').inputValue(), '30');
    await page.getByText('spring', { exact: true }).waitFor();
    await page.getByLabel('Not contacted in the last').fill('0');
    await mailings.waitFor({ state: 'detached' });
  });
}

function testSize(fixture: Fixture): void {
  test.serial('the size of an audience can be emptied to type another value', async (t) => {
    const { page, goTo } = fixture.shared;
    await goTo('/demo/audiences/new');
    const size = page.getByLabel('Size');
    await size.click();
    await page.keyboard.press('End');
    for (const _ of '1000') await page.keyboard.press('Backspace');
    t.is(await size.inputValue(), '');
    await page.keyboard.type('50');
    await page.waitForURL(/size=50$/);
    await size.fill('');
    await size.blur();
    t.is(await size.inputValue(), '1000');
  });
}

function testConfiguration(fixture: Fixture): void {
  test.serial('restricts an audience by a rule set', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    const videos = { query: { key: 'item_type', match: 'video' }, limit: { min: 3 } };
    await fixture.send('PUT', '/configurations/watchers', { constraints: [videos] });
    const choice = page.getByRole('combobox', { name: 'Restrict by rule set' });
    const compute = async (configuration?: string) => {
      await goTo('/demo/audiences/new?name=Boots&items=item%2Fleather-trail-boots-resoleable');
      if (configuration) {
        await choice.fill(configuration);
        await page.getByRole('option', { name: configuration, exact: true }).click();
      }
      await page.getByRole('button', { name: 'Build audience' }).click();
      await page.getByRole('region', { name: 'Most interested' }).getByRole('listitem').first().waitFor();
      return (await exported(page, 'Export')).map((line) => line.split(',')[0]);
    };
    const watchers = await compute('watchers');
    t.deepEqual(await findViolations(page), []);
    await page.getByText('Restricted by watchers').waitFor();
    await page.getByRole('link', { name: 'Duplicate' }).click();
    await page.getByLabel('Variables').waitFor();
    t.is(await choice.inputValue(), 'watchers');
    const all = await compute();
    t.true(watchers.length > 0 && watchers.length < all.length, `${watchers.length} of ${all.length}`);
    t.deepEqual(
      watchers.filter((id) => !all.includes(id)),
      [],
    );
    t.deepEqual(troubles, []);
  });
}

function testPromotion(fixture: Fixture): void {
  test.serial('defines, builds, explains and exports an audience with its control group', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    await goTo('/demo/audiences');
    await page.getByRole('link', { name: 'Hikers' }).waitFor();
    await page.getByRole('link', { name: 'New audience' }).click();
    await page.getByLabel('Add an item').fill('leather trail boots');
    await page
      .getByRole('option', { name: /Leather trail boots/ })
      .first()
      .click();
    await page.getByRole('button', { name: /Remove Leather trail boots/ }).waitFor();
    await page.getByLabel('Control group (%)').fill('20');
    await page.getByLabel('Name').fill('Boots of spring');
    await page.keyboard.press('Tab');
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Build audience' }).click();
    const people = page.getByRole('region', { name: 'Most interested' }).getByRole('listitem');
    await people.first().waitFor();
    await people.first().getByRole('button').click();
    /** The rank may have changed since the audience was built. */
    await page.getByText(/^Now ranked \d+,/).waitFor();
    t.deepEqual(await findViolations(page), []);
    const [inside, outside] = [await exported(page, 'Export'), await exported(page, 'Export control group')];
    t.true(inside.length > outside.length && outside.length > 0);
    t.deepEqual(
      inside.filter((line) => outside.includes(line)),
      [],
    );
    await page.getByRole('link', { name: 'Audiences' }).last().click();
    await page.getByRole('link', { name: 'Boots of spring' }).waitFor();
    t.deepEqual(troubles, []);

    await page.goBack();
    await people.first().waitFor();
    t.teardown(() => page.unrouteAll());
    await page.route('**/*AudienceService/ListAudiences', (route) => route.fulfill(busy));
    await page.reload();
    await page.getByRole('alert').getByText('The service is busy').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await people.first().waitFor();
  });
}
