/**
 * Requests of the visitors of a site: most are strangers, and most visit the same few hundred pages.
 *
 * Of 100 requests, 65 come from devices without history, 25 from users with up to ten events in the log of the generated shop,
 * and 10 from users with the longest histories, whose requests have viewed items too. Pages follow Zipf's law.
 */

import { type Chance, createChance } from '../../src/deployment/demo/random.ts';
import type { ShopSize } from './sizes.ts';
import { createZipf, describePage, describeRequest, itemIdOf, shelfOf, visitorOf } from './world.ts';

export const visitorKinds = ['stranger', 'short', 'long'] as const;

export type VisitorKind = (typeof visitorKinds)[number];

export type Visit = { kind: VisitorKind; user: number; request: Record<string, unknown> };

const pageCount = 500;

/** Shares of all visits. */
const strangerShare = 0.65;
const shortShare = 0.25;

/** Bounds by rank among the shop's users: the first have 35 to 300 events, the last two to ten. */
const longShare = 0.05;
const shortFrom = 0.2;

/** Viewed items of a visitor with a long history. */
const viewedCount = 8;

/** Number of the first stranger; each one has a new device. */
const strangerFrom = 1_000_000;

export type Site = {
  visit(kind?: VisitorKind): Visit;
  /** Returns a new device; all names have the same length. */
  newDevice(): string;
};

export function createSite(seed: string, nowSeconds: number, size: ShopSize): Site {
  const chance = createChance(`${seed} site`);
  const drawPage = createZipf(pageCount, 5, chance);
  const pages = Array.from({ length: pageCount }, (_, page) => describeSitePage(page, size));
  const drawItem = createZipf(size.items, 5, chance);
  let strangerCount = 0;
  const newStranger = () => strangerFrom + strangerCount++;
  const viewed = () =>
    Array.from({ length: viewedCount }, (_, place) => ({
      id: itemIdOf(drawItem()),
      item_type: 'product',
      timestamp: nowSeconds - 60 * (place + 1),
    }));
  const userOf: Record<VisitorKind, () => number> = {
    stranger: newStranger,
    short: () => chance.whole(Math.floor(size.users * shortFrom), size.users - 1),
    long: () => chance.whole(0, Math.floor(size.users * longShare)),
  };
  return {
    visit(kind = drawKind(chance)) {
      const user = userOf[kind]();
      const { device_id: deviceId, user_id: userId } = visitorOf(user);
      const visitor =
        kind === 'stranger' ? { device_id: deviceId } : { device_id: deviceId, user_id: userId };
      const seen = kind === 'long' ? { histories: { viewed: viewed() } } : {};
      return { kind, user, request: { ...visitor, ...pages[drawPage()], ...seen } };
    },
    newDevice: () => visitorOf(newStranger()).device_id,
  };
}

function drawKind(chance: Chance): VisitorKind {
  const drawn = chance.fraction();
  if (drawn < strangerShare) return 'stranger';
  return drawn < strangerShare + shortShare ? 'short' : 'long';
}

/** Eight of ten pages are for an item, one for a shelf, and one for neither. */
function describeSitePage(page: number, size: ShopSize): Record<string, unknown> {
  const index = Math.floor((page * size.items) / (4 * pageCount));
  if (page % 10 === 3) return describePage('category', 'category', { categories: [shelfOf(index, size)] });
  if (page % 10 === 7) return describePage(`landing-${page}`, 'home');
  return describeRequest(itemIdOf(index));
}
