/** Behaviour while the service is unreachable or busy. */

import test from 'ava';
import type { Page } from 'playwright-core';
import { busy, findViolations, waitForFrame, waitForTheme } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testFailing(fixture: Fixture): void {
  testTyped(fixture);
  testSecret(fixture);
  testItem(fixture);
  testSearches(fixture);
  testLooking(fixture);
  testContrast(fixture);
  testLate(fixture);
  testLostConnection(fixture);
  testMissingCode(fixture);
}

/** Opens the dialog of a new client and fills it in. */
async function nameClient(page: Page, name: string) {
  await page.getByRole('button', { name: 'New client' }).click();
  const dialog = page.getByRole('dialog', { name: 'New client' });
  await dialog.getByRole('combobox', { name: 'Permissions' }).click();
  await page.getByRole('option', { name: 'items', exact: true }).click();
  await dialog.getByLabel('Name').fill(name);
  return dialog;
}

function testTyped(fixture: Fixture): void {
  test.serial('keeps typed text while the service is unreachable', async (t) => {
    const { page, goTo } = fixture.shared;
    await goTo('/demo/access');
    const dialog = await nameClient(page, 'Typed before the service went');
    t.teardown(() => page.unrouteAll());
    const isCall = ({ pathname }: URL) => pathname.startsWith('/personalisation.v1.');
    const asked = new Map<string, number>();
    await page.route(isCall, (route) => {
      const { pathname } = new URL(route.request().url());
      asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
      return route.abort();
    });
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('alert').getByText('The service cannot be reached').waitFor();
    await page.getByRole('main').getByRole('alert').getByText('The service cannot be reached').waitFor();
    const lastTry = 3;
    t.is(asked.get('/personalisation.v1.EnvironmentService/ListEnvironments'), lastTry);
    t.is(await dialog.getByLabel('Name').inputValue(), 'Typed before the service went');
    await page.unrouteAll();
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row').filter({ hasText: 'Typed before the service went' }).waitFor();
    t.is(await page.getByRole('alert').count(), 0);
  });
}

function testSecret(fixture: Fixture): void {
  test.serial('shows a new secret although the list of clients fails', async (t) => {
    const { page, goTo } = fixture.shared;
    await goTo('/demo/access');
    const dialog = await nameClient(page, 'Of a busy service');
    t.teardown(() => page.unrouteAll());
    await page.route('**/*ListClients', (route) => route.fulfill(busy));
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('main').getByRole('alert').getByText('The service is busy').waitFor();
    await dialog.getByText('client_secret').waitFor();
    t.regex((await dialog.textContent()) ?? '', /"client_secret": "[^"]+"/);
  });
}

function testLostConnection(fixture: Fixture): void {
  test.serial('keeps the last data while the connection is lost, and continues by itself', async (t) => {
    const { page, visit, goTo } = await fixture.fresh(t);
    await visit('/demo/catalogue');
    const rows = page.getByRole('region', { name: 'Items' }).getByRole('link');
    await rows.nth(2).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('textbox', { name: 'Title or ID' }).fill('boots');
    const banner = page.getByRole('alert').getByText('Connection lost. Retrying…', { exact: true });
    await banner.waitFor();
    t.is(await page.getByRole('alert').count(), 1);
    t.is(await page.getByText(/Failed to fetch/).count(), 0);
    t.true((await rows.count()) > 2);
    t.deepEqual(await findViolations(page), []);
    await goTo('/demo/people');
    await page.context().setOffline(false);
    await banner.waitFor({ state: 'detached' });
    await goTo('/demo/catalogue?text=boots');
    await rows.filter({ hasText: 'boots' }).first().waitFor();
  });

  test.serial('an error besides the connection does not blame it', async (t) => {
    const { page, goTo } = fixture.shared;
    t.teardown(() => page.unrouteAll());
    await page.route('**/*AudienceService/ListAudiences', (route) =>
      route.fulfill({ status: 500, json: { code: 'unknown', message: 'The file is not UTF-8.' } }),
    );
    await goTo('/demo/audiences');
    const alert = page.getByRole('alert').filter({ hasText: 'The file is not UTF-8.' });
    await alert.waitFor();
    t.notRegex((await alert.textContent()) ?? '', /reached|connection/i);
  });
}

function testMissingCode(fixture: Fixture): void {
  test.serial('a page whose code is missing reloads once and keeps the draft', async (t) => {
    const { page, visit, goTo } = await fixture.fresh(t);
    await visit('/demo/configurations/kept-draft?panel=json');
    await page
      .getByRole('textbox', { name: 'Rule set JSON' })
      .fill('{ "constraints": [], "purpose": "similar" }');
    let failuresLeft = 1;
    await page.route('**/assets/*.js', (route) => (failuresLeft-- > 0 ? route.abort() : route.continue()));
    const reloaded = page.waitForEvent('load');
    await goTo('/demo/metrics');
    await reloaded;
    await page.getByRole('heading', { name: 'Metrics', level: 1 }).waitFor();
    await goTo('/demo/configurations/kept-draft?panel=json');
    await page.getByText('Changed', { exact: true }).waitFor();

    await page.unrouteAll();
    await page.route('**/assets/*.js', (route) => route.abort());
    await goTo('/demo/batches');
    await page.getByRole('heading', { name: 'A new version is available' }).waitFor();
    await page.unrouteAll();
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Reload' }).click();
    await page.getByRole('heading', { name: 'Batches', level: 1 }).waitFor();
  });

  test.serial('code that is missing while the service is unreachable is a lost connection', async (t) => {
    const { page, visit, goTo } = await fixture.open(t);
    await visit('/demo/overview');
    await page.route('**/assets/*.js', (route) => route.abort());
    await page.route('**/healthz', (route) => route.abort());
    await goTo('/demo/batches');
    await page.getByRole('heading', { name: 'Connection lost' }).waitFor();
    t.deepEqual(await findViolations(page), []);
    const reloaded = page.waitForEvent('load');
    await page.unrouteAll();
    await reloaded;
    await page.getByRole('heading', { name: 'Batches', level: 1 }).waitFor();
  });
}

function testItem(fixture: Fixture): void {
  test.serial('reports an unreadable item document, and keeps typed text', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    const isDocument = ({ pathname }: URL) => pathname.startsWith('/api/demo/items/');
    await page.route(isDocument, (route) => route.fulfill(busy));
    await visit('/demo/catalogue/item/leather-trail-boots-resoleable');
    await page.getByRole('alert').getByText('The service is busy').waitFor();
    await page.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    const field = page.getByLabel('Item JSON');
    await field.fill('{ "title": "Half a title" }');
    await page.route(isDocument, (route) => route.fulfill(busy));
    await page.route('**/*ItemService/GetItem', (route) => route.fulfill(busy));
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    t.is(await field.inputValue(), '{ "title": "Half a title" }');
  });
}

function testSearches(fixture: Fixture): void {
  test.serial('reports a failed search instead of no results', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    await visit('/demo/playground');
    await page.getByRole('textbox', { name: 'Why is an item missing?' }).fill('boots');
    await page.getByRole('option').first().waitFor();
    await page.route('**/*PreviewRecommendations', (route) => route.fulfill(busy));
    await page.getByRole('option').first().click();
    await page.getByRole('alert').getByText('The service is busy').waitFor();
    await page.unrouteAll();

    await page.route('**/*CatalogueService/*', (route) => route.fulfill(busy));
    await visit('/demo/audiences/new');
    await page.getByLabel('Add an item').fill('boots');
    await page.getByText('Too many calls.').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.getByLabel('Add an item').blur();
    await page.keyboard.press('Control+k');
    await page.getByLabel('Page, rule set, item or action').fill('zebra');
    await page.getByRole('dialog').getByText('Too many calls.').waitFor();
    t.is(await page.getByText('No matches.').count(), 0);
  });
}

/** Texts of empty results. */
const nothing = /^(No matches|No matching item|No audience yet|No more values)/;

function testLooking(fixture: Fixture): void {
  test.serial('shows no empty result while a search is running', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    const gate = Promise.withResolvers<void>();
    const isLookedFor = ({ pathname }: URL) =>
      /CatalogueService\/|ListAudiences|ListConfigurations/.test(pathname);
    await visit('/demo/batches/new?who=audience');
    await page.getByRole('combobox', { name: 'Audience' }).waitFor();
    await page.route(isLookedFor, async (route) => {
      await gate.promise;
      await route.continue();
    });
    const isAsked = (path: string) => page.waitForRequest((request) => request.url().endsWith(path));
    await page.reload();
    await page.getByRole('combobox', { name: 'Audience' }).click();
    t.is(await page.getByText(nothing).count(), 0, 'audiences');
    const asked = isAsked('ListItems');
    await page.keyboard.press('Control+k');
    await page.getByLabel('Page, rule set, item or action').fill('resoleable');
    t.is(await page.getByText(nothing).count(), 0, 'before items are asked for');
    await asked;
    t.is(await page.getByText(nothing).count(), 0, 'items');
    await page.keyboard.press('Escape');
    gate.resolve();
    await page.keyboard.press('Control+k');
    await page.getByLabel('Page, rule set, item or action').fill('zzebraa');
    await page.getByText('No matches.').waitFor();
  });
}

function testContrast(fixture: Fixture): void {
  test.serial('field errors have enough contrast in both themes', async (t) => {
    const { page, goTo } = fixture.shared;
    t.teardown(() => page.emulateMedia({ colorScheme: 'light' }));
    await goTo('/demo/configurations');
    await page.getByRole('button', { name: 'New rule set' }).click();
    await page.getByRole('dialog').getByLabel('Id').fill('shop');
    await page.getByText('A rule set with this ID exists.').waitFor();
    t.deepEqual(await findViolations(page), [], 'light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await waitForTheme(page, 'dark');
    t.deepEqual(await findViolations(page), [], 'dark');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
}

/** Forms that open another page after the answer. */
const slow: [operation: string, path: string, button: string][] = [
  [
    'AudienceService/CreateAudience',
    'audiences/new?name=Late&items=item%2Fleather-trail-boots-resoleable',
    'Build audience',
  ],
  [
    'BatchService/CreateBatch',
    `batches/new?who=active&days=1&page=email&lists=${encodeURIComponent('[{"configuration":"shop","name":"late","size":2}]')}`,
    'Create batch',
  ],
  ['SynonymService/PutSynonym', 'search?view=synonyms&words=stiefel%0Aboots', 'Save'],
];

function testLate(fixture: Fixture): void {
  for (const [operation, path, button] of slow) {
    test.serial(`a late answer of ${operation} does not change the next page`, async (t) => {
      const { page, goTo } = fixture.shared;
      t.teardown(() => page.unrouteAll());
      const held = Promise.withResolvers<void>();
      await page.route(`**/*${operation}`, async (route) => {
        await held.promise;
        await route.continue();
      });
      await goTo(`/demo/${path}`);
      const send = page.getByRole('button', { name: button });
      if (await send.isDisabled()) await page.getByRole('button', { name: 'Preview', exact: true }).click();
      await send.click();
      await goTo('/demo/people?kind=user&id=anna');
      await page.getByRole('button', { name: 'Delete …' }).waitFor();
      const answered = page.waitForResponse((answer) => answer.url().endsWith(operation));
      held.resolve();
      await (await answered).finished();
      await waitForFrame(page);
      t.regex(page.url(), /\/demo\/people\?kind=user&id=anna$/);
      t.is(await page.getByRole('textbox', { name: 'Id' }).inputValue(), 'anna');
    });
  }
}
