/** Changes of a mapping's text by the console. */

import test from 'ava';
import {
  assignColumn,
  assignType,
  mappedColumns,
  skipEmpty,
  transformField,
  typeIn,
} from '../../../../src/formats/records/mapping/edit.ts';
import { parseMapping } from '../../../../src/formats/records/mapping/mapping.ts';
import { toOutcome } from '../../../../src/formats/records/outgoing.ts';

const text = `# as exported
items:
  item_id: Artikelnummer
  title: "{Marke} {Titel}"
  price: { column: Preis, as: number }
  item_attributes:
    width: Breite
`;

function outcomeOf(mapping: string, row: Record<string, string>) {
  const { fields, skip } = parseMapping(mapping, 'mapping', 'items');
  const options = { kind: 'items' as const, itemType: 'product', eventIdPrefix: '', fields, skip };
  return toOutcome({ line: 2, text: '', row }, options);
}

const row = { Artikelnummer: 'a', Marke: '', Titel: 'Stuhl', Preis: '1,299', Breite: 'breit' };

test('columns are assigned to fields, and the rest of the text stays', (t) => {
  const plain = text.replace('  title: "{Marke} {Titel}"\n', '').replace(/ {2}item_attributes:[\s\S]*/, '');
  t.deepEqual(
    [...mappedColumns(plain)!],
    [
      ['Artikelnummer', 'item_id'],
      ['Preis', 'price'],
    ],
  );
  t.is(mappedColumns(text), undefined, 'a template');
  t.is(mappedColumns('items: ['), undefined);
  const changed = assignColumn(plain, 'Preis', 'cost', '{ column: "Preis", as: decimal_comma }');
  t.true(changed.startsWith('# as exported'));
  t.deepEqual(
    [...mappedColumns(changed)!],
    [
      ['Artikelnummer', 'item_id'],
      ['Preis', 'cost'],
    ],
  );
  t.deepEqual([...mappedColumns(assignColumn(plain, 'Preis', '', ''))!], [['Artikelnummer', 'item_id']]);
  t.is(parseMapping(assignType(plain, 'film'), 'mapping', 'items').itemType, 'film');
  t.is(typeIn(assignType(plain, 'film')), 'film');
  t.is(typeIn('items: { item_id: a, item_type: { value: film } }'), 'film');
  t.is(typeIn('items: ['), undefined);
});

test('fixes change how a field reads its column', (t) => {
  t.like(outcomeOf(text, row), { kind: 'refused' });
  const comma = transformField(text, '/price', { as: 'decimal_comma' })!;
  const priced = outcomeOf(comma, row);
  t.true(priced.kind === 'record' && priced.json.includes('"price":1.299'));
  const attribute = transformField(comma, '/item_attributes/width', {
    as: 'number',
    unreadable: 'leave_out',
  })!;
  const read = outcomeOf(attribute, row);
  t.true(read.kind === 'record' && !read.json.includes('width'));
  const skipping = transformField(text, '/price', { unreadable: 'skip' })!;
  t.like(outcomeOf(skipping, row), {
    kind: 'skipped',
    reason: '"1,299" has two readings; convert it as decimal_comma or decimal_point.',
  });
  t.is(transformField(text, '/title', { as: 'number' }), undefined, 'a template');
  t.throws(() => parseMapping(transformField(text, '/price', { unreadable: 'guess' })!, 'm', 'items'), {
    message: /leave_out or skip/,
  });
});

test('records without an ID are skipped, besides those that are skipped already', (t) => {
  const once = skipEmpty(text, '/item_id')!;
  t.like(outcomeOf(once, { ...row, Artikelnummer: '' }), { kind: 'skipped' });
  const twice = skipEmpty(once, '/price')!;
  t.like(outcomeOf(twice, { ...row, Artikelnummer: '' }), { kind: 'skipped' });
  t.like(outcomeOf(twice, { ...row, Preis: '' }), { kind: 'skipped' });
});
