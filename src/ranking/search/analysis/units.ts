/**
 * Units of measure after a number: `17"`, `17 inch` and `17 in` are one word, as are `500GB` and
 * `500 gb`.
 */

/** Units of one quantity, and how many of the smallest each is. */
const quantities: Record<string, number>[] = [
  { ml: 1, cl: 10, dl: 100, l: 1_000 },
  { mg: 1, g: 1_000, kg: 1_000_000 },
  { mm: 1, cm: 10, m: 1_000, km: 1_000_000 },
  { in: 1, ft: 12 },
  { oz: 1, lb: 16 },
  { kb: 1, mb: 1_000, gb: 1_000_000, tb: 1_000_000_000 },
  { w: 1, kw: 1_000 },
  { ma: 1, a: 1_000 },
  { hz: 1, khz: 1_000, mhz: 1_000_000, ghz: 1_000_000_000 },
];

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
  ml: 'ml milliliter millilitre milliliters millilitres',
  cl: 'cl centiliter centilitre centiliters',
  dl: 'dl deciliter decilitre',
  l: 'l ltr liter litre liters litres litro litri litros リットル 升 리터',
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
    'mg kb kwh ma mah khz mhz ghz dpi ppm rpm fps db'.split(' ').map((unit) => [unit, unit]),
  ),
};

const canonicalUnits = new Map(
  Object.entries(spellings).flatMap(([unit, words]) => words.split(' ').map((word) => [word, unit] as const)),
);

/** Units of length. */
export const lengthUnits: ReadonlySet<string> = new Set(['in', 'mm', 'cm', 'm', 'km', 'ft']);

const scales = new Map(
  quantities.flatMap((units) => {
    const [smallest] = Object.keys(units);
    return Object.entries(units).map(([unit, factor]) => [unit, { smallest, factor }] as const);
  }),
);

/** Returns the one spelling of a folded unit; undefined for other words. */
export function canonicalUnit(word: string): string | undefined {
  return canonicalUnits.get(word);
}

const measurePattern = /^(\d+(?:\.\d+)?)(\p{L}+)$/u;

/** Reads `33cl`, in the smallest unit of its quantity: 330 ml. */
export function measureOf(word: string): { value: number; unit: string } | undefined {
  const [, value, unit] = measurePattern.exec(word) ?? [];
  if (unit === undefined || canonicalUnit(unit) !== unit) return undefined;
  const { smallest, factor } = scales.get(unit) ?? { smallest: unit, factor: 1 };
  return { value: Number((Number(value) * factor).toPrecision(12)), unit: smallest };
}
