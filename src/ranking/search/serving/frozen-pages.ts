/**
 * Freezes the order of a search for its further pages.
 *
 * Clicks between two pages change the taste of the subject, and so the order: items of page 1 would
 * return on page 2, and others would be on neither. The order that a subject has seen stays until
 * its first page is requested again, on the same node.
 */
import type { Catalog } from '../../catalog/catalog.ts';
import { createCache } from '../../runtime/cache.ts';
import { type Forgetting, isGoneFor } from '../../runtime/forgetting.ts';
import { type Hit, type SearchRequest, unrankedHit } from '../search.ts';
import type { SearchRequest as ServedRequest } from './served-search.ts';
import type { SteerableResult } from './steered-search.ts';

/** Cached orders, four bytes an item. */
const maxBytes = 8 * 1024 * 1024;
const lifetimeMs = 20 * 60_000;
/** Items of one list; a page beyond them leaves out what the order has, and is not added to it. */
const mostItems = 1_000;

type Order = {
  items: Int32Array;
  seenAtMs: number;
  subject: Pick<ServedRequest, 'environment' | 'userId' | 'deviceId'>;
};

export type FrozenPages = (
  request: ServedRequest,
  asked: SearchRequest,
  catalog: Catalog,
  run: (asked: SearchRequest) => SteerableResult,
) => SteerableResult;

const keyOf = (request: ServedRequest) => {
  const { environment, userId, deviceId, q, pageType, language, autocorrect } = request;
  const filters = [request.priceField, request.filters, request.refinement?.filters];
  return JSON.stringify([environment, userId, deviceId, q, pageType, language, autocorrect, filters]);
};

export function createFrozenPages(forgetting?: Forgetting): FrozenPages {
  const bytesOf = ({ items }: Order) => items.byteLength + 1_000;
  const orders = createCache<Order>({ maxBytes, bytesOf });
  forgetting?.add((isGone) =>
    orders.deleteWhere(({ subject }) => isGoneFor(isGone, subject.environment, subject)),
  );

  return (request, asked, catalog, run) => {
    const { refinement, listSize, nowMs } = asked;
    if (!refinement || refinement.orderBy || request.doNotStore) return run(asked);
    const key = keyOf(request);
    const { environment, userId, deviceId } = request;
    const subject = { environment, userId, deviceId };
    const keep = (items: Int32Array): void => orders.set(key, { items, subject, seenAtMs: nowMs });
    const known = refinement.offset > 0 ? orders.get(key) : undefined;
    if (!known || nowMs - known.seenAtMs > lifetimeMs) {
      const found = run(asked);
      if (refinement.offset === 0) keep(Int32Array.from(itemsOf(found), ({ itemIndex }) => itemIndex));
      return found;
    }
    const end = refinement.offset + listSize;
    const isWhole = end <= mostItems;
    const whole = { ...asked, listSize: end, refinement: { ...refinement, offset: 0 } };
    const found = run(isWhole ? whole : asked);
    const hits = new Map(itemsOf(found).map((hit) => [hit.itemIndex, hit]));
    const nameOf = (itemIndex: number): number => {
      const group = catalog.groups.of(itemIndex);
      return group < 0 ? itemIndex : -1 - group;
    };
    const seen = new Set(Array.from(known.items, nameOf));
    const others = [...hits.keys()].filter((itemIndex) => !seen.has(nameOf(itemIndex)));
    if (isWhole) keep(Int32Array.from([...known.items, ...others]));
    const page = isWhole ? [...known.items, ...others].slice(refinement.offset, end) : others;
    const items = page
      .filter((itemIndex) => catalog.servable(itemIndex, nowMs))
      .map((itemIndex) => hits.get(itemIndex) ?? unrankedHit(itemIndex));
    const lists = items.length > 0 ? [{ values: [], name: '', items }] : [];
    return { ...found, result: { ...found.result, lists } };
  };
}

const itemsOf = ({ result }: SteerableResult): Hit[] => result.lists.flatMap(({ items }) => items);
