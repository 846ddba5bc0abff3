/**
 * A grocer in the format of The Complete Journey: products on shelves, a year of baskets, and coupons for a household's
 * favourite department. Baskets reveal the favourite; neither the number of visits nor purchases of the product itself do.
 */

import { createChance } from '../../../src/deployment/demo/random.ts';
import { type Files, tableOf } from './files.ts';

const chance = createChance('tiny grocer');
const householdCount = 48;
const basketsEach = 6;
const productsInBasket = 4;
const startMs = Date.UTC(2017, 0, 1);
const dayMs = 86_400_000;
const campaignDay = 250;

/** Department → category → types. */
const shelves: Record<string, Record<string, string[]>> = {
  PRODUCE: { 'FRESH FRUIT': ['APPLES', 'PEARS', 'PLUMS'], 'FRESH GREENS': ['CRESS', 'KALE', 'LEEKS'] },
  GROCERY: { 'MILK PRODUCTS': ['WHOLE MILK', 'YOGURT', 'CREAM'], 'DRIED GOODS': ['LENTILS', 'RICE', 'OATS'] },
  PASTRY: { 'BAKED BREAD': ['RYE LOAF', 'ROLLS', 'TOAST'], 'SWEET BAKES': ['TARTS', 'BUNS', 'SCONES'] },
  /** Sold in thousandths. */
  FUEL: { 'PUMPED FUEL': ['GASOLINE'] },
  'DRUG GM': {
    'PAPER GOODS': ['TISSUES', 'NAPKINS', 'ROLLS OF FOIL'],
    CIGARETTES: ['PACKS', 'CARTONS', 'FILTERS'],
  },
};
const sizes = ['8 OZ', '16 OZ', '32 OZ', '64 OZ', '2 LB', ''];
const productsOfType = 4;

type Product = { id: number; department: string; category: string; type: string; size: string };

const products: Product[] = Object.entries(shelves).flatMap(([department, categories]) =>
  Object.entries(categories).flatMap(([category, types]) =>
    types.flatMap((type) =>
      Array.from({ length: productsOfType }, () => ({
        ...{ id: 0, department, category, type },
        size: chance.pick(sizes),
      })),
    ),
  ),
);
for (const [place, product] of products.entries()) product.id = 20_000 + place;

const departments = Object.keys(shelves).filter((name) => name !== 'FUEL');
const households = Array.from({ length: householdCount }, (_, place) => ({
  id: place + 1,
  likes: departments[place % departments.length],
  baskets: chance.whole(basketsEach / 2, basketsEach * 1.5),
}));
const ofDepartment = (name: string): Product[] => products.filter(({ department }) => department === name);

function productTable(): string {
  const rows = products.map(({ id, department, category, type, size }) => [
    ...[id, chance.whole(1, 20), department, chance.pick(['National', 'National', 'Private'])],
    ...[category, type, size],
  ]);
  const names = 'product_id manufacturer_id department brand product_category product_type package_size';
  return tableOf(names, rows);
}

function transactions(): string {
  const rows = households.flatMap(({ id, likes, baskets }) =>
    Array.from({ length: baskets }, (_, basket) => {
      const time = new Date(startMs + Math.floor(chance.fraction() * 360 * dayMs)).toISOString();
      return Array.from({ length: productsInBasket }, () => {
        const from = chance.happens(0.6) ? ofDepartment(likes) : products;
        const price = (chance.whole(50, 9_000) / 100).toFixed(2);
        const product = chance.pick(from);
        const quantity = product.department === 'FUEL' ? chance.whole(5_000, 30_000) : 1;
        return [id, 300, id * 1_000 + basket, product.id, `${quantity}.0`, price, time];
      });
    }).flat(),
  );
  const names = 'household_id store_id basket_id product_id quantity sales_value transaction_timestamp';
  return tableOf(names, rows);
}

/** One campaign for a few products of each of two departments; households with that favourite redeem, and some others. */
function campaigns(): Files {
  const start = new Date(startMs + campaignDay * dayMs).toISOString().slice(0, 10);
  const promoted = departments.slice(0, 2).map((department, place) => ({
    ...{ id: place + 1, department },
    products: ofDepartment(department).filter((_, i) => i % 12 === 0),
  }));
  const mailed = promoted.flatMap(({ id }) =>
    households.filter((household) => household.id % 3 > 0).map((household) => [id, household.id]),
  );
  const redeemed = promoted.flatMap(({ id, department }) =>
    households
      .filter(({ likes }) => chance.happens(likes === department ? 0.8 : 0.05))
      .map((household) => [household.id, 500 + id, id, start]),
  );
  const coupons = promoted.flatMap(({ id, products: own }) =>
    own.map((product) => [500 + id, product.id, id]),
  );
  const described = promoted.map(({ id }) => [id, 'Type A', start, start]);
  return {
    campaign_descriptions: tableOf('campaign_id campaign_type start_date end_date', described),
    campaigns: tableOf('campaign_id household_id', mailed),
    coupon_redemptions: tableOf('household_id coupon_upc campaign_id redemption_date', redeemed),
    coupons: tableOf('coupon_upc product_id campaign_id', coupons),
  };
}

const tables: Files = { products: productTable(), transactions_sample: transactions(), ...campaigns() };

export const grocer: Files = Object.fromEntries(
  Object.entries(tables).map(([name, text]) => [`complete-journey/${name}.csv.gz`, text]),
);
