/** Imports, and the page of an item. */

import { readFile } from 'node:fs/promises';
import test from 'ava';
import type { Locator } from 'playwright-core';
import { busy, findViolations, overflowOf, waitUntil } from '../support/browser.ts';
import type { Fixture } from '../support/fixture.ts';

const rows = Array.from({ length: 1_200 }, (_, i) => {
  const price = i === 700 ? 'call us' : `${i % 90}.5`;
  return `imp-${i},"Imported thing ${i}",Shop/Imported;Sale,${price},internal note`;
});
const file = {
  name: 'things.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(`SKU,Product Name,Category,price,Notes\n${rows.join('\n')}\n`),
};

export function testCatalogue(fixture: Fixture): void {
  testItem(fixture);
  testOthers(fixture);
  testRunning(fixture);
  testChoices(fixture);
  testWhoSees(fixture);
  testLongNames(fixture);
  testBulk(fixture);
  test.serial('proposes a mapping for a dropped file, makes a dry run and imports', async (t) => {
    const { page, troubles, visit, goTo } = fixture.shared;
    await visit('/demo/catalogue/import');
    await page.locator('input[type=file]').waitFor({ state: 'attached' });
    const dropped = await page.evaluateHandle(
      `(() => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([${JSON.stringify(file.buffer.toString())}], 'things.csv'));
        return transfer;
      })()`,
    );
    await page.getByTestId('drop').dispatchEvent('drop', { dataTransfer: dropped });
    const becomes = (column: string) => page.getByRole('combobox', { name: `Maps to: ${column}` });
    await becomes('SKU').waitFor();
    t.is(await becomes('SKU').inputValue(), 'item_id');
    t.is(await becomes('Product Name').inputValue(), 'title');
    t.is(await becomes('Notes').inputValue(), 'Ignore');
    t.true(await page.getByRole('button', { name: 'Import', exact: true }).isDisabled());
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('Dry run done').waitFor();
    await page.getByText('"call us" is not a number').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported', { exact: true }).waitFor();
    t.regex((await page.getByRole('region', { name: 'Import items' }).textContent()) ?? '', /1,199accepted/);
    await goTo('/demo/catalogue?text=Imported thing');
    await page.getByText('1,199 found').waitFor();
    await page.getByRole('button', { name: 'Filter by property' }).click();
    await page.getByRole('combobox', { name: 'Property' }).fill('price');
    await page.getByRole('option', { name: 'price', exact: true }).click();
    await page.getByLabel('Value', { exact: true }).fill('89');
    await page.getByText('13 found').waitFor();
    t.deepEqual(await findViolations(page), []);
    t.deepEqual(troubles, []);
  });

  test.serial('an item shows its impressions, clicks, page views and purchases', async (t) => {
    const { page, goTo } = fixture.shared;
    const seen = {
      event_type: 'detail_pageview',
      page_type: 'detail',
      device_id: 'figures',
      action_item: 'imp-7',
    };
    await fixture.send('POST', '/demo/events', { events: [seen, seen, { ...seen, event_type: 'purchase' }] });
    await goTo('/demo/catalogue/item/imp-7');
    const figures = page.getByRole('region', { name: 'Performance' });
    await figures.waitFor();
    t.regex((await figures.textContent()) ?? '', /Impressions0.*Page views2.*Purchases1/);
    t.deepEqual(await findViolations(page), []);
  });
}

function testLongNames(fixture: Fixture): void {
  test.serial('long names without spaces do not widen a page', async (t) => {
    const { page, goTo } = fixture.shared;
    const name = 'x'.repeat(200);
    const looked = {
      event_type: 'detail_pageview',
      page_type: 'detail',
      device_id: name,
      user_id: 'of-long-names',
      action_item: name,
    };
    await fixture.send('PUT', `/demo/items/item/${name}`, { title: 'Of a long name' });
    await fixture.send('PUT', `/configurations/${name}`, { constraints: [] });
    await fixture.send('POST', '/demo/events', { events: [looked] });
    const visits: [path: string, landmark: Locator][] = [
      [`configurations/${name}?panel=json`, page.getByLabel('Rule set JSON')],
      [`configurations/${name}`, page.getByRole('heading', { level: 2, name })],
      [`catalogue/item/${name}`, page.getByLabel('Item JSON')],
      ['people?kind=user&id=of-long-names', page.getByText(name).first()],
      [`search?q=${name}`, page.getByRole('heading', { name: 'Query interpretation' })],
    ];
    t.teardown(() => page.setViewportSize({ width: 1280, height: 900 }));
    await page.setViewportSize({ width: 390, height: 900 });
    for (const [path, landmark] of visits) {
      await goTo(`/demo/${path}`);
      await landmark.waitFor();
      t.is(await overflowOf(page), 0, path);
    }
  });
}

function testWhoSees(fixture: Fixture): void {
  test.serial(
    'an item shows its placements, the reasons where it is missing, and a link to an audience',
    async (t) => {
      const { page, troubles, visit, goTo } = fixture.shared;
      const only = (match: string) => ({ constraints: [{ query: { key: 'title', match } }] });
      await fixture.send('PUT', '/configurations/only-boots', only('Leather trail boots, resoleable'));
      await fixture.send('PUT', '/configurations/only-pots', only('No such title'));
      await goTo('/demo/catalogue/item/leather-trail-boots-resoleable?user=nobody-yet');
      const seen = page.getByRole('region', { name: 'Placements' });
      const line = (id: string) => seen.getByRole('listitem').filter({ hasText: id });
      await line('only-boots').getByText('position 1').waitFor();
      await line('only-pots').getByText('It does not satisfy the condition on title.').waitFor();
      t.deepEqual(await findViolations(page), []);
      await seen.getByRole('link', { name: 'Find interested people' }).click();
      await page.getByRole('button', { name: 'Remove Leather trail boots, resoleable' }).waitFor();
      t.deepEqual(troubles, []);

      t.teardown(() => page.unrouteAll());
      await page.route('**/*ListConfigurations', (route) => route.fulfill(busy));
      await visit('/demo/catalogue/item/leather-trail-boots-resoleable');
      await seen.getByText('The service is busy').waitFor();
      await page.unrouteAll();
      const calls: string[] = [];
      page.on('request', (request) => calls.push(request.url().replace(/.*Service./, '')));
      await seen.getByRole('button', { name: 'Try again' }).click();
      await line('only-boots').getByText('position 1').waitFor();
      const isOfPlacements = (name: string) => /Configuration|Preview/.test(name);
      t.deepEqual(calls.filter(isOfPlacements), ['ListConfigurations', 'PreviewRecommendations']);
    },
  );
}

function testItem(fixture: Fixture): void {
  test.serial('opens an item by any ID, and keeps typed text while it is disabled', async (t) => {
    const { page, troubles, goTo } = fixture.shared;
    const path = encodeURIComponent('50% off, 5%41/é');
    await fixture.send('PUT', `/demo/items/item/${path}`, { title: 'Half the price' });
    await goTo(`/demo/catalogue/item/${path}`);
    await page.getByRole('heading', { name: 'Half the price' }).waitFor();
    t.deepEqual(troubles, []);
    const field = page.getByLabel('Item JSON');
    await field.fill('{ "title": "A third of the price" }');
    let isAway = true;
    t.teardown(() => page.unrouteAll());
    await page.route('**/*ItemService/DisableItem', (route) => (isAway ? route.abort() : route.continue()));
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alert').getByText('The service cannot be reached').waitFor();
    isAway = false;
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Revision 2').waitFor();
    t.is(await field.inputValue(), '{ "title": "A third of the price" }');
  });

  test.serial('shows a saved item as stored, in any order of answers', async (t) => {
    const { page, goTo } = fixture.shared;
    await fixture.send('PUT', '/demo/items/item/saved-slowly', { title: 'Before' });
    await goTo('/demo/catalogue/item/saved-slowly');
    const field = page.getByLabel('Item JSON');
    await field.fill('{ "title": "After" }');
    const gate = Promise.withResolvers<void>();
    await page.route('**/items/item/saved-slowly', async (route) => {
      if (route.request().method() === 'GET') await gate.promise;
      await route.continue();
    });
    t.teardown(() => page.unrouteAll());
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'After' }).waitFor();
    gate.resolve();
    await page.getByText('Item saved.').waitFor();
    t.is(JSON.parse(await field.inputValue()).title, 'After');
    t.true(await page.getByRole('button', { name: 'Save' }).isDisabled());
  });
}

function testOthers(fixture: Fixture): void {
  test.serial('keeps typed text and warns when another user saves first', async (t) => {
    const { page, visit } = fixture.shared;
    const path = '/demo/items/item/saved-by-two';
    const typeAfter = async (others: string, own: string) => {
      await visit('/demo/catalogue/item/saved-by-two');
      await field.waitFor();
      await fixture.send('PUT', path, { title: others });
      await field.fill(`{ "title": "${own}" }`);
      await page.getByRole('button', { name: 'Save' }).click();
      await alert.getByText('Another user has saved this item').waitFor();
      t.is(await field.inputValue(), `{ "title": "${own}" }`);
    };
    const field = page.getByLabel('Item JSON');
    const alert = page.getByRole('alert');
    await fixture.send('PUT', path, { title: 'At first' });
    await typeAfter('Theirs', 'Mine');
    t.deepEqual(await findViolations(page), []);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Mine' }).waitFor();
    await alert.waitFor({ state: 'detached' });
    await typeAfter('Theirs again', 'Mine again');
    await page.getByRole('button', { name: 'Discard' }).click();
    await alert.waitFor({ state: 'detached' });
    t.is(JSON.parse(await field.inputValue()).title, 'Theirs again');
  });

  test.serial('reverted text does not hide a change of another user', async (t) => {
    const { page, goTo } = fixture.shared;
    const path = '/demo/items/item/taken-back';
    await fixture.send('PUT', path, { title: 'At first' });
    await goTo('/demo/catalogue/item/taken-back');
    const field = page.getByLabel('Item JSON');
    const first = await field.inputValue();
    await field.fill('{ "title": "Mine" }');
    await field.fill(first);
    await fixture.send('PUT', path, { title: 'Theirs' });
    await page.getByRole('button', { name: 'Disable' }).click();
    await waitUntil(page, `document.querySelector('[aria-label="Item JSON"]').value.includes('Theirs')`);
    t.true(await page.getByRole('button', { name: 'Save' }).isDisabled());
  });
}

function testChoices(fixture: Fixture): void {
  test.serial('groups errors by cause, with full line numbers', async (t) => {
    const { page, visit } = fixture.shared;
    await visit('/demo/catalogue/import');
    const buffer = Buffer.from(`SKU,Name\n${'\n'.repeat(123_454)}${'one,too,many\n'.repeat(1_002)}`);
    await page.locator('input[type=file]').setInputFiles({ name: 'long.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Dry run' }).click();
    const causes = page.getByRole('region', { name: 'Errors by cause' });
    await causes.getByText('First in line 123,456').waitFor();
    await causes.getByRole('cell', { name: '1,002', exact: true }).waitFor();
    t.is(await causes.getByRole('row').count(), 2);
  });

  test.serial('keeps the choices of an import after a visit of another page', async (t) => {
    const { page, visit } = fixture.shared;
    await visit('/demo/catalogue/import');
    const buffer = Buffer.from('SKU,Name,Other\nchosen-1,One,Uno\n');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'chosen.csv', mimeType: 'text/csv', buffer });
    const becomes = page.getByRole('combobox', { name: 'Maps to: Other' });
    await becomes.click();
    await page.getByRole('option', { name: 'title', exact: true }).click();
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('Dry run done').waitFor();
    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('heading', { name: 'Overview' }).waitFor();
    await page.goBack();
    await page.getByText('Dry run done').waitFor();
    t.is(await becomes.inputValue(), 'title');
  });
  test.serial('reads a file with semicolons and decimal commas', async (t) => {
    const { page, visit, goTo } = fixture.shared;
    await visit('/demo/catalogue/import');
    const buffer = Buffer.from('SKU;Name;price\r\nsemi-1;"Stuhl; rot";1.290,50\r\n');
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'preise.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('combobox', { name: 'Maps to: price' }).waitFor();
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByText('Dry run done').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported', { exact: true }).waitFor();
    await goTo('/demo/catalogue/item/semi-1');
    const document = page.getByLabel('Item JSON');
    t.like(JSON.parse(await document.inputValue()), { title: 'Stuhl; rot', price: 1290.5 });
  });
}

const germanRows = Array.from({ length: 60 }, (_, i) => {
  const price = i === 40 ? 'auf Anfrage' : i === 41 ? '1,299' : `${i + 1},${i % 90 < 10 ? '0' : ''}${i % 90}`;
  return `G-${i};"Gerät ${i}";Küche > Geräte;${price};${i % 3}`;
});
const german = Buffer.from(
  `Artikelnummer;Bezeichnung;Kategorie;Preis;Bestand\r\n${germanRows.join('\r\n')}\r\n`,
);

function testRunning(fixture: Fixture): void {
  test.serial('fixes the errors of a German export by cause, and remembers the mapping', async (t) => {
    const { page, troubles, visit, goTo } = await fixture.fresh(t);
    const choose = () =>
      page
        .locator('input[type=file]')
        .setInputFiles({ name: 'Artikel.csv', mimeType: 'text/csv', buffer: german });
    await visit('/demo/catalogue/import');
    await choose();
    const becomes = (column: string) => page.getByRole('combobox', { name: `Maps to: ${column}` });
    await becomes('Artikelnummer').waitFor();
    const fields = ['Artikelnummer', 'Bezeichnung', 'Kategorie', 'Preis'].map((name) =>
      becomes(name).inputValue(),
    );
    t.deepEqual(await Promise.all(fields), ['item_id', 'title', 'categories', 'price']);
    const text = page.getByLabel('mapping file');
    await page.getByText('Mapping file, also').click();
    await text.fill((await text.inputValue()).replace('decimal_comma', 'number'));
    await page.getByRole('button', { name: 'Dry run' }).click();
    const causes = page.getByRole('region', { name: 'Errors by cause' });
    await causes.getByText('"1,299" has two readings').waitFor();
    await causes.getByText('"auf Anfrage" is not a number').waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.reload();
    await causes.getByRole('button', { name: 'Read numbers with a decimal comma' }).click();
    await causes.getByText('two readings').waitFor({ state: 'detached' });
    await page.getByText('Dry run done').waitFor();
    const downloading = page.waitForEvent('download');
    await causes.getByRole('button', { name: 'Download rejected rows' }).click();
    t.is((await downloading).suggestedFilename(), 'Artikel.csv.rejected.csv');
    await causes.getByRole('button', { name: 'Leave out the values' }).click();
    await causes.waitFor({ state: 'detached' });
    await page.getByText('Dry run done').waitFor();
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByText('Imported', { exact: true }).waitFor();
    await goTo('/demo/catalogue/item/G-41');
    const document = page.getByLabel('Item JSON');
    t.like(JSON.parse(await document.inputValue()), { title: 'Gerät 41', price: 1.299 });
    await goTo('/demo/catalogue/import');
    await choose();
    const source = page.getByRole('combobox', { name: 'Mapping by' });
    await source.waitFor();
    t.is(await source.inputValue(), 'Latest import of these columns (Artikel.csv)');
    t.true((await text.inputValue()).includes('unreadable: leave_out'));
    t.deepEqual(troubles, []);
  });

  test.serial('an import goes on while its page is left and loaded again, and can be stopped', async (t) => {
    const { page, troubles, visit, goTo } = await fixture.fresh(t);
    await visit('/demo/catalogue/import');
    const lines = Array.from({ length: 80_000 }, (_, i) => `seen-${i},Seen ${i}`);
    const buffer = Buffer.from(`item_id,title\n${lines.join('\n')}\n`);
    await page.locator('input[type=file]').setInputFiles({ name: 'seen.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('button', { name: 'Dry run' }).click();
    await page.getByRole('button', { name: 'Stop' }).waitFor();
    await goTo('/demo/metrics');
    const bar = page.getByRole('region', { name: 'Import in progress' });
    await bar.getByText(/Dry run of seen.csv: [\d,]+ accepted, 0 rejected/).waitFor();
    await page.getByRole('heading', { name: 'Metrics', level: 1 }).waitFor();
    t.deepEqual(await findViolations(page), []);
    await page.reload();
    await bar.getByRole('link').click();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped; nothing was stored').waitFor();
    t.deepEqual(troubles, []);
  });
}

function testBulk(fixture: Fixture): void {
  test.serial('all items of a filter are tagged, changed and exported after a confirmation', async (t) => {
    const { page, troubles, visit } = await fixture.fresh(t);
    for (const i of [1, 2, 3])
      await fixture.send('PUT', `/demo/items/item/bulk-${i}`, { title: `Velvetine ${i}`, tags: ['old'] });
    await visit('/demo/catalogue?text=velvetine');
    const change = async (action: string) => {
      await page.getByRole('button', { name: 'Change 3 items' }).click();
      await page.getByRole('menuitem', { name: action }).click();
      return page.getByRole('dialog', { name: action });
    };
    const tagging = await change('Add a tag');
    const confirm = tagging.getByRole('button', { name: 'Change 3 items' });
    t.true(await confirm.isDisabled());
    await tagging.getByLabel('Tag').fill('sale');
    t.deepEqual(await findViolations(page), []);
    await confirm.click();
    await page.getByText('3 items changed.').waitFor();
    await tagging.waitFor({ state: 'detached' });
    const stored = await (await fixture.send('GET', '/demo/items/item/bulk-2')).json();
    t.like(stored, { tags: ['old', 'sale'], title: 'Velvetine 2' });
    const disabling = await change('Disable');
    await disabling.getByRole('button', { name: 'Change 3 items' }).click();
    await page.getByText('disabled', { exact: true }).nth(2).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export' }).click();
    const path = await (await download).path();
    t.regex(await readFile(path, 'utf8'), /bulk-1,Velvetine 1,false/);
    t.deepEqual(troubles, []);
  });
}
