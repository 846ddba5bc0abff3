/** Data for the console's benchmark besides the demo: a large catalogue, and a year of metrics. */

import { execute } from '../../src/repository/database.ts';
import { upsertItems } from '../../src/repository/items/items.ts';
import type { TestService } from '../support/service.ts';

const environment = 'demo';
const itemsTogether = 2_000;
const hoursOfYear = 365 * 24;

export async function addItems({ database }: TestService, count: number): Promise<void> {
  for (let start = 0; start < count; start += itemsTogether) {
    const some = Array.from({ length: Math.min(itemsTogether, count - start) }, (_, k) => {
      const itemId = `thing-${start + k}`;
      const document = {
        title: `Thing ${start + k} of many`,
        categories: [`department/${(start + k) % 40}`],
        price: ((start + k) % 900) + 0.5,
        brand: `Brand ${(start + k) % 60}`,
      };
      return { environment, itemType: 'item', itemId, document };
    });
    await upsertItems(database, some);
  }
}

/** Inserts page views by hour and page type. */
export async function addYear({ database }: TestService): Promise<void> {
  const run = (text: string) => execute(database, '', text, []);
  const lastHour = Math.floor(Date.now() / 3_600_000);
  await run(`
    insert into metric_totals (bucket, environment, dimension, hour, value, events, pageviews)
    select 0, '${environment}', place, hour, value, 40 + hour % 24, 40 + hour % 24
    from generate_series(${lastHour - hoursOfYear}, ${lastHour}) as hour,
      (values (0, ''), (3, 'home'), (3, 'detail'), (3, 'cart')) as places(place, value)
    on conflict do nothing`);
}
