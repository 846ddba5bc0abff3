/** The baskets of Complete Journey. */

import { join } from 'node:path';
import { readLines, splitFields } from '../../../src/jobs/evaluation/readers/lines.ts';
import type { ItemContent } from '../../../src/ranking/models/features.ts';
import type { Basket } from './world.ts';

const columns = ['household_id', 'basket_id', 'product_id', 'transaction_timestamp'];

export async function readJourney(folder: string): Promise<Basket[]> {
  const contents = new Map<string, ItemContent>();
  for await (const line of readLines(join(folder, 'products.csv.gz'))) {
    const [id, , department, brand, category, type] = splitFields(line, ',');
    const attributes = [{ name: 'brand', value: brand }];
    contents.set(id, { title: type, categories: [[department, category, type].join('/')], attributes });
  }
  const baskets = new Map<string, Basket & { items: Basket['items'][number][] }>();
  let names: string[] | undefined;
  for await (const line of readLines(join(folder, 'transactions_sample.csv.gz'))) {
    const fields = splitFields(line, ',');
    names ??= fields;
    if (names === fields) continue;
    const [person, basketId, id, time] = columns.map((name) => fields[names!.indexOf(name)]);
    const atSeconds = Date.parse(time.replace(' ', 'T')) / 1_000;
    if (Number.isNaN(atSeconds)) continue;
    const basket = baskets.get(basketId) ?? { person, atSeconds, items: [] };
    baskets.set(basketId, basket);
    basket.items.push({ id, content: contents.get(id) ?? {} });
  }
  return [...baskets.values()];
}
