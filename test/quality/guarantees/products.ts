/** The products as their file has them, read without the service's help. */

import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export type Product = {
  productId: string;
  department: string;
  brand: string;
  /** Department, category and type; what has a slash is several levels. */
  path: string;
  title: string;
  /** Undefined when it is not sold by weight. */
  ounces: number | undefined;
};

export function readProducts(path: string): Map<string, Product> {
  const products = readRows(path).map((row): Product => {
    const parts = [row.department, row.product_category, row.product_type].join('/').split('/');
    const title = row.product_type
      ? [row.product_type, row.package_size].join(' ')
      : [row.department, row.product_category].join(' ');
    return {
      productId: row.product_id,
      department: row.department,
      brand: row.brand,
      path: parts
        .map((part) => part.trim())
        .filter(Boolean)
        .join('/'),
      title,
      ounces: ouncesOf(row.package_size),
    };
  });
  return new Map(products.map((product) => [product.productId, product]));
}

function ouncesOf(packageSize: string): number | undefined {
  const [amount, unit, ...others] = packageSize.split(' ');
  return unit === 'OZ' && others.length === 0 && /^[\d.]+$/.test(amount) ? Number(amount) : undefined;
}

/** Distinct households, in the order of the file. */
export function readHouseholds(path: string): string[] {
  return [...new Set(readRows(path).map(({ household_id: household }) => household))];
}

/** The files quote nothing. */
function readRows(path: string): Record<string, string>[] {
  const [heads, ...lines] = gunzipSync(readFileSync(path)).toString().trimEnd().split(/\r?\n/);
  const names = heads.split(',');
  return lines.map((line) => {
    const cells = line.split(',');
    return Object.fromEntries(names.map((name, i) => [name, cells[i] ?? '']));
  });
}
