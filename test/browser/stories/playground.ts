/** Playground and editor of rule sets. */

import test from 'ava';
import { findViolations } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';
import { pressOn, reach } from '../support/keyboard.ts';

export function testPlayground(fixture: Fixture): void {
  testWhy(fixture);
  testMerchandiser(fixture);
  testOneTruth(fixture);
  testConflict(fixture);
}

function testWhy(fixture: Fixture): void {
  test.serial('the playground explains ranks and missing items, by keyboard', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    await visit('/demo/playground?kind=user&visitor=anna&configuration=home');
    await pressOn(page, page.getByRole('button', { name: /^Why / }).first());
    const drawer = page.getByRole('dialog', { name: 'Why this item ranks here' });
    await drawer.getByText('At most 3 per category').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'hidden' });
    await reach(page, page.getByRole('textbox', { name: 'Why is an item missing?' }));
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
}

function testMerchandiser(fixture: Fixture): void {
  test.serial('creates rules without JSON, previews and publishes them, by keyboard', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    await visit('/demo/configurations/window');
    const press = (...keys: string[]) =>
      keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve());
    const add = async (what: string, name: string) => {
      await pressOn(page, page.getByRole('button', { name: `Add a ${what}` }));
      await pressOn(page, page.getByRole('menuitem', { name }), 'ArrowDown');
    };
    const choose = async (label: string, value: string) => {
      await reach(page, page.getByRole('combobox', { name: label }));
      await page.keyboard.type(value);
      await page.getByRole('option', { name: value, exact: true }).waitFor();
      await press('ArrowDown', 'Enter');
    };

    await add('rule', 'At least');
    await choose('Property', 'brand');
    await reach(page, page.getByLabel('Values of brand'));
    const brand = page.getByRole('option').first();
    await brand.waitFor();
    await press('ArrowDown', 'Enter');
    await add('rule', 'Limit per');
    await add('rule', 'Must match');
    await choose('Property', 'in stock');
    await add('preference', 'Boost new items');
    await page.getByRole('button', { name: 'Must match in stock' }).waitFor();
    await page.getByRole('button', { name: /^Why / }).first().waitFor();
    await page.getByRole('menu').waitFor({ state: 'hidden' });
    t.deepEqual(await findViolations(page), []);

    await pressOn(page, page.getByRole('button', { name: 'Publish', exact: true }));
    await reach(page, page.getByLabel('Description of the change'));
    await page.keyboard.type('First window');
    await pressOn(page, page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }));
    await page.getByText('Live: v1').waitFor();
    const stored = await fixture.send('GET', '/configurations/window');
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
  });
}

function testOneTruth(fixture: Fixture): void {
  test.serial(
    'form and JSON stay in sync, faults appear while typing, and a draft survives a reload',
    async (t) => {
      const { page, visit } = await fixture.fresh(t);
      await visit('/demo/configurations/fresh?panel=json');
      const json = page.getByLabel('Rule set JSON');
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
}

function testConflict(fixture: Fixture): void {
  test.serial('sizes are whole numbers', async (t) => {
    const { page, goTo } = fixture.shared;
    const typed = async (label: string) => {
      const field = page.getByRole('textbox', { name: label, exact: true });
      await field.fill('');
      await field.pressSequentially('2.5');
      return field.inputValue();
    };
    await goTo('/demo/playground?configurations=home');
    await page.getByRole('heading', { name: 'home' }).waitFor();
    t.is(await typed('Size'), '25');
    await goTo('/demo/configurations/home/simulation');
    t.is(await typed('Latest requests'), '25');
  });

  test.serial('warns before it overwrites a version of another user', async (t) => {
    const { page, goTo } = fixture.shared;
    await goTo('/demo/configurations/watch');
    await page.getByRole('button', { name: 'Add a preference' }).click();
    await page.getByRole('menuitem', { name: 'Boost new items' }).click();
    await fixture.send('PUT', '/configurations/watch', { constraints: [] });
    await page.getByRole('button', { name: 'Publish', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
    const merging = page.getByRole('dialog', { name: 'Merge changes' });
    await merging.getByText('Version 2 was published by').waitFor();
    t.deepEqual(await findViolations(page), []);
    await merging.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Discard' }).click();
  });
}
