/**
 * Units of measure after a number: `17"`, `17 inch` and `17 in` are one word, as are `500GB` and
 * `500 gb`.
 */

/** Units with other spellings, then those without. */
const spellings: Record<string, string> = {
  in: "\" '' in inch inches zoll pouces pollici pulgadas polegadas tum tommer インチ 英寸 인치",
  mm: 'mm millimeter millimetre',
  cm: 'cm centimeter centimetre',
  m: 'm meter metre meters metres',
  km: 'km kilometer kilometre',
  ft: 'ft foot feet',
  g: 'g gr gram grams gramm gramme grammes',
  kg: 'kg kilo kilogram kilograms',
  oz: 'oz ounce ounces',
  lb: 'lb lbs pound pounds',
  ml: 'ml milliliter millilitre',
  l: 'l liter litre liters litres litro litri litros リットル 升 리터',
  mb: 'mb megabyte megabytes',
  gb: 'gb gib gigabyte gigabytes go',
  tb: 'tb tib terabyte terabytes to',
  w: 'w watt watts',
  kw: 'kw kilowatt',
  v: 'v volt volts',
  a: 'a amp amps ampere',
  hz: 'hz hertz',
  mp: 'mp megapixel megapixels',
  ...Object.fromEntries(
    'mg cl kb kwh ma mah khz mhz ghz dpi ppm rpm fps db'.split(' ').map((unit) => [unit, unit]),
  ),
};

const canonicalUnits = new Map(
  Object.entries(spellings).flatMap(([unit, words]) => words.split(' ').map((word) => [word, unit] as const)),
);

/** Units of length. */
export const lengthUnits: ReadonlySet<string> = new Set(['in', 'mm', 'cm', 'm', 'km', 'ft']);

/** Returns the one spelling of a folded unit; undefined for other words. */
export function canonicalUnit(word: string): string | undefined {
  return canonicalUnits.get(word);
}
