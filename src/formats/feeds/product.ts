/** Products of feeds: the attributes that Google Merchant and schema.org ask for, read from an item. */

import { getOrAdd } from '../../ranking/runtime/get-or-add.ts';

/** A product feed. See Feed in deployment.proto. */
export type FeedSettings = {
  title: string;
  /** Without a slash at its end. */
  url: string;
  itemUrl?: string;
  /** Empty for all. */
  itemTypes: ReadonlySet<string>;
  condition: string;
  currency: string;
  availability?: string;
  isPublic: boolean;
};

/** Names are those of Google Merchant's product data specification. */
export type Product = Partial<Record<AttributeName, string>> & {
  id: string;
  additional_image_link?: string[];
  product_type?: string[];
  /** Without currency. */
  amount?: number;
};

const plain = ['brand', 'gtin', 'mpn', 'color', 'size'] as const;

type AttributeName =
  | (typeof plain)[number]
  | 'title'
  | 'description'
  | 'link'
  | 'image_link'
  | 'availability'
  | 'price'
  | 'condition'
  | 'item_group_id'
  | 'identifier_exists';

type Document = Readonly<Record<string, unknown>>;

/** Limits of Google Merchant, in characters. */
const longest = { id: 50, title: 150, description: 5_000 };
const mostAdditionalImages = 10;
const mostCategories = 5;

/** Returns the attributes that the item has. */
export function toProduct(item: Document, feed: FeedSettings): Product {
  const attributes = attributesOf(item);
  const textOf = (name: string): string | undefined => {
    const value = item[name] ?? attributes[name];
    const text = [value].flat().filter((one) => typeof one === 'string' || typeof one === 'number');
    return text.length > 0 ? text.join('/').trim() || undefined : undefined;
  };
  const id = String(item.item_id);
  const images = [item.images ?? []].flat().flatMap((image) => {
    const address = typeof image === 'string' ? image : (image as { url?: string }).url;
    return addressIn(address, feed.url) ?? [];
  });
  const [brand, gtin, mpn, ...others] = plain.map(textOf);
  const amount = Number(item.price ?? attributes.price ?? Number.NaN);
  const hasAmount = Number.isFinite(amount) && amount > 0;
  const stock = item.in_stock ?? attributes.in_stock;
  return {
    id,
    title: cut(textOf('title'), longest.title),
    description: cut(textOf('description'), longest.description),
    link: addressIn(textOf('uri') ?? feed.itemUrl?.replaceAll('{item_id}', encodeURIComponent(id)), feed.url),
    image_link: images[0],
    additional_image_link: images.slice(1, 1 + mostAdditionalImages),
    availability: typeof stock === 'boolean' ? (stock ? 'in_stock' : 'out_of_stock') : feed.availability,
    price: hasAmount ? `${amount.toFixed(digitsOf(feed.currency))} ${feed.currency}` : undefined,
    amount: hasAmount ? amount : undefined,
    condition: textOf('condition') ?? feed.condition,
    ...{ brand, gtin, mpn, color: others[0], size: others[1] },
    item_group_id: textOf('group_id'),
    identifier_exists: gtin || (brand && mpn) ? undefined : 'no',
    product_type: [item.categories ?? []].flat().length > 0 ? pathsOf(item.categories) : undefined,
  };
}

const required = {
  google: ['title', 'description', 'link', 'image_link', 'availability', 'price'],
  schema: ['title', 'image_link', 'price'],
} as const;

/** Returns why a feed leaves the product out: its first missing attribute, or `id` for one that is too long. */
export function missingAttribute(product: Product, kind: keyof typeof required): string | undefined {
  if (kind === 'google' && product.id.length > longest.id) return 'id';
  return required[kind].find((name) => product[name] === undefined);
}

/** Attributes are an object, or a list of `{name, value}`. */
function attributesOf({ item_attributes: given }: Document): Document {
  if (!Array.isArray(given)) return (given as Document | undefined) ?? {};
  return Object.fromEntries(given.map(({ name, value }) => [name, value]));
}

function cut(text: string | undefined, length: number): string | undefined {
  return text === undefined || text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}

function addressIn(address: string | undefined, base: string): string | undefined {
  if (address === undefined) return undefined;
  const url = URL.parse(address, `${base}/`);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  return /^https?:/.test(address) ? address : url.href;
}

/** `Home/Kitchen`, or a list of names, is `Home > Kitchen`. */
function pathsOf(categories: unknown): string[] {
  const paths = (categories as (string | string[])[]).map((path) =>
    Array.isArray(path) ? path : path.split('/'),
  );
  return paths.slice(0, mostCategories).map((names) => names.join(' > '));
}

const digits = new Map<string, number>();

function digitsOf(currency: string): number {
  return getOrAdd(digits, currency, () => {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  });
}
