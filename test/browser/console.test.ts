/** The console as people use it: in a real browser, on the demo, from a fresh service. */

import { readFile } from 'node:fs/promises';
import test from 'ava';
import type { Browser, Page } from 'playwright-core';
import { startTestService, type TestService } from '../support/service.ts';
import { findBarriers, launchBrowser, openConsole, overflowOf } from './support/browser.ts';

let service: TestService;
let browser: Browser;

test.before(async () => {
  const untilTheEnd = { teardown: () => undefined };
  [service, browser] = await Promise.all([startTestService(untilTheEnd, 'demo'), launchBrowser()]);
});

test.after.always(async () => {
  await browser?.close();
  await service?.stop();
});

/** What is on a page once it is there. */
const landmarks: [path: string, landmark: (page: Page) => ReturnType<Page['getByText']>][] = [
  ['overview', (page) => page.getByText('Page views')],
  ['playground?kind=user&visitor=anna', (page) => page.getByRole('button', { name: /^Why / }).first()],
  ['playground?compare=1&visitor2=chloe&kind2=user', (page) => page.getByText('One column')],
  ['configurations', (page) => page.getByRole('link', { name: 'watch' })],
  ['configurations/home', (page) => page.getByRole('button', { name: /^Why / }).first()],
  ['configurations/shop?panel=json', (page) => page.getByLabel('JSON of the configuration')],
  ['configurations/home/simulation', (page) => page.getByText('Nothing was simulated yet')],
  ['search?q=trial shoes', (page) => page.getByRole('heading', { name: 'How it is understood' })],
  [
    'metrics?metric=pageviews&by=page_type',
    (page) => page.getByRole('columnheader', { name: 'Highest step' }),
  ],
  ['experiments', (page) => page.getByText('No experiment runs here')],
  ['access', (page) => page.getByText('(you)')],
  ['catalogue', (page) => page.getByText('400 found')],
  ['catalogue/item/leather-trail-boots-resoleable', (page) => page.getByLabel('JSON of the item')],
  ['people?kind=user&id=anna', (page) => page.getByRole('button', { name: 'Delete …' })],
  ['access?view=changes', (page) => page.getByRole('columnheader', { name: 'What' })],
  ['models', (page) => page.getByRole('cell', { name: 'The first one' })],
  ['search?view=queries', (page) => page.getByText('Only those that find nothing')],
  ['configurations/home/versions', (page) => page.getByText('The first version')],
];

for (const [path, landmark] of landmarks) {
  test.serial(
    `${path}: no barrier in either theme, no complaint, nobody else asked, from 390 to 2560 px`,
    async (t) => {
      const { page, troubles, visit } = await openConsole(t, browser, service);
      await visit(`/demo/${path}`);
      await landmark(page).waitFor();
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor();
        t.deepEqual(await findBarriers(page), [], colorScheme);
      }
      for (const width of [390, 2560]) {
        await page.setViewportSize({ width, height: 900 });
        t.is(await overflowOf(page), 0, `${width} px`);
      }
      t.deepEqual(troubles, []);
    },
  );
}

test.serial(
  'signing in asks for a client, says what is wrong, and comes back as it was after a reload',
  async (t) => {
    const { page, visit } = await openConsole(t, browser, service, { signsIn: false });
    await visit('/demo/configurations');
    await page.getByLabel('Client id').fill(service.admin.clientId);
    await page.getByLabel('Client secret').fill('wrong');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').getByText('no client of this id and secret').waitFor();
    t.deepEqual(await findBarriers(page), []);
    await page.getByLabel('Client secret').fill(service.admin.clientSecret);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Configurations' }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'Configurations' }).waitFor();
    t.is(await page.evaluate('Object.values(localStorage).join() + document.cookie'), 'demo');
    await page.getByRole('button', { name: 'Account' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByLabel('Client id').waitFor();
    await page.reload();
    await page.getByLabel('Client id').waitFor();
    t.is(await page.getByRole('button', { name: 'Account' }).count(), 0);
  },
);

test.serial('what the scopes of a client do not allow is not offered', async (t) => {
  const { page, visit } = await openConsole(t, browser, service, { signsIn: false });
  const response = await fetch(new URL('/personalisation.v1.ClientService/CreateClient', service.baseUrl), {
    method: 'POST',
    headers: { authorization: service.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({
      client: { kind: 'CLIENT_KIND_CONFIDENTIAL', name: 'analyst', scopes: ['metrics:demo'] },
    }),
  });
  const { client, clientSecret } = (await response.json()) as {
    client: { clientId: string };
    clientSecret: string;
  };
  await visit('');
  await page.getByLabel('Client id').fill(client.clientId);
  await page.getByLabel('Client secret').fill(clientSecret);
  await page.keyboard.press('Enter');
  await page.getByText('Page views').waitFor();
  const navigation = page.getByRole('navigation', { name: 'Pages' });
  t.is(await navigation.getByRole('link', { name: 'Overview' }).count(), 1);
  t.is(await navigation.getByRole('link', { name: 'Configurations' }).count(), 0);
  t.is(await page.getByText('What to mend').count(), 0);
});

test.serial('the first page asks for at most 400 kB of compressed script', async (t) => {
  const { page, visit } = await openConsole(t, browser, service);
  const sizes: number[] = [];
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    t.truthy(response.headers()['content-encoding'] ?? Number(response.headers()['content-length']) < 1_024);
    sizes.push(Number(response.headers()['content-length']));
  });
  await visit('/demo/overview');
  await page.getByText('Page views').waitFor();
  await page.getByRole('img', { name: 'Events an hour' }).waitFor();
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  t.true(bytes > 50_000 && bytes <= 400_000, `${bytes} bytes`);
});

test.serial('the palette goes to a configuration by a few letters, by keyboard alone', async (t) => {
  const { page, visit } = await openConsole(t, browser, service);
  await visit('/demo/overview');
  await page.getByText('Page views').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Page, configuration or item' }).waitFor();
  await page.keyboard.type('watc');
  await page.getByRole('option', { name: /watch/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: /watch/ }).waitFor();
  t.regex(page.url(), /\/console\/demo\/configurations\/watch$/);
});

test.serial('the playground tells why, and why not, by keyboard alone', async (t) => {
  const { page, troubles, visit } = await openConsole(t, browser, service);
  await visit('/demo/playground?kind=user&visitor=anna&configuration=home');
  const first = page.getByRole('button', { name: /^Why / }).first();
  await first.waitFor();
  await first.focus();
  await page.keyboard.press('Enter');
  const drawer = page.getByRole('dialog', { name: 'Why it stands there' });
  await drawer.getByText('At most 3 of the same categories').waitFor();
  t.deepEqual(await findBarriers(page), []);
  await page.keyboard.press('Escape');
  await drawer.waitFor({ state: 'hidden' });
  await page.getByRole('textbox', { name: 'Why is it not there?' }).focus();
  await page.keyboard.type('moka pot on low heat');
  await page
    .getByRole('option', { name: /moka pot on low heat/i })
    .first()
    .waitFor();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page
    .getByRole('status')
    .getByText(/moka pot/i)
    .waitFor();
  t.deepEqual(troubles, []);
});

test.serial(
  'a merchandiser makes rules without JSON, by keyboard alone, sees the list change, and publishes',
  async (t) => {
    const { page, troubles, visit } = await openConsole(t, browser, service);
    await visit('/demo/configurations/window');
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    const addRule = async (name: string) => {
      await page.getByRole('button', { name: 'Add a rule' }).focus();
      await press('Enter');
      await page.getByRole('menuitem', { name }).focus();
      await press('Enter');
    };
    const choose = async (label: string, value: string) => {
      await page.getByRole('combobox', { name: label }).focus();
      await page.keyboard.type(value);
      await page.getByRole('option', { name: value, exact: true }).waitFor();
      await press('ArrowDown', 'Enter');
    };

    await addRule('At least');
    await choose('Property', 'brand');
    await page.getByLabel('Values of brand').focus();
    const brand = page.getByRole('option').first();
    await brand.waitFor();
    await press('ArrowDown', 'Enter');
    await addRule('Not too many of the same');
    await addRule('Only items that');
    await choose('Property', 'in stock');
    await page.getByRole('button', { name: 'Add a preference' }).focus();
    await press('Enter');
    await page.getByRole('menuitem', { name: 'Prefer new' }).focus();
    await press('Enter');
    await page.getByText('in stock is true').waitFor();
    await page.getByRole('button', { name: /^Why / }).first().waitFor();
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    t.deepEqual(await findBarriers(page), []);

    await page.getByRole('button', { name: 'Publish' }).focus();
    await press('Enter');
    await page.getByLabel('What changed, and why').fill('First window');
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).focus();
    await press('Enter');
    await page.getByText('In force · version 1').waitFor();
    const stored = await fetch(`${service.baseUrl}/configurations/window`, {
      headers: { authorization: service.authorization },
    });
    const { constraints, preferences } = (await stored.json()) as {
      constraints: unknown[];
      preferences: unknown[];
    };
    t.like(constraints, [
      { limit: { min: 2 } },
      { diversify: { key: 'categories' }, limit: { max: 3 } },
      { query: { key: 'in_stock', match: true } },
    ]);
    t.deepEqual(preferences, [{ query: { key: 'publication_datetime', date_range: { min: 'now-7d' } } }]);
    t.deepEqual(
      troubles.filter((trouble) => !trouble.includes('status of 400')),
      [],
    );
  },
);

test.serial(
  'form and JSON are one truth, what would be refused is said as one types, and a draft survives a reload',
  async (t) => {
    const { page, visit } = await openConsole(t, browser, service);
    await visit('/demo/configurations/fresh?panel=json');
    const json = page.getByLabel('JSON of the configuration');
    await json.waitFor();
    const text = JSON.parse(await json.inputValue());
    text.constraints.push({ query: { key: 'brnd', match: 'x' } });
    await json.fill(JSON.stringify(text));
    await page
      .getByRole('listitem')
      .getByText(/Did you mean brand/)
      .waitFor();
    text.constraints[4] = { query: { key: 'brand', match: 'x' }, limit: { min: 3 } };
    await json.fill(JSON.stringify(text));
    await page.getByText('At least 3').waitFor();
    await page.reload();
    await page.getByText('At least 3').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('At least 3').waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await page.getByText('At least 3').waitFor();
    t.is(JSON.parse(await json.inputValue()).constraints.length, text.constraints.length);
  },
);

test.serial('a version that somebody has written meanwhile is not overwritten unseen', async (t) => {
  const { page, visit } = await openConsole(t, browser, service);
  await visit('/demo/configurations/watch');
  await page.getByRole('button', { name: 'Add a preference' }).click();
  await page.getByRole('menuitem', { name: 'Prefer new' }).click();
  await fetch(`${service.baseUrl}/configurations/watch`, {
    method: 'PUT',
    headers: { authorization: service.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ constraints: [] }),
  });
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click();
  await page.getByText('Somebody has published version 2').waitFor();
  t.deepEqual(await findBarriers(page), []);
});

test.serial('a user is looked up, saved as a file, and deleted with a receipt', async (t) => {
  const { page, troubles, visit } = await openConsole(t, browser, service);
  const event = {
    event_type: 'page_visit',
    user_id: 'console-user',
    device_id: 'console-device',
    page_type: 'home',
  };
  await fetch(`${service.baseUrl}/demo/events`, {
    method: 'POST',
    headers: { authorization: service.authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ events: [event] }),
  });
  await visit('/demo/people');
  await page.getByLabel('Id').fill('console-user');
  await page.keyboard.press('Enter');
  await page.getByText('1 event', { exact: true }).waitFor();
  await page.getByText('console-device').waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as a file' }).click();
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\n');
  t.like(JSON.parse(lines.at(-1)!), { record: 'event', event });
  await page.getByRole('button', { name: 'Delete …' }).click();
  const remove = page.getByRole('button', { name: 'Delete for good' });
  t.true(await remove.isDisabled());
  t.deepEqual(await findBarriers(page), []);
  await page.getByLabel('Type the id to confirm').fill('console-user');
  await remove.click();
  await page.getByText('events 1').waitFor();
  await page.reload();
  await page.getByText('Nothing is stored').waitFor();
  t.deepEqual(
    troubles.filter((trouble) => !trouble.includes('404')),
    [],
  );
});

test.serial('what was changed is found by its resource, with what was before and after', async (t) => {
  const { page, visit } = await openConsole(t, browser, service);
  const put = (title: string) =>
    fetch(`${service.baseUrl}/configurations/audited`, {
      method: 'PUT',
      headers: { authorization: service.authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ constraints: [{ query: { key: 'title', match: title } }] }),
    });
  await put('former');
  await put('latter');
  await visit('/demo/access');
  await page.getByText('Changes', { exact: true }).click();
  await page.getByLabel('Resource').fill('configurations/audited');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Details' }).nth(1).waitFor();
  t.is(await page.getByRole('button', { name: 'Details' }).count(), 2);
  await page.getByRole('button', { name: 'Details' }).first().click();
  await page.getByText('"former"').waitFor();
  await page.getByText('"latter"').waitFor();
});
