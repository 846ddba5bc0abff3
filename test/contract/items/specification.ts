/** Accepted and refused items by the specification. */

import type { JsonObject } from '@bufbuild/protobuf';

const notStrings = [3, true, [], {}, ['x']];

/** Declared properties with values of other types. */
export const wrongValues: Record<string, unknown[]> = {
  brand: notStrings,
  price: ['3', '', true, [], {}, [3]],
  in_stock: ['true', 0, 1, [], {}],
  released: [
    5,
    true,
    [],
    {},
    '',
    'soon',
    '2026-11-20',
    '2026-11-20T10:00:00',
    '2026-02-30T10:00:00Z',
    '2026-11-20T25:00:00Z',
    '20 Nov 2026 10:00 UTC',
  ],
  colors: ['red', 3, true, {}, [1], [null], [['red']], ['red', {}]],
};

type Refusal = [fault: string, item: unknown, ...pointers: string[]];

/** Items that are refused, with their pointers. */
export const refusals: Refusal[] = [
  ['a list', [], ''],
  ['a string', '"x"', ''],
  ['null', 'null', ''],
  ...['title', 'description', 'uri', 'language', 'publication_datetime'].flatMap((name) =>
    notStrings.map((value): Refusal => [`${name} ${JSON.stringify(value)}`, { [name]: value }, `/${name}`]),
  ),
  ['categories that are no list', { categories: 'Home' }, '/categories'],
  ['a category that is a number', { categories: ['Home', 3] }, '/categories/1'],
  ['a category list with a number', { categories: [['Home', 3]] }, '/categories/0'],
  ['an empty category', { categories: ['/'] }, '/categories/0'],
  ['tags that are no list', { tags: 'a' }, '/tags'],
  ['a tag that is a number', { tags: ['a', 3] }, '/tags/1'],
  ['too many tags', { tags: Array(501).fill('a') }, '/tags'],
  ['images that are no list', { images: 'a.png' }, '/images'],
  ['an image that is a number', { images: [3] }, '/images/0'],
  ['an image without url', { images: ['a.png', { alt: 'A' }] }, '/images/1/url'],
  ['an image with a wrong width', { images: [{ url: 'a.png', width: -1 }] }, '/images/0/width'],
  ['an image with a broken height', { images: [{ url: 'a.png', height: 1.5 }] }, '/images/0/height'],
  ['an image with an unknown field', { images: [{ url: 'a.png', size: 3 }] }, '/images/0/size'],
  ['attributes that are text', { item_attributes: 'x' }, '/item_attributes'],
  ['an attribute without name', { item_attributes: [{ value: 3 }] }, '/item_attributes/0/name'],
  [
    'an attribute with an unknown field',
    { item_attributes: [{ name: 'a', unit: 'cm' }] },
    '/item_attributes/0/unit',
  ],
  ['a title that is too long', { title: 'x'.repeat(2049) }, '/title'],
  ['a NUL character', { title: 'a\0b' }, '/title'],
  ['half a character', '{"title":"\\ud800"}', '/title'],
];

/** Every accepted form of a field. */
export const forms: Record<string, JsonObject> = {
  'images as URLs': { images: ['https://shop.example/a.png', 'b.png'] },
  'images as objects': { images: [{ url: 'a.png', alt: 'A', width: 10, height: 0, role: 'thumbnail' }] },
  'images of both forms': { images: ['a.png', { url: 'b.png' }] },
  'flat categories': { categories: ['Home', 'Chairs'] },
  'category paths': { categories: ['Home/Chairs', '/Garden/ Chairs/'] },
  'category lists': { categories: [['Home', 'Chairs'], ['Garden']] },
  'categories of all forms': { categories: ['Home', 'Home/Chairs', ['Garden', 'Chairs']] },
  'attributes as a list': {
    item_attributes: [{ name: 'size', value: { w: 1, h: [2, null] } }, { name: 'none' }],
  },
  'attributes as an object': { item_attributes: { size: { w: 1, h: [2, null] }, weight: 3, fragile: true } },
  'empty lists': { categories: [], tags: [], images: [], item_attributes: [], colors: [] },
  'an empty object of attributes': { item_attributes: {} },
  'empty texts': { title: '', description: '', brand: '' },
  'every property': {
    brand: 'Acme',
    price: -0.5,
    in_stock: false,
    released: '2026-11-20T10:00:00+01:00',
    colors: ['red', ''],
  },
  'null for absent': { title: null, price: null, tags: null },
  'other scripts': { title: '椅子 🪑 كرسي', tags: ['ñandú', 'e\u0301'] },
};

/** Values of publication_datetime, and whether they are accepted. */
export const moments: Record<string, boolean> = {
  '2026-11-20T09:30:00Z': true,
  '2026-11-20T09:30:00+01:00': true,
  '2026-11-20T09:30:00.123456-11:30': true,
  '2024-02-29T00:00:00Z': true,
  '2026-11-20T09:30:00+0100': true,
  '2026-11-20 09:30:00,5+01': true,
  '2026-02-29T00:00:00Z': false,
  '2026-11-20T09:30:00': false,
  '2026-11-20': false,
  '2026-11-20T09:30Z': false,
  '2026-13-01T00:00:00Z': false,
  '2026-11-20T24:30:00Z': false,
  '2026-11-20T09:30:00+25:00': false,
  '1795167000': false,
  now: false,
  '': false,
};
