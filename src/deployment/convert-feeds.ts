/** The product feeds of an environment. */

import type { Feed } from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import type { FeedSettings } from '../formats/feeds/product.ts';
import { checkEach, checkName, checkNames, type Faults, isWebAddress, within } from './checks.ts';

/** Settings of the environment that feeds depend on. */
type Place = { name: string; currency: string | undefined; itemTypes: ReadonlyMap<string, unknown> };

export function convertFeeds(
  feeds: readonly Feed[],
  environment: Place,
  isCurrency: (code: string) => boolean,
  fault: Faults,
): ReadonlyMap<string, FeedSettings> {
  checkNames(feeds, fault);
  return new Map(
    feeds.map((feed, i) => {
      const at = (field: string) => within(fault, `${i}/${field}`);
      const { name, title = environment.name, itemUrl, condition = 'new', availability } = feed;
      const currency = feed.currency ?? environment.currency;
      checkName(name, at('name'));
      for (const [field, address] of Object.entries({ url: feed.url, item_url: itemUrl }))
        if (address !== undefined && !isWebAddress(address))
          at(field)('', 'Must be an address like https://shop.example.');
      if (currency === undefined) at('currency')('', 'Is required: the environment declares no currency.');
      else if (!isCurrency(currency))
        at('currency')('', 'Must be the code of a currency, in capital letters: EUR.');
      const isDeclared = (type: string) => environment.itemTypes.has(type);
      checkEach(feed.itemTypes, isDeclared, 'Is not an item type of the environment.', at('item_types'));
      const url = feed.url.replace(/\/+$/, '');
      const { public: isPublic } = feed;
      const settings = { title, url, itemUrl, condition, availability, isPublic, currency: currency ?? '' };
      return [name, { ...settings, itemTypes: new Set(feed.itemTypes) }];
    }),
  );
}
