/** Columns, the grid and the variants of the catalogue. */

import test from 'ava';
import { findViolations, overflowOf, waitUntil } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testCatalogueViews(fixture: Fixture): void {
  testColumns(fixture);
  testGrid(fixture);
  testVariants(fixture);
}

function testColumns(fixture: Fixture): void {
  test.serial('properties are columns of the catalogue, remembered by this browser', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    await fixture.send('PUT', '/demo/items/item/with-columns', {
      title: 'Columnar vase',
      tags: ['glass', 'blue'],
      language: 'en',
    });
    await visit('/demo/catalogue?text=columnar');
    const row = page.getByRole('link', { name: 'Columnar vase' });
    await row.waitFor();
    t.false((await row.textContent())!.includes('glass'));
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'tags' }).click();
    await page.getByRole('checkbox', { name: 'language' }).click();
    await row.getByText('glass, blue').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.keyboard.press('Escape');
    await page.reload();
    await row.getByText('glass, blue').waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'tags' }).click();
    await row.getByText('glass, blue').waitFor({ state: 'detached' });
    t.deepEqual(troubles, []);
  });
}

function testGrid(fixture: Fixture): void {
  test.serial('the catalogue is a grid of pictures, too, which fits narrow windows', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    t.teardown(() => page.setViewportSize({ width: 1280, height: 900 }));
    await visit('/demo/catalogue');
    const items = page.getByRole('region', { name: 'Items' }).getByRole('listitem');
    await items.first().waitFor();
    const isBeside = `(() => {
      const [first, second] = document.querySelectorAll('section[aria-label=Items] li');
      return second && first.getBoundingClientRect().top === second.getBoundingClientRect().top;
    })()`;
    t.false(await page.evaluate(isBeside));
    await page.getByText('Grid', { exact: true }).click();
    await waitUntil(page, isBeside);
    t.deepEqual(await findViolations(page), []);
    await page.setViewportSize({ width: 390, height: 900 });
    t.is(await overflowOf(page), 0);
    await items.first().getByRole('link').click();
    await page.waitForURL('**/demo/catalogue/*/*');
    t.deepEqual(troubles, []);
  });
}

function testVariants(fixture: Fixture): void {
  test.serial('items of a group are one row that unfolds', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    for (const color of ['black', 'grey', 'white'])
      await fixture.send('PUT', `/demo/items/item/parka-${color}`, {
        title: `Zephyrine parka ${color}`,
        group_id: 'zephyrine',
      });
    await fixture.send('PUT', '/demo/items/item/parka-single', { title: 'Zephyrine cap' });
    await visit('/demo/catalogue?text=zephyrine');
    const rows = page.getByRole('region', { name: 'Items' }).getByRole('listitem');
    const become = async (count: number) => {
      await rows.nth(count - 1).waitFor();
      await rows.nth(count).waitFor({ state: 'detached' });
    };
    await become(4);
    await page.getByRole('switch', { name: 'Variants together' }).click();
    await become(2);
    await page.getByText('3 variants').waitFor();
    await page.getByRole('button', { name: /^Variants of Zephyrine parka/ }).click();
    await become(4);
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: /^Variants of Zephyrine parka/ }).click();
    await become(2);
    t.regex(page.url(), /variants=together/);
    t.deepEqual(troubles, []);
  });
}
