/** Versions, schedules, conflicts and simulations of rule sets. */

import test from 'ava';
import type { Route } from 'playwright-core';
import { findViolations, waitUntil } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testConfigurations(fixture: Fixture): void {
  testMany(fixture);
  testNew(fixture);
  testLate(fixture);
  testOvertaken(fixture);
  testOrder(fixture);
  testDeleted(fixture);
  testLarge(fixture);
  testMinutes(fixture);
  testOwnHistory(fixture);
  testYear(fixture);
  testGateway(fixture);
  testWayBack(fixture);
  testSchedule(fixture);
  testKeptSchedule(fixture);
  testOtherEnvironments(fixture);
  testListing(fixture);
  testFreshRule(fixture);
  testSimulation(fixture);
}

function testWayBack(fixture: Fixture): void {
  test.serial(
    'compares a version with the previous one, and restores an earlier version unchanged',
    async (t) => {
      const { page, troubles, goTo } = fixture.shared;
      const path = '/configurations/regretted';
      const limited = (min: number) => ({
        constraints: [{ query: { key: 'in_stock', match: true }, limit: { min } }],
      });
      await fixture.send('PUT', path, limited(1));
      await fixture.send('PUT', path, limited(7));
      await goTo('/demo/configurations/regretted/versions');
      await page.getByRole('heading', { name: 'Version 2', exact: true }).waitFor();
      await page.getByText('At least 1 → 7: in stock', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Show raw data' }).click();
      await page.getByText('/constraints/0/limit/min').waitFor();
      t.deepEqual(await findViolations(page), []);
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
      await page.getByText('Restored version 1 as version 3.').waitFor();
      await page.getByRole('heading', { level: 1 }).getByText('Live: v3').waitFor();
      const answer = await fixture.send('GET', path);
      t.like(await answer.json(), limited(1));
      await page.getByRole('combobox', { name: 'Compare with version' }).click();
      await page.getByRole('option', { name: 'Changes from version 1' }).click();
      await page.getByText('Same content as version 1.').waitFor();
      t.deepEqual(troubles, []);
    },
  );
  testRestoring(fixture);
}

function testRestoring(fixture: Fixture): void {
  test.serial('the restore dialog shows no error of another version', async (t) => {
    const { page, goTo } = fixture.shared;
    t.teardown(() => page.unrouteAll());
    for (const min of [1, 2, 3])
      await fixture.send('PUT', '/configurations/regretted-twice', {
        constraints: [{ query: { key: 'in_stock', match: true }, limit: { min } }],
      });
    await goTo('/demo/configurations/regretted-twice/versions');
    const dialog = page.getByRole('dialog');
    const ask = async (version: string) => {
      await page
        .getByRole('row')
        .filter({ has: page.getByRole('button', { name: version, exact: true }) })
        .getByRole('button', { name: 'Restore' })
        .click();
      await dialog.getByText(`Restore version ${version}?`).waitFor();
    };
    await ask('2');
    const looks = Promise.withResolvers<void>();
    await page.route('**/*ListConfigurationVersions', async (route) => {
      await looks.promise;
      await route.continue();
    });
    const gate = Promise.withResolvers<void>();
    let answer = (route: Route) => route.abort();
    await page.route('**/*RollBackConfiguration', (route) => answer(route));
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await dialog.getByRole('alert').waitFor();
    looks.resolve();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await ask('1');
    t.is(await dialog.getByRole('alert').count(), 0);
    answer = async (route) => {
      await gate.promise;
      await route.continue();
    };
    await dialog.getByRole('button', { name: 'Restore' }).click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    gate.resolve();
    await page.getByText('Restored version 1 as version 4.').waitFor();
  });
}

function testSchedule(fixture: Fixture): void {
  test.serial('a schedule from the form appears on the calendar after publishing', async (t) => {
    const { page, goTo } = fixture.shared;
    await goTo('/demo/configurations/winter-window');
    await page.getByRole('button', { name: 'Settings and schedule' }).click();
    await page.getByLabel('Starts').fill('2032-01-10T09:00');
    await page.getByLabel('Ends').fill('2032-01-20T18:30');
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByText('Next: v1 on 10 Jan 2032, 09:00').waitFor();
    t.deepEqual(await findViolations(page), []);
    await goTo('/demo/configurations?view=calendar&month=2032-01');
    const calendar = page.getByRole('region', { name: 'Calendar' });
    await calendar.getByRole('link', { name: 'winter-window' }).waitFor();
    await calendar.getByText('v1 from 10 Jan 2032, 09:00 until 20 Jan 2032, 18:30').waitFor();
  });
}

function testFreshRule(fixture: Fixture): void {
  test.serial(
    'a new rule shows no fault before it is changed, and the preview announces its items',
    async (t) => {
      const { page, troubles, goTo } = fixture.shared;
      await goTo('/demo/configurations/fresh-rule');
      t.is(await page.getByRole('button', { name: 'Publish', exact: true }).getAttribute('title'), null);
      await page.getByRole('button', { name: 'Add a rule' }).click();
      await page.getByRole('menuitem').first().click();
      await page.getByText('Fix the faults to update the preview.').waitFor();
      t.is(await page.getByText(/required|needs/i).count(), 0);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page
        .getByRole('status')
        .filter({ hasText: /^Preview updated: \d+ items?\.$/ })
        .waitFor();
      t.deepEqual(troubles, []);
    },
  );
}

function testListing(fixture: Fixture): void {
  test.serial('rule sets are found, sorted, renamed, duplicated and deleted in the list', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    const rules = { constraints: [{ query: { key: 'in_stock', match: true } }] };
    await fixture.send('PUT', '/configurations/listed-a', { ...rules, name: 'Zebra window' });
    await fixture.send('PUT', '/configurations/listed-b', { search: { redirect: '/sale' } });
    await visit('/demo/configurations?q=listed');
    const rows = page.getByRole('row').filter({ hasText: 'listed-' });
    await rows.nth(1).waitFor();
    t.is(await rows.count(), 2);
    await page.getByRole('combobox', { name: 'Applies to' }).click();
    await page.getByRole('option', { name: 'Searches', exact: true }).click();
    await rows.nth(1).waitFor({ state: 'detached' });
    t.is(await rows.filter({ hasText: 'listed-b' }).count(), 1);
    await visit('/demo/configurations?q=zebra&sort=name');
    const act = async (id: string, action: string) => {
      await page.getByRole('button', { name: `Actions for ${id}` }).click();
      await page.getByRole('menuitem', { name: action }).click();
      return page.getByRole('dialog');
    };
    const renaming = await act('listed-a', 'Rename');
    await renaming.getByLabel('Name').fill('Zebra aisle');
    await renaming.getByLabel('Description').fill('Shown in spring');
    t.deepEqual(await findViolations(page), []);
    await renaming.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Zebra aisle' }).waitFor();
    await page.getByText('Shown in spring').waitFor();
    const copying = await act('listed-a', 'Duplicate');
    await copying.getByRole('button', { name: 'Duplicate' }).click();
    await page.getByRole('heading', { level: 1 }).getByText('Zebra aisle (copy)').waitFor();
    await page.getByText('ID listed-a-copy.').waitFor();
    await page.keyboard.press('ControlOrMeta+K');
    await page.getByRole('textbox', { name: 'Page, rule set, item or action' }).fill('zebra');
    await page.getByRole('option', { name: 'Zebra aisle Rule set listed-a' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByText('New', { exact: true }).waitFor();
    t.is((await fixture.send('GET', '/configurations/listed-a-copy')).status, 404);
    await visit('/demo/configurations?q=listed');
    const deleting = await act('listed-b', 'Delete');
    await deleting.getByRole('button', { name: 'Delete' }).click();
    await rows.filter({ hasText: 'listed-b' }).waitFor({ state: 'detached' });
    t.is((await fixture.send('GET', '/configurations/listed-b')).status, 404);
    t.deepEqual(troubles, []);
  });
}

function testOtherEnvironments(fixture: Fixture): void {
  test.serial('rule sets of other environments are not offered', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    await page.route('**/*ListConfigurations', (route) => {
      const summary = (configurationId: string, environments: string[]) => ({
        configurationId,
        version: 1,
        environments,
        periods: [{ version: 1, live: true }],
      });
      const summaries = [summary('here', ['demo']), summary('everywhere', []), summary('there', ['news'])];
      return route.fulfill({ json: { summaries } });
    });
    await visit('/demo/configurations');
    await page.getByRole('link', { name: 'everywhere' }).waitFor();
    t.is(await page.getByRole('link', { name: 'here', exact: true }).count(), 1);
    t.is(await page.getByText('there', { exact: true }).count(), 0);
    await visit('/demo/batches/new');
    await page.getByRole('button', { name: 'Add a list' }).click();
    await page.getByRole('combobox', { name: 'Rule set' }).click();
    await page.getByRole('option', { name: 'everywhere' }).waitFor();
    t.is(await page.getByRole('option', { name: 'there', exact: true }).count(), 0);
    t.deepEqual(troubles, []);
  });
}

function testKeptSchedule(fixture: Fixture): void {
  test.serial('publishing keeps, moves or cancels a scheduled version', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    const path = '/configurations/season';
    const limited = (min: number) => ({
      constraints: [{ query: { key: 'in_stock', match: true }, limit: { min } }],
    });
    const scheduled = { ...limited(2), active_from: '2032-12-01T09:00:00Z' };
    await fixture.send('PUT', path, limited(1));
    await fixture.send('PUT', path, scheduled);
    await goTo('/demo/configurations/season?panel=json');
    await page.getByText('Live: v1', { exact: true }).waitFor();
    await page.getByText(/^Next: v2 on 1 Dec 2032/).waitFor();
    const dialog = page.getByRole('dialog');
    const publishNow = async (min: number, choice: string) => {
      await page.getByRole('textbox', { name: 'Rule set JSON' }).fill(JSON.stringify(limited(min)));
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await dialog.getByLabel(choice).check();
      if (choice === 'Move the start') await dialog.getByLabel('New start').fill('2033-01-05T09:00');
      t.deepEqual(await findViolations(page), []);
      await dialog.getByRole('button', { name: 'Publish', exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    };
    await publishNow(3, 'Keep the schedule');
    await page.getByText('Live: v3', { exact: true }).waitFor();
    await page.getByText(/^Next: v4 on 1 Dec 2032/).waitFor();
    t.like(await (await fixture.send('GET', path)).json(), scheduled);
    await publishNow(5, 'Move the start');
    await page.getByText('Live: v5', { exact: true }).waitFor();
    await page.getByText(/^Next: v6 on 5 Jan 2033/).waitFor();
    await goTo('/demo/configurations?view=calendar&month=2033-01');
    await page.getByText(/^v6 from 5 Jan 2033/).waitFor();
    await goTo('/demo/configurations/season?panel=json');
    await publishNow(7, 'Cancel the schedule');
    await page.getByText('Live: v7', { exact: true }).waitFor();
    t.is(await page.getByText(/^Next:/).count(), 0);
    t.deepEqual(troubles, []);
  });
}

function testSimulation(fixture: Fixture): void {
  test.serial('simulates a draft for searches on recorded searches', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    const searched = { device_id: 'searcher', page_type: 'search', q: 'lantern', list_size: 5 };
    await fixture.send('POST', '/demo/searches/requests', searched);
    const steering = { environments: ['demo'], when: { queries: [{ exact: 'lantern' }] } };
    await fixture.send('PUT', '/configurations/lanterns', { constraints: [], search: steering });
    await goTo('/demo/configurations/lanterns');
    await page.getByLabel('Redirect').fill('/lanterns');
    await page.getByRole('tab', { name: 'Simulation' }).click();
    const changes = page.getByRole('region', { name: 'Queries that change' });
    await page.getByRole('button', { name: 'Simulate' }).click();
    await changes.getByRole('link', { name: 'lantern' }).waitFor();
    await changes.getByText('redirects to /lanterns').waitFor();
    t.deepEqual(await findViolations(page), []);
    t.deepEqual(troubles, []);
  });
}

async function publish({ page }: Fixture['shared']): Promise<void> {
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
}

function testMany(fixture: Fixture): void {
  test.serial('lists a hundred rule sets, and loads more on demand', async (t) => {
    /** A page of its own: the shared one would cache these answers. */
    const { page, troubles, visit } = await fixture.fresh(t);
    const configurationIds = Array.from({ length: 250 }, (_, i) => `many-${1_000 + i}`);
    const asked: string[] = [];
    page.on('request', (request) => asked.push(new URL(request.url()).pathname));
    const summaries = configurationIds.map((configurationId) => ({ configurationId, version: 7 }));
    await page.route('**/*ListConfigurations', (route) =>
      route.fulfill({ json: { configurationIds, summaries } }),
    );
    await page.route('**/*ListConfigurationDrafts', (route) => route.fulfill({ json: {} }));
    await visit('/demo/configurations');
    const rows = page.getByRole('cell', { name: 'version 7' });
    await rows.nth(99).waitFor();
    t.is(await rows.count(), 100);
    const more = page.getByRole('button', { name: 'Load more' });
    await more.click();
    await more.click();
    await rows.nth(249).waitFor();
    t.is(await more.count(), 0);
    t.false(asked.some((path) => path.endsWith('/GetConfiguration')));
    t.deepEqual(troubles, []);
  });
}

function testNew(fixture: Fixture): void {
  test.serial('reports the first version, and a conflict if another user published first', async (t) => {
    /** A page of its own: earlier notifications stay on the shared one for a while. */
    const own = await fixture.fresh(t);
    const { page, visit } = own;
    await visit('/demo/configurations/published-first');
    await publish(own);
    await page.getByText('Version 1 is published.').waitFor();
    await visit('/demo/configurations/published-late');
    await page.getByText('New', { exact: true }).waitFor();
    await fixture.send('PUT', '/configurations/published-late', { constraints: [] });
    await publish(own);
    const merging = page.getByRole('dialog', { name: 'Merge changes' });
    await merging.getByText('Your change is kept').waitFor();
    await merging.getByRole('button', { name: 'Merge' }).click();
    await merging.waitFor({ state: 'detached' });
    await publish(own);
    await page.getByText('Version 2 is published.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    t.is(await merging.count(), 0);
  });
}

function testLate(fixture: Fixture): void {
  test.serial('reports a publication whose dialog has been closed', async (t) => {
    const own = await fixture.fresh(t);
    const { page, visit } = own;
    const gate = Promise.withResolvers<void>();
    await page.route('**/api/configurations/published-slowly**', async (route) => {
      if (route.request().method() === 'PUT') await gate.promise;
      await route.continue();
    });
    await visit('/demo/configurations/published-slowly?panel=json');
    const field = page.getByRole('textbox', { name: 'Rule set JSON' });
    await field.fill('{ "constraints": [] }');
    await publish(own);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await field.fill('{ "constraints": [], "allow_duplicates": true }');
    gate.resolve();
    await page.getByText('Version 1 is published.').waitFor();
    await page.getByText('Live: v1').waitFor();
    await page.getByText('Changed', { exact: true }).waitFor();
    t.is(await field.inputValue(), '{ "constraints": [], "allow_duplicates": true }');
    await publish(own);
    await page.getByText('Version 2 is published.').waitFor();
    await page.getByText('Changed', { exact: true }).waitFor({ state: 'detached' });
  });
}

function testOvertaken(fixture: Fixture): void {
  const limited = (min: number) => ({
    constraints: [{ query: { key: 'in_stock', match: true }, limit: { min } }],
  });

  test.serial('a discarded draft does not hide a version of another user', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    const path = '/configurations/taken-back';
    await fixture.send('PUT', path, limited(1));
    await visit('/demo/configurations/taken-back?panel=json');
    const field = page.getByRole('textbox', { name: 'Rule set JSON' });
    await field.fill('{ "constraints": [] }');
    await page.getByRole('button', { name: 'Discard' }).click();
    await page.getByText('Changed', { exact: true }).waitFor({ state: 'detached' });
    await fixture.send('PUT', path, limited(9));
    await page.reload();
    await page.getByText('Live: v2').waitFor();
    t.like(JSON.parse(await field.inputValue()), limited(9));
    t.is(await page.getByText('Changed', { exact: true }).count(), 0);
  });

  test.serial('an unchanged rule set shows the version of another user', async (t) => {
    const { page, visit } = await fixture.open(t);
    const path = '/configurations/looked-at';
    await fixture.send('PUT', path, limited(1));
    await page.clock.install();
    await visit('/demo/configurations/looked-at?panel=json');
    const field = page.getByRole('textbox', { name: 'Rule set JSON' });
    await field.waitFor();
    await page.getByRole('link', { name: 'Rule sets', exact: true }).click();
    await page.getByRole('heading', { name: 'Rule sets', level: 1 }).waitFor();
    await fixture.send('PUT', path, limited(9));
    await page.clock.fastForward('01:00');
    await page.goBack();
    await page.getByText('Live: v2').waitFor();
    await waitUntil(
      page,
      `document.querySelector('[aria-label="Rule set JSON"]').value.includes('"min": 9')`,
    );
    t.like(JSON.parse(await field.inputValue()), limited(9));
  });
}

function testDeleted(fixture: Fixture): void {
  test.serial('publishing restores a rule set that another user deleted, after a warning', async (t) => {
    const own = await fixture.fresh(t);
    const { page, visit } = own;
    const path = '/configurations/deleted-meanwhile';
    await fixture.send('PUT', path, { constraints: [] });
    await visit('/demo/configurations/deleted-meanwhile?panel=json');
    const field = page.getByRole('textbox', { name: 'Rule set JSON' });
    await field.fill('{ "constraints": [], "allow_duplicates": true }');
    await fixture.send('DELETE', path);
    await publish(own);
    await page
      .getByRole('alert')
      .getByText('Another user has deleted the rule set since you started.')
      .waitFor();
    await page.getByRole('button', { name: 'Overwrite' }).click();
    await page.getByText(/^Version \d is published\.$/).waitFor();
    const answer = await fixture.send('GET', path);
    t.like(await answer.json(), { allow_duplicates: true });
  });
}

function testOrder(fixture: Fixture): void {
  test.serial('moves and deletes rules by keyboard', async (t) => {
    const { page, goTo } = fixture.shared;
    const limited = [1, 2, 3].map((min) => ({ query: { key: 'in_stock', match: true }, limit: { min } }));
    await fixture.send('PUT', '/configurations/ordered', { constraints: limited });
    await goTo('/demo/configurations/ordered?panel=json');
    const rules = page.getByRole('region', { name: 'Rules' });
    await rules.getByRole('listitem').first().getByRole('button').click();
    await rules.getByRole('button', { name: 'Move the rule down' }).focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    const field = page.getByRole('textbox', { name: 'Rule set JSON' });
    const written = JSON.parse(await field.inputValue()) as { constraints: typeof limited };
    t.deepEqual(
      written.constraints.map(({ limit }) => limit.min),
      [2, 3, 1],
    );
    t.is(await rules.getByRole('listitem').last().locator(':focus').count(), 1);
    for (const left of [2, 1]) {
      await rules.getByRole('button', { name: 'Delete the rule' }).press('Enter');
      t.is(await rules.getByRole('listitem').count(), left);
      t.is(await rules.getByRole('listitem').last().locator('[aria-expanded]:focus').count(), 1);
      await page.keyboard.press('Enter');
    }
    await rules.getByRole('button', { name: 'Delete the rule' }).press('Enter');
    t.is(await rules.locator(':focus').count(), 1);
  });
}

function testLarge(fixture: Fixture): void {
  test.serial('keeps a draft with large steps when the tab changes', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    await visit('/demo/configurations/large-steps?panel=json');
    const field = page.getByRole('textbox', { name: 'Rule set JSON' });
    await field.waitFor();
    await page.evaluate(`(() => {
      let size = 1_000_000;
      for (let i = 0; size >= 1_000; i += 1) {
        try { sessionStorage.setItem('other ' + i, 'x'.repeat(size)); } catch { size /= 10; }
      }
      sessionStorage.setItem('other 0', 'x'.repeat(980_000));
    })()`);
    const explained = { constraints: [], _why: 'x'.repeat(4_000) };
    await field.fill(JSON.stringify(explained));
    await page.getByRole('button', { name: 'Add a preference' }).click();
    await page.getByRole('menuitem', { name: 'Boost new items' }).click();
    for (let i = 0; i < 5; i += 1) await page.getByRole('button', { name: 'Copy the preference' }).click();
    await page.getByRole('tab', { name: 'Simulation' }).click();
    await page.getByRole('button', { name: 'Simulate' }).waitFor();
    await page.goBack();
    const preferences = `JSON.parse(document.querySelector('[aria-label="Rule set JSON"]').value).preferences`;
    await field.waitFor();
    await waitUntil(page, `${preferences}?.length > 0`);
    t.is(JSON.parse(await field.inputValue()).preferences.length, 6);
  });
}

function testMinutes(fixture: Fixture): void {
  test.serial('a condition in minutes shows its unit', async (t) => {
    const { page, goTo } = fixture.shared;
    const within = { query: { key: 'publication_datetime', date_range: { min: 'now-45m' } } };
    await fixture.send('PUT', '/configurations/last-minutes', { constraints: [within] });
    await goTo('/demo/configurations/last-minutes');
    await page.getByRole('button', { name: /minutes/ }).click();
    t.is(await page.getByLabel('Count', { exact: true }).inputValue(), '45');
    t.is(await page.getByRole('combobox', { name: 'Unit' }).inputValue(), 'minutes');
  });
}

function testOwnHistory(fixture: Fixture): void {
  test.serial('a value comes from the history of the visitor', async (t) => {
    const { page, goTo } = fixture.shared;
    const match = { not: { variable: { name: 'categories', context: 'item', on_absent_drop: true } } };
    const constraints = [{ query: { key: 'categories', match } }];
    await fixture.send('PUT', '/configurations/bought-lately', { constraints });
    await goTo('/demo/configurations/bought-lately?panel=json');
    await page.getByRole('button', { name: /^Must match/ }).click();
    await page.getByRole('combobox', { name: 'Source of the value' }).click();
    await page.getByRole('option', { name: 'History' }).click();
    await page.getByText('a category that the visitor bought in the last 90 days').first().waitFor();
    await page.getByLabel('Days').fill('30');
    t.deepEqual(await findViolations(page), []);
    const { constraints: written } = JSON.parse(await page.getByLabel('Rule set JSON').inputValue());
    const variable = { ...match.not.variable, context: 'history', events: ['purchase'], days: 30 };
    t.deepEqual(written, [{ query: { key: 'categories', match: { not: { variable } } } }]);
    await page.getByRole('button', { name: 'Settings and schedule' }).click();
    await page.getByLabel('Mix of interests').fill('0.6');
    t.regex(await page.getByLabel('Rule set JSON').inputValue(), /"strength": 0\.6\n/);
  });
}

function testYear(fixture: Fixture): void {
  test.serial('accepts the year of a schedule digit by digit', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    await goTo('/demo/configurations/typed-year');
    await page.getByRole('button', { name: 'Settings and schedule' }).click();
    const from = page.getByLabel('Starts');
    await from.fill('2031-12-10T09:00');
    await from.focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.type('2032');
    t.is(await from.inputValue(), '2032-12-10T09:00');
    await page.keyboard.type('1');
    t.regex(await from.inputValue(), /^\d{4}-12-10T/);
    t.deepEqual(troubles, []);
  });
}

function testGateway(fixture: Fixture): void {
  test.serial('reports answers of a proxy in words', async (t) => {
    const { page, visit } = fixture.shared;
    const isDocument = ({ pathname }: URL) =>
      pathname.endsWith('/configurations/home') && !pathname.startsWith('/console');
    const answer = (status: number, body: string) =>
      page.route(isDocument, (route) => route.fulfill({ status, body, contentType: 'text/html' }));
    t.teardown(() => page.unrouteAll());
    await answer(502, '<html>Bad gateway</html>');
    await visit('/demo/configurations/home');
    const alert = page.getByRole('alert');
    await alert.waitFor();
    t.regex(
      (await alert.textContent()) ?? '',
      /^The service answered 502\.The service cannot be reached, or/,
    );
    await answer(413, '<html>Too large</html>');
    await page.getByRole('button', { name: 'Try again' }).click();
    await alert.getByText('The service answered 413.').waitFor();
    t.notRegex((await alert.textContent()) ?? '', /cannot be reached/);
  });
}
