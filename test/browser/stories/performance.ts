/** Performance of items, placements and queries, and what follows from it. */

import { readFileSync } from 'node:fs';
import test from 'ava';
import type { Page } from 'playwright-core';
import { findViolations } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

type Found = { request_id: string };

/** Traffic of two items, a list and two queries. */
export async function sendTraffic(fixture: Fixture): Promise<void> {
  const search = async (q: string) => {
    const body = { q, page_type: 'search', device_id: 'searcher' };
    return (await fixture.send('POST', '/demo/searches/requests', body)).json() as Promise<Found>;
  };
  await search('qqqzzz');
  const { request_id: searched } = await search('performance boots');
  const shown = { page_type: 'home', list_name: 'performed', request_id: 'r', user_group: 'recommender' };
  const searchShown = { page_type: 'search', list_name: 'results', request_id: searched };
  const visits = Array.from({ length: 40 }, (_, i) => {
    const who = { device_id: `performer-${i}`, action_item: i % 4 === 0 ? 'best-seller' : 'slow-seller' };
    const device_class = i % 8 === 0 ? 'mobile' : 'desktop';
    const impression = { ...shown, ...who, device_class, event_type: 'impression', rank: (i % 4) + 1 };
    const click = { ...impression, event_type: 'click_on_recommendation' };
    const purchase = { ...who, device_class, event_type: 'purchase', purchased_price: 20 };
    return i % 4 === 0 ? [impression, click, purchase] : [impression];
  });
  const clicked = { ...searchShown, device_id: 'searcher', action_item: 'best-seller', rank: 3 };
  const events = [
    ...visits.flat(),
    { ...clicked, event_type: 'search_impression' },
    { ...clicked, event_type: 'search_click_on_recommendation' },
  ];
  const { status } = await fixture.send('POST', '/demo/events', { events });
  if (status !== 200) throw new Error(`Events were answered with ${status}.`);
}

const choose = async (page: Page, field: string, option: string) => {
  await page.getByRole('combobox', { name: field }).click();
  await page.getByRole('option', { name: option, exact: true }).click();
};

export function testPerformance(fixture: Fixture): void {
  test.serial('items are ranked by a metric, compared, and exported as shown', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    await sendTraffic(fixture);
    await goTo('/demo/metrics?view=performance&text=seller');
    const row = (name: string) => page.getByRole('row', { name });
    await row('best-seller').waitFor();
    await page
      .getByRole('region', { name: 'Visitors' })
      .getByText('Conversion rate', { exact: true })
      .waitFor();
    t.regex((await row('best-seller').textContent())!, /100%/);
    await choose(page, 'Sort by', 'Revenue');
    await row('best-seller').waitFor();
    await page.getByRole('row').nth(2).and(row('best-seller')).waitFor();
    await page.getByText('Bottom', { exact: true }).click();
    await page.waitForURL(/order=asc/);
    await page.getByRole('switch', { name: 'Compare with previous period' }).click();
    await page.getByRole('switch', { name: 'Show intervals' }).click();
    await row('best-seller').getByText(' to ').first().waitFor();
    t.deepEqual(await findViolations(page), []);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export' }).click(),
    ]);
    const csv = readFileSync(await download.path(), 'utf8');
    t.regex(
      csv,
      /^Item,item type,title,Impressions,Impressions, previous|Item.*"Impressions, previous period"/,
    );
    t.regex(csv, /best-seller/);
    await goTo('/demo/metrics?view=performance&dimension=list_name&text=performed');
    await row('performed').waitFor();
    /** Long words of the first column are whole. */
    t.is((await row('performed').getByText('performed').boundingBox())!.height < 30, true);
    t.deepEqual(troubles, []);
  });

  testSegments(fixture);
  testViews(fixture);
  test.serial('first and last day are typed, and an empty period says so', async (t) => {
    const { page, goTo } = fixture.shared;
    await goTo('/demo/metrics?view=performance');
    await page.getByLabel('First day').fill('2020-01-01');
    await page.getByLabel('Last day').fill('2020-01-31');
    await page.getByText('No data').waitFor();
    await page.getByText('No visitors in this period.').waitFor();
    t.deepEqual(await findViolations(page), []);
  });

  test.serial('queries without results lead to a synonym, and others to rules for them', async (t) => {
    const { page, goTo } = fixture.shared;
    await sendTraffic(fixture);
    await goTo('/demo/search?view=queries&text=performance');
    const row = page.getByRole('row', { name: 'performance boots' });
    await row.waitFor();
    /** The mean position of the clicks. */
    t.is(await row.getByRole('cell', { name: '3', exact: true }).count(), 1);
    t.deepEqual(await findViolations(page), []);
    await row.getByRole('link', { name: 'Rules or redirect for performance boots' }).click();
    await page.getByRole('textbox', { name: 'Redirect' }).waitFor();
    t.regex(page.url(), /configurations\/search-performance-boots/);
    await goTo('/demo/search?view=queries');
    await choose(page, 'Show', 'Without results');
    await page.getByRole('link', { name: 'Add a synonym for qqqzzz' }).click();
    await page.getByText('qqqzzz').first().waitFor();
    t.regex(page.url(), /view=synonyms/);
  });
}

function testSegments(fixture: Fixture): void {
  test.serial('rates and revenue are split by device class, and distinct counts are not', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    await goTo('/demo/metrics?view=performance');
    await choose(page, 'Performance of', 'Device class');
    const row = page.getByRole('row', { name: /^mobile [^:]/ });
    await row.waitFor();
    t.regex((await row.textContent())!, /100%/);
    await goTo('/demo/metrics?metric=revenue&range=24h');
    await choose(page, 'Split by', 'Device class');
    await row.waitFor();
    t.deepEqual(await findViolations(page), []);
    await choose(page, 'Metric', 'Devices');
    await row.waitFor({ state: 'detached' });
    t.is(await page.getByRole('combobox', { name: 'Split by' }).inputValue(), 'None');
    t.deepEqual(troubles, []);
  });
}

function testViews(fixture: Fixture): void {
  test.serial('a view is saved, opened, pinned to the overview, renamed and deleted', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    const views = async (action: string) => {
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    const save = async (name: string, isShared: boolean) => {
      await views('Save this view …');
      const dialog = page.getByRole('dialog', { name: 'Save this view' });
      t.true(await dialog.getByRole('button', { name: 'Save' }).isDisabled());
      await dialog.getByLabel('Name').fill(name);
      if (isShared) await dialog.getByRole('switch', { name: 'Shared' }).click();
      await dialog.getByRole('switch', { name: 'Pin to the overview' }).click();
      t.deepEqual(await findViolations(page), []);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await visit('/demo/metrics?metric=events&by=page_type&range=7d&compare=1');
    await save('Events by page', true);
    await visit('/demo/metrics?view=performance&text=seller&sort=clicks&order=desc');
    await save('Sellers', false);
    await visit('/demo/overview');
    const tile = (name: string) => page.getByRole('region', { name });
    await tile('Events by page').getByRole('img', { name: 'Events by page' }).waitFor();
    await tile('Sellers').getByRole('row', { name: 'best-seller' }).waitFor();
    t.deepEqual(await findViolations(page), []);
    await tile('Sellers').getByRole('link', { name: 'Open Sellers' }).click();
    await page.getByRole('button', { name: 'Export' }).waitFor();
    t.is(new URL(page.url()).search, '?view=performance&text=seller&sort=clicks&order=desc');
    await views('Events by page');
    await page.getByRole('columnheader', { name: 'Difference' }).waitFor();
    t.is(await page.getByRole('combobox', { name: 'Split by' }).inputValue(), 'Page type');

    await views('Manage views …');
    await page.getByRole('button', { name: 'Change Sellers' }).click();
    await page.getByLabel('Name').fill('Best sellers');
    await page.getByRole('switch', { name: 'Pin to the overview' }).click();
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const list = page.getByRole('dialog', { name: 'Views' });
    await list.getByRole('row', { name: 'Best sellers Only you' }).waitFor();
    t.deepEqual(await findViolations(page), []);
    await list.getByRole('button', { name: 'Delete Events by page' }).click();
    const question = page.getByRole('dialog', { name: 'Delete Events by page?' });
    await question.getByRole('button', { name: 'Delete' }).click();
    await list.getByText('Events by page').waitFor({ state: 'detached' });
    t.deepEqual(troubles, []);
  });
}
