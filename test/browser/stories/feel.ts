/** The console by keyboard, in dense spacing and in wide windows; titles, rows and scrolling of every page. */

import test from 'ava';
import { findViolations, waitUntil } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

/** Elements of the page that scroll vertically beside the page itself. */
const innerScrollers = `[...document.querySelectorAll('main *')].filter((one) =>
  one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY)).length`;

const isDense = `document.documentElement.hasAttribute('data-dense')`;

export function testFeel(fixture: Fixture): void {
  testKeys(fixture);
  testOverview(fixture);
  testFields(fixture);
  test.serial('the title of the tab names the page and the environment', async (t) => {
    const { page, troubles, goTo } = await fixture.fresh(t);
    const titles: [path: string, title: string][] = [
      ['overview', 'Overview · demo'],
      ['configurations/home/versions', 'home · demo'],
      ['catalogue/item/leather-trail-boots-resoleable', 'Leather trail boots, resoleable · demo'],
      ['audiences/new', 'New audience · demo'],
    ];
    for (const [path, title] of titles) {
      await goTo(`/demo/${path}`);
      await waitUntil(page, `document.title === ${JSON.stringify(title)}`);
    }
    await page.getByRole('button', { name: /^Account/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await waitUntil(page, `document.title === 'Sign in · Console'`);
    t.deepEqual(troubles, []);
  });

  test.serial('a click anywhere in a row opens it; the page is the only scroll area', async (t) => {
    const { page, goTo } = await fixture.fresh(t);
    await goTo('/demo/catalogue');
    const rows = page.getByRole('region', { name: 'Items' }).getByRole('link');
    await rows.nth(5).waitFor();
    t.is(await page.evaluate(innerScrollers), 0);
    await waitUntil(page, `(scrollTo(0, 1e6), document.querySelector('[aria-posinset="400"]'))`);
    await goTo('/demo/configurations');
    const watch = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'watch' }) });
    await watch
      .getByRole('cell')
      .nth(1)
      .click({ position: { x: 3, y: 3 } });
    await page.waitForURL(/configurations\/watch/);
  });

  test.serial('wide windows are used', async (t) => {
    const { page, goTo } = fixture.shared;
    t.teardown(() => page.setViewportSize({ width: 1280, height: 900 }));
    await page.setViewportSize({ width: 1920, height: 1080 });
    await goTo('/demo/models');
    const table = page.getByRole('table');
    t.true((await table.boundingBox())!.width > 1_600);
  });
}

function testKeys(fixture: Fixture): void {
  test.serial('single keys move through rows, create, and can be switched off', async (t) => {
    const { page, goTo } = await fixture.fresh(t);
    await goTo('/demo/configurations');
    await page.getByRole('link', { name: 'watch' }).waitFor();
    await page.keyboard.press('j');
    const links = page.locator('main tbody a.row-link');
    await waitUntil(page, `document.activeElement === document.querySelector('main tbody a.row-link')`);
    await page.keyboard.press('j');
    const second = (await links.nth(1).textContent())!;
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1 }).getByText(second).waitFor();
    await goTo('/demo/configurations');
    await page.getByRole('link', { name: 'watch' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('dialog', { name: 'New rule set' }).getByLabel('ID').fill('njd?');
    await page.keyboard.press('Escape');
    await page.keyboard.press('Shift+?');
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    t.deepEqual(await findViolations(page), []);
    await help.getByRole('switch', { name: 'Single-key shortcuts' }).click();
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.press('d');
    t.false(await page.evaluate(isDense));
  });

  test.serial('the palette runs actions', async (t) => {
    const { page, goTo } = await fixture.fresh(t);
    await goTo('/demo/configurations');
    const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'watch' }) });
    await row.waitFor();
    const comfortable = (await row.boundingBox())!.height;
    const run = async (words: string, action: string) => {
      await page.keyboard.press('ControlOrMeta+K');
      await page.getByRole('textbox', { name: 'Page, rule set, item or action' }).fill(words);
      await page.locator('[data-combobox-selected]', { hasText: action }).waitFor();
      await page.keyboard.press('Enter');
    };
    await run('dense', 'Dense spacing');
    await waitUntil(page, isDense);
    t.true((await row.boundingBox())!.height < comfortable);
    t.deepEqual(await findViolations(page), []);
    await page.reload();
    await waitUntil(page, isDense);
    await run('new aud', 'New audience');
    await page.getByRole('heading', { name: 'New audience' }).waitFor();
    await run('keyboard', 'Keyboard shortcuts');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
  });
}

function testFields(fixture: Fixture): void {
  test.serial('a stock budget is set in the editor', async (t) => {
    const { page, goTo } = await fixture.fresh(t);
    await goTo('/demo/configurations/stocked?panel=json');
    await page.getByRole('button', { name: 'Settings and schedule' }).click();
    await page.getByRole('combobox', { name: 'Stock' }).click();
    await page.getByRole('option', { name: 'price' }).click();
    await page.getByLabel('Impressions per unit').fill('50');
    t.deepEqual(await findViolations(page), []);
    const json = JSON.parse(await page.getByLabel('Rule set JSON').inputValue());
    t.deepEqual(json.stock_budget, { impressions_per_unit: 50, property: 'price' });
  });

  test.serial('an experiment can be limited by any variable of the request', async (t) => {
    const { page, goTo } = await fixture.fresh(t);
    await goTo('/demo/experiments/new');
    await page.getByLabel('ID', { exact: true }).fill('loyal-people');
    const enter = async (field: string, value: string) => {
      await page.getByRole('combobox', { name: field, exact: true }).fill(value);
      await page.keyboard.press('Enter');
    };
    await enter('Other variables of the request', 'loyalty');
    await enter('loyalty', 'gold');
    await enter('Page types', 'home');
    await page.getByRole('button', { name: 'Save draft' }).click();
    await page.getByText('Not started.').waitFor();
    const stored = await (await fixture.send('GET', '/demo/experiments/loyal-people')).json();
    const { audience } = stored as { audience: object };
    t.deepEqual(audience, { loyalty: ['gold'], page_type: ['home'] });
    await fixture.send('DELETE', '/demo/experiments/loyal-people');
  });
}

function testOverview(fixture: Fixture): void {
  test.serial(
    'the overview has a checklist, which can be hidden, and a button for each finding',
    async (t) => {
      const { page, troubles, goTo } = await fixture.fresh(t);
      await goTo('/demo/overview');
      const checklist = page.getByRole('region', { name: 'Checklist' });
      await checklist.getByText('400 items in the catalogue.').waitFor();
      t.is(await checklist.getByRole('img', { name: 'Done', exact: true }).count(), 3);
      const finding = page.getByRole('region', { name: 'Issues to fix' });
      await finding.getByRole('button', { name: /Missing: removals from the cart/ }).waitFor();
      await finding.getByRole('button', { name: 'Copy call' }).first().waitFor();
      t.deepEqual(await findViolations(page), []);
      await checklist.getByRole('button', { name: 'Hide' }).click();
      await checklist.waitFor({ state: 'detached' });
      await page.reload();
      await finding.waitFor();
      t.is(await checklist.count(), 0);
      t.deepEqual(troubles, []);
    },
  );

  test.serial('an empty environment begins with a file drop area', async (t) => {
    const { page, goTo } = await fixture.fresh(t);
    t.teardown(() => page.unrouteAll());
    await page.route('**/*EnvironmentService/ListEnvironments', async (route) => {
      const answer = await route.fetch({ maxRetries: 5 });
      const { environments } = (await answer.json()) as { environments: object[] };
      await route.fulfill({ json: { environments: environments.map((one) => ({ ...one, itemCount: 0 })) } });
    });
    await goTo('/demo/overview');
    await page.getByRole('heading', { level: 2 }).first().getByText('Start with your catalogue').waitFor();
    t.deepEqual(await findViolations(page), []);
    const text = 'id,title,type\nfirst-boots,First boots,item\n';
    const file = { name: 'mine.csv', mimeType: 'text/csv', buffer: Buffer.from(text) };
    await page.locator('input[type=file]').setInputFiles(file);
    await page.waitForURL(/catalogue\/import/);
    await page.getByRole('button', { name: 'Choose another file' }).waitFor();
    await page.getByText('mine.csv').first().waitFor();
  });
}
