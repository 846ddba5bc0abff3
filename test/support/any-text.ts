/**
 * Texts of any characters, including lone surrogates. Fast-check's unit `binary` builds a table of
 * all 1.1 million characters, which takes a second or two.
 */

import { fc } from './properties.ts';

const latin = fc.integer({ min: 0, max: 0xff });
const anyPoint = fc.integer({ min: 0, max: 0x10ffff });

export function anyText(maxLength: number): fc.Arbitrary<string> {
  const unit = fc.oneof(latin, anyPoint).map((point) => String.fromCodePoint(point));
  return fc.array(unit, { maxLength }).map((units) => units.join(''));
}
