/**
 * What visitors of a site ask for: most are strangers, and most come to the same few hundred pages.
 *
 * Of 100 requests 65 come from devices that nobody saw before, 25 from people with up to ten events in the log of the generated
 * shop, 10 from those with the longest histories, whose pages send what they looked at besides. Pages follow Zipf's law.
 */

import { type Chance, createChance } from '../../src/deployment/demo/random.ts';
import type { ShopSize } from './sizes.ts';
import { createZipf, describePage, describeRequest, itemIdOf, shelfOf, visitorOf } from './world.ts';

export const visitorKinds = ['stranger', 'short', 'long'] as const;

export type VisitorKind = (typeof visitorKinds)[number];

export type Visit = { kind: VisitorKind; user: number; request: Record<string, unknown> };

const pageCount = 500;

/** Of all visits. */
const strangerShare = 0.65;
const shortShare = 0.25;

/** By their rank among the shop's users: the first have 35 to 300 events, those after the others two to ten. */
const longShare = 0.05;
const shortFrom = 0.2;

/** Items that a long visit has looked at. */
const viewedCount = 8;

/** A device that nobody saw before comes in each time. */
const strangerFrom = 1_000_000;

export type Site = {
  visit(kind?: VisitorKind): Visit;
  /** A device that nobody saw before; all have names of one length. */
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
      const who = kind === 'stranger' ? { device_id: deviceId } : { device_id: deviceId, user_id: userId };
      const seen = kind === 'long' ? { histories: { viewed: viewed() } } : {};
      return { kind, user, request: { ...who, ...pages[drawPage()], ...seen } };
    },
    newDevice: () => visitorOf(newStranger()).device_id,
  };
}

function drawKind(chance: Chance): VisitorKind {
  const drawn = chance.fraction();
  if (drawn < strangerShare) return 'stranger';
  return drawn < strangerShare + shortShare ? 'short' : 'long';
}

/** Of ten pages eight are about an item, one about a shelf, and one about neither. */
function describeSitePage(page: number, size: ShopSize): Record<string, unknown> {
  const index = Math.floor((page * size.items) / (4 * pageCount));
  if (page % 10 === 3) return describePage('category', 'category', { categories: [shelfOf(index, size)] });
  if (page % 10 === 7) return describePage(`landing-${page}`, 'home');
  return describeRequest(itemIdOf(index));
}
