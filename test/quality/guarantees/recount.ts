/**
 * Recounts what ten-rules.json guarantees, by hand: each rule is written out here again as a sentence about a product, and neither
 * the condition language nor the catalogue of the service takes part.
 */

import type { Product } from './products.ts';

/** The result of a request. */
export type Given = {
  /** Department, for the rule with a variable; undefined drops the rule. */
  aisle: string | undefined;
  /** Product ids that must not come. */
  excluded: ReadonlySet<string>;
  listSize: number;
};

export type Unmet = { rule: number; wanted: number; found: number; reason: string; conflicting?: number };

export type Answered = { productIds: string[]; unmet: Unmet[] };

type Condition = (product: Product, given: Given) => boolean;

const isBelow = (path: string, ...places: string[]) =>
  places.some((place) => path === place || path.startsWith(`${place}/`));

const musts: [rule: number, holds: Condition][] = [
  [0, ({ department }) => !['FUEL', 'COUPON', 'MISCELLANEOUS'].includes(department)],
  [1, ({ path }) => !isBelow(path, 'DRUG GM/CIGARETTES', 'DRUG GM/CIGARS')],
];

const isDairy: Condition = ({ title }) => /milk|yogurt/i.test(title);

const minimums: [rule: number, min: number, counts: Condition][] = [
  [2, 2, ({ path }) => isBelow(path, 'PRODUCE')],
  [3, 3, ({ department }, { aisle }) => department === aisle],
  [4, 4, ({ ounces = 0 }) => ounces >= 8 && ounces <= 32],
  [5, 1, isDairy],
];

const maximums: [rule: number, max: number, counts: Condition][] = [
  [5, 3, isDairy],
  [6, 6, ({ brand }) => brand === 'Private'],
  [7, 2, ({ ounces = 0 }) => ounces >= 64],
];

const diversities: [rule: number, max: number, keyOf: (product: Product) => string][] = [
  [8, 2, ({ path }) => path],
  [9, 8, ({ department }) => department],
];

export type Recounter = {
  /** A sentence for each broken guarantee. */
  breachesOf(given: Given, answer: Answered): string[];
};

export function createRecounter(products: ReadonlyMap<string, Product>): Recounter {
  const all = [...products.values()];
  return {
    breachesOf(given, { productIds, unmet }) {
      const list = productIds.map((id) => products.get(id)!);
      return [
        ...shapeBreaches(given, productIds, products),
        ...musts.flatMap(([rule, holds]) =>
          list.every((product) => holds(product, given)) ? [] : [`rule ${rule}: an item breaks the must`],
        ),
        ...maximums.flatMap(([rule, max, counts]) => {
          const count = list.filter((product) => counts(product, given)).length;
          return count > max ? [`rule ${rule}: ${count} items, at most ${max} may`] : [];
        }),
        ...diversities.flatMap(([rule, max, keyOf]) => {
          const most = mostShared(list, keyOf);
          return most > max ? [`rule ${rule}: ${most} items share a value, at most ${max} may`] : [];
        }),
        ...minimums.flatMap((minimum) => minimumBreaches(minimum, given, list, unmet, all)),
      ];
    },
  };
}

/** The catalogue is large enough for every list to be full. */
function shapeBreaches(
  { listSize, excluded }: Given,
  productIds: string[],
  products: ReadonlyMap<string, Product>,
): string[] {
  const breaches: string[] = [];
  if (new Set(productIds).size < productIds.length) breaches.push('an item comes twice');
  if (productIds.length !== listSize) breaches.push(`${productIds.length} items of ${listSize}`);
  if (productIds.some((id) => excluded.has(id))) breaches.push('an excluded item is in the list');
  if (productIds.some((id) => !products.has(id))) breaches.push('an item is not in the file');
  return breaches;
}

function mostShared(list: readonly Product[], keyOf: (product: Product) => string): number {
  const groups = Object.values(Object.groupBy(list, keyOf));
  return Math.max(0, ...groups.map((group) => group!.length));
}

/** A minimum must be met, or reported as unmet with the right counts and a reason that the data confirms. */
function minimumBreaches(
  [rule, min, counts]: (typeof minimums)[number],
  given: Given,
  list: readonly Product[],
  unmet: readonly Unmet[],
  all: readonly Product[],
): string[] {
  const told = unmet.find((one) => one.rule === rule);
  const found = list.filter((product) => counts(product, given)).length;
  const isDropped = rule === 3 && given.aisle === undefined;
  if (isDropped || found >= min) return told ? [`rule ${rule}: told to be unmet, but is met`] : [];
  if (!told) return [`rule ${rule}: ${found} items of ${min}, and it is not reported as unmet`];
  if (told.found !== found || told.wanted !== min)
    return [`rule ${rule}: told ${told.found} of ${told.wanted}, counted ${found} of ${min}`];
  const candidates = all.filter((product) => counts(product, given));
  return isTrue(told, candidates, given, list) ? [] : [`rule ${rule}: the reason ${told.reason} is not true`];
}

function isTrue(
  { reason, conflicting, wanted }: Unmet,
  candidates: readonly Product[],
  given: Given,
  list: readonly Product[],
): boolean {
  const allowed = candidates.filter(({ productId }) => !given.excluded.has(productId));
  if (reason === 'too_few_in_catalogue') return candidates.length < wanted;
  if (reason === 'excluded_for_user') return candidates.length >= wanted && allowed.length < wanted;
  if (reason !== 'in_conflict') return false;
  const must = musts.find(([rule]) => rule === conflicting);
  if (must) return allowed.filter((product) => must[1](product, given)).length < wanted;
  const maximum = maximums.find(([rule]) => rule === conflicting);
  if (maximum) return list.filter((product) => maximum[2](product, given)).length === maximum[1];
  const diversity = diversities.find(([rule]) => rule === conflicting);
  return diversity !== undefined && mostShared(list, diversity[2]) === diversity[1];
}
