/** The board: lists, searches and categories arranged by hand. */

import test from 'ava';
import type { Page } from 'playwright-core';
import { findViolations, waitForTheme } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';
import { pressOn, reach } from '../support/keyboard.ts';

type Draft = {
  document: { pins?: object[]; hides?: object[]; preferences?: object[]; search?: { pins?: object[] } };
};

const cards = (page: Page) => page.getByRole('list', { name: 'Items', exact: true }).getByRole('listitem');
const saved = (page: Page) => page.getByRole('status').getByText('Draft saved.').waitFor();

async function draftOf(fixture: Fixture, id: string) {
  return ((await (await fixture.send('GET', `/configurations/${id}/draft`)).json()) as Draft).document;
}

export function testMerchandising(fixture: Fixture): void {
  testLists(fixture);
  testQueries(fixture);
}

function testLists(fixture: Fixture): void {
  test.serial('a list is arranged by keyboard: moved, hidden, boosted, and kept as a draft', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    t.teardown(() => fixture.send('DELETE', '/configurations/shop/draft'));
    await visit('/demo/merchandising?list=shop');
    const first = cards(page).first();
    await first.getByText('In stock').waitFor();
    const title = (await first.locator('bdi').first().textContent()) ?? '';
    await reach(page, page.getByRole('button', { name: `Move ${title}` }));
    await page.keyboard.press('Space');
    await page.getByText(`${title} is over position 1`).waitFor({ state: 'attached' });
    await page.keyboard.press('ArrowRight');
    await page.getByText(`${title} is over position 2`).waitFor({ state: 'attached' });
    await page.keyboard.press('Space');
    await cards(page).nth(1).getByText('Pinned', { exact: true }).waitFor();
    t.is(await cards(page).nth(1).locator('bdi').first().textContent(), title);
    await saved(page);
    t.like((await draftOf(fixture, 'shop')).pins, [{ rank: 2 }]);

    const hidden = (await first.locator('bdi').first().textContent()) ?? '';
    await pressOn(page, page.getByRole('button', { name: `Hide ${hidden}` }));
    const hides = page.getByRole('region', { name: 'Hidden items' });
    await hides.getByText(hidden).waitFor();
    await page.getByRole('button', { name: `Hide ${hidden}` }).waitFor({ state: 'detached' });
    const boosted = (await cards(page).nth(4).locator('bdi').first().textContent()) ?? '';
    await pressOn(page, page.getByRole('button', { name: `More for ${boosted}` }));
    await pressOn(page, page.getByRole('menuitem', { name: 'Boost' }), 'ArrowDown');
    await cards(page).filter({ hasText: boosted }).getByText('Boost +2').waitFor();
    await saved(page);
    const { hides: kept, preferences } = await draftOf(fixture, 'shop');
    t.is(kept?.length, 1);
    t.like(preferences?.at(-1), { weight: 1 });
    for (const scheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme: scheme });
      await waitForTheme(page, scheme);
      t.deepEqual(await findViolations(page), [], scheme);
    }
    await hides.getByRole('button', { name: `Remove ${hidden}` }).click();
    await hides.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Review and publish' }).click();
    await page.getByLabel('Pin an item').waitFor();
    t.is(await page.getByRole('textbox', { name: `Position of ${title}` }).inputValue(), '2');
    t.deepEqual(troubles, []);
  });
}

function testQueries(fixture: Fixture): void {
  test.serial('a query and a category get a rule set of their own, dragged with a mouse', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    t.teardown(() => fixture.send('DELETE', '/configurations/query-shoes/draft'));
    await visit('/demo/merchandising?place=query');
    await page.getByText('Enter a query').waitFor();
    await page.getByRole('textbox', { name: 'Query' }).fill('shoes');
    await cards(page).nth(1).getByText('In stock').waitFor();
    const title = (await cards(page).nth(1).locator('bdi').first().textContent()) ?? '';
    const target = (await cards(page).first().boundingBox())!;
    await page.getByRole('button', { name: `Move ${title}` }).hover();
    await page.mouse.down();
    await page.mouse.move(target.x + target.width / 2, target.y + target.height / 2, { steps: 10 });
    await page.getByText(`${title} is over position 1`).waitFor({ state: 'attached' });
    await page.mouse.up();
    await cards(page).first().getByText('Pinned by query-shoes').waitFor();
    t.is(await cards(page).first().locator('bdi').first().textContent(), title);
    await saved(page);
    t.like(await draftOf(fixture, 'query-shoes'), {
      search: { when: { queries: [{ exact: 'shoes' }] }, pins: [{ rank: 1 }] },
    } as object);
    await page.getByText('Category page', { exact: true }).click();
    await page.getByText('Enter a category').waitFor();
    t.deepEqual(troubles, []);
  });
}
