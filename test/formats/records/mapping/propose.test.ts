import test from 'ava';
import { parseMapping } from '../../../../src/formats/records/mapping/mapping.ts';
import {
  type Column,
  itemFields,
  proposeFields,
  type TargetField,
  writeMapping,
} from '../../../../src/formats/records/mapping/propose.ts';

const targets: TargetField[] = [
  ...itemFields,
  { name: 'brand', type: 'string' },
  { name: 'price', type: 'number' },
  { name: 'in_stock', type: 'boolean' },
];

const column = (name: string, ...samples: string[]): Column => ({ name, samples });

const columns = [
  column('SKU', '0017', 'a"b'),
  column('Product Name', 'Red shoe'),
  column('Category', 'Shoes;Sale'),
  column('price', '19.5'),
  column('in-stock', 'yes'),
  column('Manufacturer', 'Acme'),
  column('released', '2026-01-01'),
  column('Image Link', 'https://x.example/1.jpg'),
  column(''),
];

test('columns are proposed for their probable fields, each once', (t) => {
  t.deepEqual(Object.fromEntries(proposeFields(columns, targets)), {
    SKU: 'item_id',
    'Product Name': 'title',
    Category: 'categories',
    price: 'price',
    'in-stock': 'in_stock',
    Manufacturer: 'brand',
    released: 'publication_datetime',
    'Image Link': 'images',
  });
  const twice = proposeFields([column('id'), column('item_id'), column('sku')], targets);
  t.deepEqual([...twice], [['item_id', 'item_id']]);
});

test('a proposal is a mapping file that converts the columns for their fields', (t) => {
  const chosen = proposeFields(columns, targets);
  const text = writeMapping({ columns, targets, chosen, itemType: 'product' });
  const { fields } = parseMapping(text, 'proposed.yaml', 'items');
  const row = Object.fromEntries(columns.map(({ name, samples }) => [name, samples[0]]));
  t.deepEqual(Object.fromEntries(fields.map(({ name, read }) => [name, read(row)])), {
    item_id: '0017',
    title: 'Red shoe',
    categories: ['Shoes', 'Sale'],
    price: 19.5,
    in_stock: true,
    brand: 'Acme',
    publication_datetime: '2026-01-01T00:00:00.000Z',
    images: ['https://x.example/1.jpg'],
    item_type: 'product',
  });
});

for (const [samples, as] of [
  [['19.5', '1290'], 'number'],
  [['1,290', '12'], 'decimal_point'],
  [['1290', '12,90'], 'decimal_comma'],
  [['1.290,5'], 'decimal_comma'],
] as const) {
  test(`prices such as ${samples.join(' and ')} are proposed as ${as}`, (t) => {
    const priced = [column('id', '1'), column('price', ...samples)];
    const chosen = proposeFields(priced, targets);
    const text = writeMapping({ columns: priced, targets, chosen, itemType: 'product' });
    t.true(text.includes(`price: { column: "price", as: ${as} }`), text);
  });
}

test('a German export becomes items, with decimal commas, dates and stock counts', (t) => {
  const row = {
    'Artikel-Nr.': '4711',
    Bezeichnung: 'Stuhl',
    Marke: 'Nord',
    Preis: '1.299,50',
    Lagerbestand: '12',
    Warengruppe: 'Möbel > Stühle',
    Bild: 'https://x.example/1.jpg',
    Beschreibung: 'Aus Holz',
    Erscheinungsdatum: '01.11.2026',
  };
  const german = Object.entries(row).map(([name, sample]) => column(name, sample));
  const chosen = proposeFields(german, targets);
  const text = writeMapping({ columns: german, targets, chosen, itemType: 'product' });
  const { fields } = parseMapping(text, 'mapping', 'items', 'Europe/Berlin');
  t.deepEqual(Object.fromEntries(fields.map(({ name, read }) => [name, read(row)])), {
    item_id: '4711',
    title: 'Stuhl',
    brand: 'Nord',
    price: 1299.5,
    in_stock: true,
    categories: [['Möbel', 'Stühle']],
    images: ['https://x.example/1.jpg'],
    description: 'Aus Holz',
    publication_datetime: '2026-10-31T23:00:00.000Z',
    item_type: 'product',
  });
});

test('a property with another name for the same is found', (t) => {
  const chosen = proposeFields([column('Marke', 'Nord')], [{ name: 'manufacturer', type: 'string' }]);
  t.deepEqual([...chosen], [['Marke', 'manufacturer']]);
});
