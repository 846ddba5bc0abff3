/** The formats of product feeds: Google Merchant as TSV and RSS, and JSON-LD of schema.org, one product per line. */

import type { FeedSettings, Product } from './product.ts';

export type FeedFormat = {
  kind: 'google' | 'schema';
  contentType: string;
  head(feed: FeedSettings): string[];
  line(product: Product, feed: FeedSettings): string;
  tail: string[];
};

const columns = [
  ...['id', 'title', 'description', 'link', 'image_link', 'additional_image_link', 'availability', 'price'],
  ...[
    'condition',
    'brand',
    'gtin',
    'mpn',
    'identifier_exists',
    'item_group_id',
    'product_type',
    'color',
    'size',
  ],
] as const;

type Values = Readonly<Record<string, string | string[] | undefined>>;

/** Google reads the first category of a row; commas separate images. */
function tsvCell(name: string, value: string | string[] | undefined): string {
  const text = Array.isArray(value) ? (name === 'product_type' ? value[0] : value.join(',')) : value;
  const flat = (text ?? '').replace(/\s+/g, ' ');
  return flat.startsWith('"') ? `"${flat.replaceAll('"', '""')}"` : flat;
}

const entities: Readonly<Record<string, string>> = {
  ...{ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&apos;' },
};

/** Leaves out what XML 1.0 has no character for. */
function xmlText(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to leave out.
  const allowed = text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '');
  return allowed.replace(/[&<>"']/g, (one) => entities[one]);
}

const xmlElement = (name: string, value: string) => `<${name}>${xmlText(value)}</${name}>`;

function schemaProduct(product: Product, { currency }: FeedSettings) {
  const { availability = '', condition = '', amount, link, brand } = product;
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    sku: product.id,
    name: product.title,
    description: product.description,
    url: link,
    image: [product.image_link, ...(product.additional_image_link ?? [])],
    category: product.product_type,
    brand: brand === undefined ? undefined : { '@type': 'Brand', name: brand },
    ...{ gtin: product.gtin, mpn: product.mpn, color: product.color, size: product.size },
    inProductGroupWithID: product.item_group_id,
    offers: {
      '@type': 'Offer',
      ...{ url: link, price: amount, priceCurrency: currency },
      availability: schemaTerms[availability] && `https://schema.org/${schemaTerms[availability]}`,
      itemCondition: schemaTerms[condition] && `https://schema.org/${schemaTerms[condition]}`,
    },
  };
}

const schemaTerms: Readonly<Record<string, string>> = {
  ...{ in_stock: 'InStock', out_of_stock: 'OutOfStock', preorder: 'PreOrder', backorder: 'BackOrder' },
  ...{ new: 'NewCondition', refurbished: 'RefurbishedCondition', used: 'UsedCondition' },
};

/** By the ending of the feed's name. */
export const feedFormats: Readonly<Record<string, FeedFormat>> = {
  tsv: {
    kind: 'google',
    contentType: 'text/tab-separated-values; charset=utf-8',
    head: () => [columns.join('\t')],
    line: (product) => columns.map((name) => tsvCell(name, (product as unknown as Values)[name])).join('\t'),
    tail: [],
  },
  xml: {
    kind: 'google',
    contentType: 'application/rss+xml; charset=utf-8',
    head: ({ title, url }) => [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<rss version="2.0" xmlns:g="http://base.google.com/ns/1.0"><channel>',
      `${xmlElement('title', title)}${xmlElement('link', url)}${xmlElement('description', title)}`,
    ],
    line(product) {
      const elements = columns.flatMap((name) =>
        [(product as unknown as Values)[name] ?? []].flat().map((value) => xmlElement(`g:${name}`, value)),
      );
      return `<item>${elements.join('')}</item>`;
    },
    tail: ['</channel></rss>'],
  },
  jsonl: {
    kind: 'schema',
    contentType: 'application/x-ndjson',
    head: () => [],
    line: (product, feed) => JSON.stringify(schemaProduct(product, feed)),
    tail: [],
  },
};
