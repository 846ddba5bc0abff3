/** The Complete Journey data for audiences: products, purchases, campaigns with mailed and redeeming households. */

import { join } from 'node:path';
import { readLines, splitFields } from '../../../src/jobs/evaluation/readers/lines.ts';
import type { Feature } from '../../../src/ranking/models/features.ts';
import { featuresOf } from '../../../src/ranking/models/features.ts';
import { contentOf } from '../../../src/ranking/models/item-content.ts';

export type Purchase = { household: string; product: string; basket: string; atSeconds: number };

export type Campaign = {
  id: string;
  type: string;
  startSeconds: number;
  products: string[];
  mailed: Set<string>;
  redeemers: Set<string>;
};

export type Journey = {
  /** Product → what it is about. */
  features: ReadonlyMap<string, readonly Feature[]>;
  purchases: Purchase[];
  campaigns: Campaign[];
};

export async function readJourney(folder: string): Promise<Journey> {
  const read = (name: string) => readTable(join(folder, `${name}.csv.gz`));
  const features = new Map<string, readonly Feature[]>();
  for await (const product of read('products'))
    features.set(product.product_id, featuresOf(contentOf(itemOf(product))));
  const purchases: Purchase[] = [];
  for await (const row of read('transactions_sample')) {
    purchases.push({
      household: row.household_id,
      product: row.product_id,
      basket: row.basket_id,
      atSeconds: Date.parse(row.transaction_timestamp) / 1000,
    });
  }
  const campaigns = new Map<string, Campaign>();
  for await (const { campaign_id: id, campaign_type: type, start_date: start } of read(
    'campaign_descriptions',
  )) {
    const startSeconds = Date.parse(start) / 1000;
    campaigns.set(id, { id, type, startSeconds, products: [], mailed: new Set(), redeemers: new Set() });
  }
  for await (const row of read('campaigns')) campaigns.get(row.campaign_id)?.mailed.add(row.household_id);
  for await (const row of read('coupon_redemptions')) {
    campaigns.get(row.campaign_id)?.redeemers.add(row.household_id);
  }
  const promoted = new Map<string, Set<string>>();
  for await (const { campaign_id: id, product_id: product } of read('coupons')) {
    promoted.set(id, (promoted.get(id) ?? new Set()).add(product));
  }
  for (const campaign of campaigns.values()) {
    campaign.products = [...(promoted.get(campaign.id) ?? [])].filter((product) => features.has(product));
  }
  return { features, purchases, campaigns: [...campaigns.values()] };
}

/** As docs/examples/complete-journey/products.yaml makes items of products. */
function itemOf(product: Record<string, string>): Record<string, unknown> {
  const { department, brand, product_category: category, product_type: type, package_size: size } = product;
  return {
    title: type ? `${type} ${size}` : `${department} ${category}`,
    categories: [[department, category, type].filter(Boolean)],
    brand,
    department,
    ...(size && { package_size: size }),
    item_attributes: { manufacturer_id: product.manufacturer_id },
  };
}

async function* readTable(path: string): AsyncGenerator<Record<string, string>> {
  let names: string[] | undefined;
  for await (const line of readLines(path)) {
    const fields = splitFields(line, ',');
    if (names) yield Object.fromEntries(names.map((name, column) => [name, fields[column] ?? '']));
    else names = fields;
  }
}
