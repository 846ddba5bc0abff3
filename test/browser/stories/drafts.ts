/** Drafts of rule sets that the service keeps, conflicts and merges, and leaving pages with unsaved changes. */

import test, { type ExecutionContext } from 'ava';
import type { Page } from 'playwright-core';
import { requestToken } from '../../support/service.ts';
import { findViolations, waitUntil } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

const stocked = (min: number) => ({ query: { key: 'in_stock', match: true }, limit: { min } });

const jsonOf = (page: Page) => page.getByRole('textbox', { name: 'Rule set JSON' });
const saved = (page: Page) => page.getByRole('status').getByText(/^Draft saved by /);
const isFilled = (page: Page, text: string) =>
  waitUntil(page, `document.querySelector('[aria-label="Rule set JSON"]').value.includes('${text}')`);

export function testDrafts(fixture: Fixture): void {
  testShared(fixture);
  testConflict(fixture);
  testOvertaken(fixture);
  testUnsaved(fixture);
  testGuards(fixture);
  testSitePreview(fixture);
}

/** Stores a draft as another client. */
async function saveAsOther(t: ExecutionContext, fixture: Fixture, id: string, draft: object) {
  const client = await fixture.makeClient(['configurations:*']);
  const { baseUrl } = fixture.service;
  const token = await requestToken(baseUrl, client);
  const put = await fetch(`${baseUrl}/configurations/${id}/draft`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(draft),
  });
  t.is(put.status, 200);
}

function testShared(fixture: Fixture): void {
  test.serial('a draft is seen on another machine and in the list, until it is discarded', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    await fixture.send('PUT', '/configurations/shared-draft', { constraints: [stocked(1)] });
    await visit('/demo/configurations/shared-draft?panel=json');
    await jsonOf(page).fill(JSON.stringify({ constraints: [stocked(3)] }));
    await saved(page).waitFor();
    t.deepEqual(await findViolations(page), []);

    const elsewhere = await fixture.open(t);
    await elsewhere.visit('/demo/configurations?q=shared-draft');
    const row = elsewhere.page.getByRole('row').filter({ hasText: 'shared-draft' });
    await row.getByText(/^Draft, .*, by admin$/).waitFor();
    t.deepEqual(await findViolations(elsewhere.page), []);
    await elsewhere.visit('/demo/configurations/shared-draft?panel=json');
    await elsewhere.page.getByText('Changed', { exact: true }).waitFor();
    t.deepEqual(JSON.parse(await jsonOf(elsewhere.page).inputValue()), { constraints: [stocked(3)] });
    const comments = elsewhere.page.getByRole('region', { name: 'Comments' });
    await comments.getByRole('textbox', { name: 'Comment' }).fill('Why three?');
    await comments.getByRole('button', { name: 'Comment', exact: true }).click();
    await comments.getByText(/^admin, /).waitFor();
    await comments.getByText('Why three?').waitFor();
    t.deepEqual(await findViolations(elsewhere.page), []);
    await comments.getByRole('button', { name: 'Remove your comment' }).click();
    await comments.getByText('Why three?').waitFor({ state: 'detached' });
    const discarded = elsewhere.page.waitForResponse((response) => response.request().method() === 'DELETE');
    await elsewhere.page.getByRole('button', { name: 'Discard' }).click();
    await discarded;
    await elsewhere.page.getByText('Changed', { exact: true }).waitFor({ state: 'detached' });
    await elsewhere.visit('/demo/configurations?state=draft&q=shared-draft');
    await elsewhere.page.getByText('No matching rule set').waitFor();

    await visit('/demo/configurations/shared-draft?panel=json');
    await page.getByText('Live: v1').waitFor();
    t.is(await page.getByText('Changed', { exact: true }).count(), 0);
    t.deepEqual([...troubles, ...elsewhere.troubles], []);
  });

  test.serial('a new rule set is listed as a draft, and can be deleted there', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    await visit('/demo/configurations/only-a-draft');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByRole('menuitem').first().click();
    await saved(page).waitFor();
    await visit('/demo/configurations?q=only-a-draft');
    const row = page.getByRole('row').filter({ hasText: 'only-a-draft' });
    await row.getByText('New', { exact: true }).waitFor();
    await row.getByRole('button', { name: 'Actions for only-a-draft' }).click();
    await page.getByRole('menuitem', { name: 'Delete the draft' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await row.waitFor({ state: 'detached' });
    t.deepEqual(troubles, []);
  });
}

function testConflict(fixture: Fixture): void {
  test.serial('merges a draft that another user saved, part by part', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    const id = 'merged-draft';
    const published = { constraints: [stocked(1)], purpose: 'similar' };
    await fixture.send('PUT', `/configurations/${id}`, published);
    await visit(`/demo/configurations/${id}?panel=json`);
    await jsonOf(page).fill(JSON.stringify({ ...published, constraints: [stocked(2)] }));
    await saved(page).waitFor();
    const theirs = { constraints: [stocked(5)], purpose: 'continue', allow_duplicates: true };
    await saveAsOther(t, fixture, id, { base_version: 1, document: theirs });
    const mine = { constraints: [stocked(4)], purpose: 'similar', name: 'Mine' };
    await jsonOf(page).fill(JSON.stringify(mine));
    const notice = page.getByRole('alert').filter({ hasText: 'few saved this draft on' });
    await notice.waitFor();
    await page.getByText('The draft is not saved: merge first.').waitFor();
    await notice.getByRole('button', { name: 'Review and merge' }).click();
    const dialog = page.getByRole('dialog', { name: 'Merge changes' });
    await dialog
      .getByRole('region', { name: 'Changes of Purpose' })
      .getByText('Their change is taken')
      .waitFor();
    await dialog.getByRole('region', { name: 'Changes of Name' }).getByText('Your change is kept').waitFor();
    const merge = dialog.getByRole('button', { name: 'Merge' });
    t.true(await merge.isDisabled());
    t.deepEqual(await findViolations(page), []);
    await dialog.getByRole('region', { name: 'Changes of Rules' }).getByText('Keep mine').click();
    await merge.click();
    await saved(page).waitFor();
    const answer = await fixture.send('GET', `/configurations/${id}/draft`);
    t.like(await answer.json(), { document: { ...theirs, constraints: [stocked(4)], name: 'Mine' } });
    t.is(await notice.count(), 0);
  });

  test.serial('an unchanged page follows the draft of another user', async (t) => {
    const { page, troubles, visit, goTo } = await fixture.fresh(t);
    await fixture.send('PUT', '/configurations/followed-draft', { constraints: [] });
    await visit('/demo/configurations/followed-draft?panel=json');
    await jsonOf(page).waitFor();
    await saveAsOther(t, fixture, 'followed-draft', {
      base_version: 1,
      document: { constraints: [stocked(6)] },
    });
    await goTo('/demo/configurations');
    await page.getByRole('heading', { name: 'Rule sets', level: 1 }).waitFor();
    await goTo('/demo/configurations/followed-draft?panel=json');
    await isFilled(page, '"min": 6');
    t.deepEqual(troubles, []);
  });
}

function testOvertaken(fixture: Fixture): void {
  test.serial('merges a draft with a version that was published meanwhile, on another machine', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    const id = 'overtaken-draft';
    await fixture.send('PUT', `/configurations/${id}`, { constraints: [stocked(1)] });
    const document = { constraints: [stocked(1)], purpose: 'continue' };
    await fixture.send('PUT', `/configurations/${id}/draft`, { base_version: 1, document });
    await fixture.send('PUT', `/configurations/${id}`, { constraints: [stocked(8)] });
    await visit(`/demo/configurations/${id}?panel=json`);
    const notice = page.getByRole('alert').filter({ hasText: 'Version 2 was published by admin on' });
    await notice.getByRole('button', { name: 'Review and merge' }).click();
    const dialog = page.getByRole('dialog', { name: 'Merge changes' });
    await dialog
      .getByRole('region', { name: 'Changes of Rules' })
      .getByText('Their change is taken')
      .waitFor();
    await dialog.getByRole('button', { name: 'Merge' }).click();
    await notice.waitFor({ state: 'detached' });
    const merged = { constraints: [stocked(8)], purpose: 'continue' };
    t.deepEqual(JSON.parse(await jsonOf(page).inputValue()), merged);
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Live: v3').waitFor();
    t.like(await (await fixture.send('GET', `/configurations/${id}`)).json(), merged);
    t.deepEqual(troubles, []);
  });
}

function testUnsaved(fixture: Fixture): void {
  test.serial('a draft that cannot be saved is guarded, saved when the service answers', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    await visit('/demo/configurations/guarded-draft?panel=json');
    await jsonOf(page).fill('{ "constraints": [');
    await page.getByText('The draft is not saved: fix the JSON.').waitFor();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.getByRole('link', { name: 'Metrics' }).click();
    await question.waitFor();
    t.deepEqual(await findViolations(page), []);
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    t.regex(page.url(), /guarded-draft/);
    await page.getByRole('tab', { name: 'Simulation' }).click();
    await page.getByRole('tab', { name: 'Edit' }).click();
    await page.getByText('JSON', { exact: true }).click();
    t.is(await question.count(), 0);

    await page.route('**/guarded-draft/draft', (route) => route.fulfill({ status: 503 }));
    await jsonOf(page).fill('{ "constraints": [], "purpose": "similar" }');
    await page.getByText(/^The draft is not saved\. /).waitFor();
    await page.unrouteAll();
    await saved(page).waitFor();
    await page.getByRole('link', { name: 'Metrics' }).click();
    await page.getByRole('heading', { name: 'Metrics', level: 1 }).waitFor();
  });
}

function testGuards(fixture: Fixture): void {
  test.serial('edits of an item are guarded against links and the way back', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    await visit('/demo/catalogue');
    await page.getByRole('link', { name: 'A jazz quartet without a leader' }).click();
    const field = page.getByRole('textbox', { name: 'Item JSON' });
    const stored = await field.inputValue();
    await field.fill(stored.replace('{', '{ "tags": ["guarded"],'));
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    const { href } = new URL(page.url());
    await page.goBack();
    await question.waitFor();
    t.is(page.url(), href);
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Overview' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { level: 1, name: /Overview|demo/i }).waitFor();
    await page.goBack();
    await field.waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.goBack();
    await page.getByRole('heading', { name: 'Catalogue', level: 1 }).waitFor();
  });

  test.serial('a changed experiment is guarded, and a saved one is not', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    await visit('/demo/experiments/new');
    await page.getByLabel('ID', { exact: true }).fill('guarded');
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await page.getByRole('link', { name: 'Metrics' }).click();
    await question.getByRole('button', { name: 'Stay' }).click();
    await question.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByRole('heading', { level: 1, name: /guarded/ }).waitFor();
    t.is(await question.count(), 0);
    await fixture.send('DELETE', '/demo/experiments/guarded');
  });
}

function testSitePreview(fixture: Fixture): void {
  test.serial('a link shows a saved draft on a page of the site', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    await fixture.send('PUT', '/configurations/site-preview', { constraints: [stocked(1)] });
    const document = { constraints: [stocked(2)] };
    await fixture.send('PUT', '/configurations/site-preview/draft', { base_version: 1, document });
    await visit('/demo/configurations/site-preview');
    await page.getByRole('button', { name: 'Preview on your site' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Address of the page').fill('https://shop.example/sale#top');
    t.deepEqual(await findViolations(page), []);
    await dialog.getByRole('button', { name: 'Create link' }).click();
    const link = await dialog.getByRole('region', { name: 'link' }).textContent();
    t.regex(link!, /^https:\/\/shop\.example\/sale#top&personalisation_preview=[\w-]+\.[\w-]+\.[\w-]+$/);
    t.deepEqual(await findViolations(page), []);
  });
}
