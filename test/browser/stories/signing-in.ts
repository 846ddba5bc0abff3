/** Signing in, sessions, and scopes. */

import test from 'ava';
import type { Page } from 'playwright-core';
import { findViolations } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testSigningIn(fixture: Fixture): void {
  testWhoIsAsked(fixture);
  testNobodyThere(fixture);
  testNothingLeft(fixture);
  testIssuer(fixture);
  testTyped(fixture);
  testExpiry(fixture);
  testScopes(fixture);
  testSize(fixture);
  testPalette(fixture);
}

function testWhoIsAsked(fixture: Fixture): void {
  test.serial('signs in with a client, reports wrong secrets, and survives a reload', async (t) => {
    const { page, visit } = await fixture.fresh(t, { signsIn: false });
    await visit('/demo/configurations');
    await page.getByLabel('Client id').fill(fixture.service.admin.clientId);
    await page.getByLabel('Client secret').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('Wrong client ID or secret').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.getByLabel('Client secret').fill(fixture.service.admin.clientSecret);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Rule sets' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Rule sets' }).waitFor();
    t.is(await page.evaluate('Object.values(localStorage).join() + document.cookie'), 'demo');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Client id').waitFor();
    await page.reload();
    await page.getByLabel('Client id').waitFor();
    t.is(await page.getByRole('button', { name: 'Account' }).count(), 0);
  });
}

function testNobodyThere(fixture: Fixture): void {
  test.serial('reports an unreachable service when signing in or out', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    const isSession = ({ pathname }: URL) => pathname === '/console/session';
    await visit('/demo/configurations');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.route(isSession, (route) => route.abort());
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('A reload may sign you in again.').waitFor();
    await page.getByLabel('Client id').fill('somebody');
    await page.getByLabel('Client secret').fill('secret');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The service cannot be reached. Check that it runs').waitFor();
    await page.unrouteAll();
    await page.route(isSession, (route) => route.fulfill({ status: 502, body: '<html>Bad gateway</html>' }));
    await page.reload();
    await page.getByRole('alert').getByText('The service answered 502.').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.unrouteAll();
    await page.route(isSession, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<html>Pay first' }),
    );
    await page.getByLabel('Client id').fill('somebody');
    await page.getByLabel('Client secret').fill('secret');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('The answer did not come from the service.').waitFor();
    t.false(await page.getByRole('button', { name: 'Sign in' }).isDisabled());
    await page.unrouteAll();
    await page.reload();
    await page.getByRole('heading', { level: 1 }).waitFor();
    t.is(await page.getByRole('button', { name: 'Account' }).count(), 1);
  });
}

/** Ways in which a session ends. */
const leave: Record<string, (page: Page) => Promise<unknown>> = {
  async 'signs out'(page) {
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
  },
  async 'is signed out'(page) {
    await page.route('**/*ListAudiences', (route) =>
      route.fulfill({ status: 401, json: { code: 'unauthenticated', message: 'It has expired.' } }),
    );
    await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audiences' }).click();
    await page.getByText('Your session has ended').waitFor();
    await page.unroute('**/*ListAudiences');
  },
};

function testNothingLeft(fixture: Fixture): void {
  for (const [how, end] of Object.entries(leave))
    test.serial(`hides drafts and chosen files from the next client after a client ${how}`, async (t) => {
      const other = await fixture.makeClient(['configurations:demo', 'items:demo', 'metrics:demo']);
      const { page, visit, goTo } = await fixture.fresh(t);
      const path = `left-by-who-${how.replaceAll(' ', '-')}`;
      await visit(`/demo/configurations/${path}?panel=json`);
      const field = page.getByRole('textbox', { name: 'Rule set JSON' });
      await field.fill('{ "constraints": [], "_why": "nobody else shall know" }');
      await goTo('/demo/catalogue/import');
      const file = { name: 'secret.csv', mimeType: 'text/csv' };
      const buffer = Buffer.from('item_id,title\nleft,Left\n');
      await page.locator('input[type=file]').setInputFiles({ ...file, buffer });
      await page.getByRole('combobox', { name: 'Maps to: title' }).waitFor();
      await end(page);
      await page.getByLabel('Client id').fill(other.clientId);
      await page.getByLabel('Client secret').fill(other.clientSecret);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Account' }).waitFor();
      await goTo('/demo/catalogue/import');
      await page.locator('input[type=file]').waitFor({ state: 'attached' });
      t.is(await page.getByText('secret.csv').count(), 0);
      await goTo(`/demo/configurations/${path}?panel=json`);
      t.false((await field.inputValue()).includes('nobody else'));
    });
}

function testIssuer(fixture: Fixture): void {
  test.serial('asks for a token again after signing out, with an external issuer', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    await visit('/demo/configurations');
    await page.getByRole('button', { name: 'Account' }).waitFor();
    await page.route('**/console/session', (route) =>
      route.request().method() === 'GET'
        ? route.fulfill({ contentType: 'application/json', body: '{"issuer": "https://login.example"}' })
        : route.continue(),
    );
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Access token').waitFor();
    await page.getByText('With an access token from https://login.example.').waitFor();
    t.is(await page.getByLabel('Client id').count(), 0);
  });
}

/** Answer of the service to an expired token. */
const expired = {
  status: 401,
  contentType: 'application/json',
  body: '{"code": "unauthenticated", "message": "The token has expired."}',
};

async function signInAgain(page: Page, { service }: Fixture): Promise<void> {
  await page.getByLabel('Client id').fill(service.admin.clientId);
  await page.getByLabel('Client secret').fill(service.admin.clientSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor({ state: 'attached' });
}

function testTyped(fixture: Fixture): void {
  test.serial('keeps typed text when the client signs in again', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    await visit('/demo/access');
    await page.getByRole('button', { name: 'New client' }).click();
    const dialog = page.getByRole('dialog', { name: 'New client' });
    await dialog.getByRole('combobox', { name: 'Permissions' }).click();
    await page.getByRole('option', { name: 'items', exact: true }).click();
    await dialog.getByLabel('Name').fill('Typed before the session ended');
    await page.route('**/*ClientService/CreateClient', (route) => route.fulfill(expired));
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('Your session has ended. Sign in again.').waitFor();
    t.is(await page.getByText('Typed before the session ended').count(), 0);
    t.false(await dialog.isVisible());
    t.deepEqual(await findViolations(page), []);
    await page.unrouteAll();
    await signInAgain(page, fixture);
    t.is(await dialog.getByLabel('Name').inputValue(), 'Typed before the session ended');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('client_secret').waitFor();
    t.deepEqual(
      troubles.filter((trouble) => !trouble.includes('401')),
      [],
    );
  });
}

function testExpiry(fixture: Fixture): void {
  test.serial('a late answer of an ended session does not end the new one', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    await fixture.send('PUT', '/demo/items/item/saved-late', { title: 'Before' });
    await visit('/demo/catalogue/item/saved-late');
    await page.getByLabel('Item JSON').fill('{ "title": "After" }');
    const held = Promise.withResolvers<void>();
    await page.route('**/items/item/saved-late', async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      await held.promise;
      return route.fulfill(expired);
    });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.route('**/*ItemService/DisableItem', (route) => route.fulfill(expired));
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alert').getByText('Your session has ended. Sign in again.').waitFor();
    await page.unroute('**/*ItemService/DisableItem');
    await signInAgain(page, fixture);
    const late = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    held.resolve();
    await (await late).finished();
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Leave' }).click();
    await page.getByRole('heading', { name: 'Batches', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Batches', level: 1 }).waitFor();
    t.is(await page.getByLabel('Client id').count(), 0);
  });

  test.serial('a tab whose session ends continues with the session of another tab', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    await visit('/demo/configurations');
    await page.getByRole('heading', { name: 'Rule sets' }).waitFor();
    const other = await page.context().newPage();
    await other.goto(page.url());
    await other.getByRole('button', { name: 'Account' }).click();
    await other.getByRole('menuitem', { name: 'Sign out' }).click();
    await signInAgain(other, fixture);
    const isOld = ({ pathname }: URL) => pathname.startsWith('/personalisation.v1.');
    const old = Promise.withResolvers<string | undefined>();
    await page.route(isOld, async (route) => {
      const token = await route.request().headerValue('authorization');
      old.resolve(token ?? undefined);
      if (token === (await old.promise)) return route.fulfill(expired);
      return route.continue();
    });
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByText('This tab continues with the session of another tab.').waitFor();
    await page.getByRole('heading', { name: 'Batches', level: 1 }).waitFor();
    await other.reload();
    await other.getByRole('button', { name: 'Account' }).waitFor();
    t.is(await page.getByLabel('Client id').count(), 0);
  });
}

function testScopes(fixture: Fixture): void {
  test.serial('hides pages that the scopes do not allow', async (t) => {
    const { page, visit } = await fixture.fresh(t, { signsIn: false });
    const { clientId, clientSecret } = await fixture.makeClient(['metrics:demo']);
    await visit('');
    await page.getByLabel('Client id').fill(clientId);
    await page.getByLabel('Client secret').fill(clientSecret);
    await page.keyboard.press('Enter');
    await page.getByText('Page views').waitFor();
    const navigation = page.getByRole('navigation', { name: 'Pages' });
    t.is(await navigation.getByRole('link', { name: 'Overview' }).count(), 1);
    t.is(await navigation.getByRole('link', { name: 'Rule sets' }).count(), 0);
    t.is(await page.getByText('Issues to fix').count(), 0);
  });
}

function testSize(fixture: Fixture): void {
  test.serial('the first page loads at most 400 kB of compressed script, in a few files', async (t) => {
    const { page, visit } = await fixture.open(t);
    const sizes: number[] = [];
    page.on('response', (response) => {
      if (response.request().resourceType() !== 'script') return;
      t.truthy(
        response.headers()['content-encoding'] ?? Number(response.headers()['content-length']) < 1_024,
      );
      sizes.push(Number(response.headers()['content-length']));
    });
    await visit('/demo/overview');
    await page.getByText('Page views').waitFor();
    await page.getByRole('img', { name: 'Events per hour' }).waitFor();
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    t.true(bytes > 50_000 && bytes <= 400_000, `${bytes} bytes`);
    t.true(sizes.length <= 6, `${sizes.length} files`);
  });
}

function testPalette(fixture: Fixture): void {
  test.serial('the palette opens a rule set by a few letters, by keyboard', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    await visit('/demo/overview');
    await page.getByText('Page views').waitFor();
    await page.getByRole('button', { name: 'Search … Ctrl K' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('[aria-label="Page, rule set, item or action"]:focus').waitFor();
    await page.keyboard.type('watc');
    await page.locator('[data-combobox-selected]', { hasText: 'watch' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /watch/, level: 1 }).waitFor();
    t.regex(page.url(), /\/console\/demo\/configurations\/watch$/);
  });
}
