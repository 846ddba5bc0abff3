/** Signing in, and what is offered to whom. */

import test from 'ava';
import type { Page } from 'playwright-core';
import { findBarriers } from '../support/browser.ts';
import type { House } from '../support/house.ts';

export function tellSigningIn(house: House): void {
  tellWhoIsAsked(house);
  tellNobodyThere(house);
  tellNothingLeft(house);
  tellIssuer(house);
  tellTyped(house);
  tellExpiry(house);
  tellScopes(house);
  tellSize(house);
  tellPalette(house);
}

function tellWhoIsAsked(house: House): void {
  test.serial(
    'signing in asks for a client, says what is wrong, and comes back as it was after a reload',
    async (t) => {
      const { page, visit } = await house.newcomer(t, { signsIn: false });
      await visit('/demo/configurations');
      await page.getByLabel('Client id').fill(house.service.admin.clientId);
      await page.getByLabel('Client secret').fill('wrong');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').getByText('no client of this id and secret').waitFor();
      t.deepEqual(await findBarriers(page), []);
      await page.getByLabel('Client secret').fill(house.service.admin.clientSecret);
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
    },
  );
}

function tellNobodyThere(house: House): void {
  test.serial('signing in and out tells in words that the service is not there', async (t) => {
    const { page, visit } = await house.newcomer(t);
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
    t.deepEqual(await findBarriers(page), []);
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

/** Their session ends by itself, unless they sign out. */
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

function tellNothingLeft(house: House): void {
  for (const [how, end] of Object.entries(leave))
    test.serial(`what somebody left who ${how} is not there for the next in the tab`, async (t) => {
      const other = await house.makeClient(['configurations:*', 'items:demo', 'metrics:demo']);
      const { page, visit, goTo } = await house.newcomer(t);
      const path = `left-by-who-${how.replaceAll(' ', '-')}`;
      await visit(`/demo/configurations/${path}?panel=json`);
      const field = page.getByRole('textbox', { name: 'Rule set JSON' });
      await field.fill('{ "constraints": [], "_why": "nobody else shall know" }');
      await goTo('/demo/catalogue/import');
      const ended = Promise.withResolvers<void>();
      t.teardown(() => ended.resolve());
      let sent = 0;
      await page.route('**/*CatalogueService/PutItems', async (route) => {
        sent += 1;
        await ended.promise;
        await route.continue();
      });
      const rows = Array.from({ length: 1_500 }, (_, i) => `${path}-${i},Left ${i}`);
      const file = { name: 'secret.csv', mimeType: 'text/csv' };
      const buffer = Buffer.from(`item_id,title\n${rows.join('\n')}\n`);
      await page.locator('input[type=file]').setInputFiles({ ...file, buffer });
      await page.getByRole('button', { name: 'Dry run' }).click();
      await page
        .getByText(/Dry run/)
        .first()
        .waitFor();
      await end(page);
      await page.getByLabel('Client id').fill(other.clientId);
      await page.getByLabel('Client secret').fill(other.clientSecret);
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: 'Account' }).waitFor();
      ended.resolve();
      await goTo('/demo/catalogue/import');
      await page.locator('input[type=file]').waitFor({ state: 'attached' });
      t.is(await page.getByText('secret.csv').count(), 0);
      await goTo(`/demo/configurations/${path}?panel=json`);
      t.false((await field.inputValue()).includes('nobody else'));
      t.is(sent, 1);
    });
}

function tellIssuer(house: House): void {
  test.serial('where tokens come from elsewhere, one is asked for again after signing out', async (t) => {
    const { page, visit } = await house.newcomer(t);
    await visit('/demo/configurations');
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

/** What the service answers to a token that is over. */
const expired = {
  status: 401,
  contentType: 'application/json',
  body: '{"code": "unauthenticated", "message": "The token has expired."}',
};

async function signInAgain(page: Page, { service }: House): Promise<void> {
  await page.getByLabel('Client id').fill(service.admin.clientId);
  await page.getByLabel('Client secret').fill(service.admin.clientSecret);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Account' }).waitFor({ state: 'attached' });
}

function tellTyped(house: House): void {
  test.serial('what somebody types is there when they have signed in again', async (t) => {
    const { page, troubles, visit } = await house.newcomer(t);
    await visit('/demo/access');
    await page.getByRole('button', { name: 'New client' }).click();
    const dialog = page.getByRole('dialog', { name: 'New client' });
    await dialog.getByRole('combobox', { name: 'Permissions' }).click();
    await page.getByRole('option', { name: 'items' }).click();
    await dialog.getByLabel('Name').fill('Typed before the session ended');
    await page.route('**/*ClientService/CreateClient', (route) => route.fulfill(expired));
    await dialog.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('alert').getByText('Your session has ended. Sign in again.').waitFor();
    t.is(await page.getByText('Typed before the session ended').count(), 0);
    t.false(await dialog.isVisible());
    t.deepEqual(await findBarriers(page), []);
    await page.unrouteAll();
    await signInAgain(page, house);
    t.is(await dialog.getByLabel('Name').inputValue(), 'Typed before the session ended');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('client_secret').waitFor();
    t.deepEqual(
      troubles.filter((trouble) => !trouble.includes('401')),
      [],
    );
  });
}

function tellExpiry(house: House): void {
  test.serial('a late answer to the session before does not end the one that was begun since', async (t) => {
    const { page, visit } = await house.newcomer(t);
    await house.send('PUT', '/demo/items/item/saved-late', { title: 'Before' });
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
    await signInAgain(page, house);
    const late = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    held.resolve();
    await (await late).finished();
    await page.getByRole('link', { name: 'Batches' }).click();
    await page.getByRole('heading', { name: 'Batches', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Batches', level: 1 }).waitFor();
    t.is(await page.getByLabel('Client id').count(), 0);
  });

  test.serial(
    'a tab whose session ends leaves that of another tab as it is, and goes on with it',
    async (t) => {
      const { page, visit } = await house.newcomer(t);
      await visit('/demo/configurations');
      await page.getByRole('heading', { name: 'Rule sets' }).waitFor();
      const other = await page.context().newPage();
      await other.goto(page.url());
      await other.getByRole('button', { name: 'Account' }).click();
      await other.getByRole('menuitem', { name: 'Sign out' }).click();
      await signInAgain(other, house);
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
    },
  );
}

function tellScopes(house: House): void {
  test.serial('what the scopes of a client do not allow is not offered', async (t) => {
    const { page, visit } = await house.newcomer(t, { signsIn: false });
    const { clientId, clientSecret } = await house.makeClient(['metrics:demo']);
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

function tellSize(house: House): void {
  test.serial('the first page asks for at most 400 kB of compressed script, in a few files', async (t) => {
    const { page, visit } = await house.open(t);
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

function tellPalette(house: House): void {
  test.serial('the palette goes to a configuration by a few letters, by keyboard alone', async (t) => {
    const { page, visit } = await house.newcomer(t);
    await visit('/demo/overview');
    await page.getByText('Page views').waitFor();
    await page.getByRole('button', { name: 'Search … Ctrl K' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.locator('[aria-label="Page, rule set or item"]:focus').waitFor();
    await page.keyboard.type('watc');
    await page.getByRole('option', { name: /watch/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: /watch/, level: 1 }).waitFor();
    t.regex(page.url(), /\/console\/demo\/configurations\/watch$/);
  });
}
