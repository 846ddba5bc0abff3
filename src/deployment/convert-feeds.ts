/** The product feeds of an environment. */

import type { Feed } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import type { FeedSettings } from '../formats/feeds/product.ts';
import { checkDistinct, checkName, type Faults, isWebAddress } from './checks.ts';

/** Settings of the environment that feeds depend on. */
type Place = { name: string; currency: string | undefined; itemTypes: ReadonlyMap<string, unknown> };

export function convertFeeds(
  feeds: readonly Feed[],
  { name: environment, currency, itemTypes }: Place,
  { pointer, fault, isCurrency }: { pointer: string; fault: Faults; isCurrency(code: string): boolean },
): ReadonlyMap<string, FeedSettings> {
  checkDistinct(
    feeds.map(({ name }) => name),
    (i) => `${pointer}/${i}/name`,
    fault,
  );
  return new Map(
    feeds.map((feed, i) => {
      const at = `${pointer}/${i}`;
      const code = feed.currency ?? currency;
      checkName(feed.name, `${at}/name`, fault);
      for (const part of ['url', 'itemUrl'] as const)
        if (feed[part] !== undefined && !isWebAddress(feed[part]))
          fault(
            `${at}/${part === 'url' ? part : 'item_url'}`,
            'Must be an address like https://shop.example.',
          );
      if (code === undefined) fault(`${at}/currency`, 'Is required: the environment declares no currency.');
      else if (!isCurrency(code))
        fault(`${at}/currency`, 'Must be the code of a currency, in capital letters: EUR.');
      for (const [j, type] of feed.itemTypes.entries())
        if (!itemTypes.has(type)) fault(`${at}/item_types/${j}`, 'Is not an item type of the environment.');
      const { name, title = environment, itemUrl, condition = 'new', availability } = feed;
      const url = feed.url.replace(/\/+$/, '');
      const { public: isPublic } = feed;
      const settings = { title, url, itemUrl, condition, availability, isPublic, currency: code ?? '' };
      return [name, { ...settings, itemTypes: new Set(feed.itemTypes) }];
    }),
  );
}
