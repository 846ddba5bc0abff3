/** Items as products of the Universal Commerce Protocol. A product is its only variant. */

import type { JsonObject, JsonValue } from '@bufbuild/protobuf';
import type { ShoppingSettings } from '../../deployment/agent-settings.ts';
import type { EnvironmentSettings } from '../../deployment/deployment.ts';

export type Shop = { shopping: ShoppingSettings; settings: EnvironmentSettings };

type ShownItem = { itemId: string; fields?: JsonObject };

export type Product = JsonObject & { id: string; variants: JsonObject[] };

export type Products = {
  /** Fields to request with each item. */
  fields: string[];
  /** Leaves out items without a title or a price. */
  of(items: readonly ShownItem[]): Product[];
  /** Adds the ID by which a product was looked up. */
  withInput(product: Product): Product;
  /** Returns the range of a price filter; undefined in another currency than the catalogue's. */
  rangeOf(price: { min?: number; max?: number }, currency: string | undefined): string | undefined;
};

const longestDescription = 4_000;
const optionalFields = ['description', 'uri', 'categories', 'tags', 'images'];

export function createProducts({ shopping: { priceProperty }, settings }: Shop): Products {
  const { returnedFields, filterFields } = settings;
  const currency = settings.currency!;
  const unit = 10 ** fractionDigitsOf(currency);
  const toProduct = ({ itemId: id, fields = {} }: ShownItem): Product[] => {
    const { title, description: text, uri, [priceProperty]: price } = fields;
    if (typeof title !== 'string' || title === '' || typeof price !== 'number' || price < 0) return [];
    const amount = { amount: Math.round(price * unit), currency };
    const description = { plain: String(text || title).slice(0, longestDescription) };
    const common = { id, title, description, ...addressOf(uri) };
    const categories = listOf(fields.categories).map((value) => ({ value, taxonomy: 'merchant' }));
    const shown = { categories, tags: listOf(fields.tags), media: listOf(fields.images).flatMap(mediaOf) };
    const price_range = { min: amount, max: amount };
    return [{ ...common, ...shown, price_range, variants: [{ ...common, price: amount }] }];
  };
  return {
    fields: ['title', priceProperty, ...optionalFields.filter((name) => returnedFields.has(name))],
    of: (items) => items.flatMap(toProduct),
    withInput: (product) => ({
      ...product,
      variants: [{ ...product.variants[0], inputs: [{ id: product.id, match: 'exact' }] }],
    }),
    rangeOf({ min, max }, asked) {
      if (asked !== currency || !filterFields.has(priceProperty)) return undefined;
      /** Ranges exclude their upper bound: half a minor unit above the highest price. */
      return `${min === undefined ? '*' : min / unit}-${max === undefined ? '*' : (max + 0.5) / unit}`;
    },
  };
}

/** Returns the digits of the minor unit: 2 for EUR, 0 for JPY. */
function fractionDigitsOf(currency: string): number {
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits!;
}

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

function mediaOf(image: JsonValue): JsonObject[] {
  const { url, alt } = (typeof image === 'string' ? { url: image } : image) as JsonObject;
  const address = addressOf(url);
  return 'url' in address ? [{ type: 'image', ...address, ...(alt ? { alt_text: alt } : {}) }] : [];
}

function addressOf(value: JsonValue | undefined): { url?: string } {
  const isWeb = typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value);
  return isWeb ? { url: new URL(value).href } : {};
}
