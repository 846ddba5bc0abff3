/** Items of any content, for fast-check; all of them are valid products of the tested shop. */

import type { JsonValue } from '@bufbuild/protobuf';
import { fc } from '../../support/properties.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const name = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 });
/** JSON writes larger doubles as integers that lost digits. */
const exactNumber = fc.double({ min: -(2 ** 53) + 1, max: 2 ** 53 - 1, noNaN: true });
const value = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    exactNumber,
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
})).value;
const category = fc.oneof(name.filter(isName), fc.array(name.filter(isName), { minLength: 1, maxLength: 3 }));
const image = fc.oneof(
  name,
  fc.record(
    { url: name, alt: text, width: fc.nat(100_000) },
    { requiredKeys: ['url'], noNullPrototype: true },
  ),
);

/** Not all separators and spaces. */
function isName(candidate: string): boolean {
  return candidate.replaceAll('/', '').trim() !== '';
}

export const arbitraryItem = fc.record(
  {
    title: text,
    description: text,
    categories: fc.array(category, { maxLength: 4 }),
    tags: fc.array(text, { maxLength: 4 }),
    images: fc.array(image, { maxLength: 3 }),
    item_attributes: fc.oneof(
      fc.array(fc.record({ name, value }, { requiredKeys: ['name'], noNullPrototype: true }), {
        maxLength: 4,
      }),
      fc.dictionary(name, value, { maxKeys: 4, noNullPrototype: true }),
    ),
    brand: text,
    price: exactNumber,
    in_stock: fc.boolean(),
    colors: fc.array(text, { maxLength: 4 }),
  },
  { requiredKeys: [], noNullPrototype: true },
);
