/** Rule sets, synonyms and blocked queries of searches. */

import test from 'ava';
import { findViolations, waitUntil } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

export function testSteering(fixture: Fixture): void {
  testFields(fixture);
  testSynonyms(fixture);
  testBlocked(fixture);
  testMany(fixture);
  testReadAgain(fixture);
  test.serial(
    'pins, hides, redirects and shows a banner for a query, before and after publishing',
    async (t) => {
      const { page, troubles, goTo } = fixture.shared;
      await goTo('/demo/configurations/boot-days');
      await page.getByText('Searches', { exact: true }).click();
      await page.getByRole('button', { name: 'Add a query' }).click();
      await page.getByRole('textbox', { name: 'Query', exact: true }).fill('boots');
      const pick = async (label: string, typed: string) => {
        await page.getByLabel(label).fill(typed);
        await page
          .getByRole('option', { name: new RegExp(typed, 'i') })
          .first()
          .click();
      };
      await pick('Pin an item', 'carbon-soled road shoes');
      await page.getByRole('button', { name: 'Remove Carbon-soled road shoes' }).waitFor();
      await pick('Hide an item', 'Leather trail boots, resoleable');
      await page.getByLabel('Redirect').fill('/boots');
      await page.getByRole('button', { name: 'Add a banner' }).click();
      await page.getByLabel('Value of text').fill('Boot days');
      const does = page.getByRole('region', { name: 'Active rules' });
      await does.getByText('Boot days').waitFor();
      await page.getByText('The draft applies to this search').waitFor();
      await page.getByRole('button', { name: /^1 .*Carbon-soled road shoes/ }).waitFor();
      t.deepEqual(await findViolations(page), []);
      await page.getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Publish', exact: true }).click();
      await page.getByText('Live: v1').waitFor();

      await goTo('/demo/search?q=boots');
      await does.getByText('/boots').waitFor();
      await does.getByRole('link', { name: 'boot-days' }).waitFor();
      await page.getByRole('img', { name: 'Pinned by boot-days' }).waitFor();
      t.is(await page.getByRole('button', { name: /^\d+ .*Leather trail boots, resoleable/ }).count(), 0);
      t.deepEqual(await findViolations(page), []);
      t.deepEqual(
        troubles.filter((trouble) => !trouble.includes('status of 400')),
        [],
      );
    },
  );
}

function testSynonyms(fixture: Fixture): void {
  test.serial('saves, edits and deletes synonyms that differ in signs only', async (t) => {
    const { page, visit, goTo } = await fixture.fresh(t);
    const told = page.getByText('The synonym is live.');
    const tries = { name: 'Preview', exact: true };
    /** Waits until the form is empty: clearing it later would remove values of the next address. */
    const keep = async (button: string, name: string) => {
      await page.getByRole('button', tries).click();
      await page.getByRole('button', { name: button }).click();
      await page.getByRole('cell').getByText(name, { exact: true }).waitFor();
      await told.waitFor();
      await page.getByRole('alert').getByRole('button').click();
      await told.waitFor({ state: 'detached' });
      await page.getByRole('button', { ...tries, disabled: true }).waitFor();
    };
    const written = (words: string[]) => encodeURIComponent(words.join('\n'));
    await visit(`/demo/search?view=synonyms&words=${written(['c++', 'c plus'])}`);
    await keep('Save', 'c++ = c plus');
    await goTo(`/demo/search?view=synonyms&words=${written(['c', 'c plus'])}`);
    await keep('Save', 'c = c plus');
    await page.getByRole('row', { name: 'c = c plus' }).getByRole('button', { name: 'Edit' }).click();
    await page.getByRole('combobox', { name: 'One-way synonym' }).fill('language');
    await page.keyboard.press('Enter');
    await keep('Save', 'c, c plus');
    for (const name of ['c, c plus', 'c++ = c plus']) {
      const row = page.getByRole('row', { name });
      await row.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
      await row.waitFor({ state: 'detached' });
    }
    t.is(await page.getByRole('row', { name: 'c plus' }).count(), 0);
  });
}

function testBlocked(fixture: Fixture): void {
  test.serial('blocks queries by line, and one from the list of queries', async (t) => {
    const { page, visit, goTo } = await fixture.fresh(t);
    const lines = page.getByLabel('Words and phrases, one per line');
    const save = page.getByRole('button', { name: 'Save' });
    await visit('/demo/search?view=blocked&add=cheap%20replica');
    await lines.waitFor();
    t.is(await lines.inputValue(), 'cheap replica');
    await lines.fill('cheap replica\n\n  refurbished ');
    await save.click();
    await page.getByText('Blocked queries saved.').waitFor();
    await goTo('/demo/search?view=blocked');
    await lines.waitFor();
    t.is(await lines.inputValue(), 'cheap replica\nrefurbished');
    await lines.fill('');
    await save.click();
    await page.getByRole('button', { name: 'Save', disabled: true }).waitFor();
    t.is(await lines.inputValue(), '');
  });
}

function testMany(fixture: Fixture): void {
  test.serial('editing a synonym far down scrolls to the form and focuses it', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    const ids = Array.from({ length: 30 }, (_, i) => `far-down-${i}`);
    for (const id of ids) await fixture.send('PUT', `/demo/synonyms/${id}`, { words: [id, `${id} too`] });
    await visit('/demo/search?view=synonyms');
    await page.getByRole('button', { name: 'Edit' }).last().click();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    const field = page.getByRole('combobox', { name: 'Words or phrases' });
    await waitUntil(page, `document.activeElement.id === '${await field.getAttribute('id')}'`);
    t.true(await field.evaluate((one) => one.getBoundingClientRect().top >= 0));
    for (const id of ids) await fixture.send('DELETE', `/demo/synonyms/${id}`);
  });
}

function testReadAgain(fixture: Fixture): void {
  test.serial('a conflicting synonym is read again and edited from the start', async (t) => {
    const { page, visit } = await fixture.fresh(t);
    const path = '/demo/synonyms/by-two';
    await fixture.send('PUT', path, { words: ['by two', 'at first'] });
    await visit('/demo/search?view=synonyms');
    const change = page.getByRole('row', { name: 'by two' }).getByRole('button', { name: 'Edit' });
    await change.click();
    await page.getByRole('button', { name: 'Save' }).waitFor();
    await fixture.send('PUT', path, { words: ['by two', 'theirs'] });
    await page.getByRole('button', { name: 'Preview', exact: true }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('read it again').waitFor();
    await page.getByRole('cell').getByText('theirs').waitFor();
    await change.click();
    await page.getByRole('alert').waitFor({ state: 'detached' });
    t.true(await page.getByRole('button', { name: 'Save' }).isDisabled());
    await fixture.send('DELETE', path);
  });
}

function testFields(fixture: Fixture): void {
  test.serial('a search field keeps typed keys, and shows the value of a completion or link', async (t) => {
    const { page, goTo } = fixture.shared;
    await goTo('/demo/search');
    const query = page.getByLabel('Query', { exact: true });
    await query.click();
    await page.keyboard.type('b');
    await page.waitForURL(/q=b$/);
    await page.keyboard.type('oo');
    await page.waitForURL(/q=boo$/);
    /** Completions of `b` stay until the answer for `boo` arrives. */
    const completions = page.getByRole('group', { name: 'Completions' });
    await completions.getByRole('button', { name: /^boo/i }).first().click();
    await page.waitForURL(/q=boo.+/i);
    await waitUntil(
      page,
      `(() => {
      const q = new URL(location).searchParams.get('q');
      return [...document.querySelectorAll('input')].some(({ value }) => value === q);
    })()`,
    );
    await goTo('/demo/catalogue?text=boots');
    const text = page.getByLabel('Title or ID');
    t.is(await text.inputValue(), 'boots');
    await page.getByRole('link', { name: 'Catalogue', exact: true }).click();
    await page.waitForURL(/catalogue$/);
    await waitUntil(page, `document.querySelector('[aria-label="Title or ID"]').value === ''`);
    t.is(await text.inputValue(), '');
  });

  test.serial('a field name of a banner may start with the name of another field', async (t) => {
    const { page, goTo } = fixture.shared;
    await goTo('/demo/configurations/long-names');
    await page.getByText('Searches', { exact: true }).click();
    await page.getByRole('button', { name: 'Add a banner' }).click();
    await page.getByLabel('Value of text').fill('Boot days');
    await page.getByRole('button', { name: 'Add a field' }).click();
    await page.getByLabel('Field', { exact: true }).last().click();
    await page.keyboard.type('text_color');
    await page.getByLabel('Value of text_color').fill('red');
    t.is(await page.getByLabel('Value of text', { exact: true }).inputValue(), 'Boot days');
  });

  test.serial('a default value may be a fraction', async (t) => {
    const { page, goTo } = fixture.shared;
    const most = { key: 'price', lte: { variable: { name: 'most', default: 9 } } };
    await fixture.send('PUT', '/configurations/fractions', { constraints: [{ query: most }] });
    await goTo('/demo/configurations/fractions?panel=json');
    await page.getByRole('button', { name: /^Must match/ }).click();
    await page.getByRole('textbox', { name: 'Default value' }).fill('');
    await page.keyboard.type('0.50');
    await page.keyboard.press('Tab');
    t.regex(await page.getByLabel('Rule set JSON').inputValue(), /"default": 0\.5\n/);
  });
}
