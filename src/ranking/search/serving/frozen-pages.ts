/**
 * Freezes the order of a search for its further pages.
 *
 * Clicks between two pages change the taste of the subject, and so the order: items of page 1 would
 * return on page 2, and others would be on neither. The order that a subject has seen stays until
 * its first page is requested again on the node; a list key continues it on any node.
 */
import { hash } from 'node:crypto';
import type { Catalog } from '../../catalog/catalog.ts';
import { createCache } from '../../runtime/cache.ts';
import { type Forgetting, isGoneFor } from '../../runtime/forgetting.ts';
import { type Hit, isWithin, type SearchRequest, unrankedHit } from '../search.ts';
import { groupKeyOf } from './arrangement.ts';
import { failedFilter } from './failed-filter.ts';
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
  /** The order to continue, from the list key of the request. */
  kept?: Int32Array,
) => SteerableResult & {
  /** Other items up to the end of the page; absent when those of the pages before are not known. */
  before?: Int32Array;
};

/** Identifies a search whose pages share an order, without its subject. */
export function searchKeyOf(request: ServedRequest): string {
  const { environment, q, pageType, language, autocorrect, priceField, groupBy, refinement } = request;
  const filters = [priceField, request.filters, refinement?.filters ?? [], refinement?.orderBy, groupBy];
  return hash('sha256', JSON.stringify([environment, q, pageType, language, autocorrect, filters])).slice(
    0,
    16,
  );
}

export function createFrozenPages(forgetting?: Forgetting): FrozenPages {
  const bytesOf = ({ items }: Order) => items.byteLength + 1_000;
  const orders = createCache<Order>({ maxBytes, bytesOf });
  forgetting?.add((isGone) =>
    orders.deleteWhere(({ subject }) => isGoneFor(isGone, subject.environment, subject)),
  );

  return (request, asked, catalog, run, kept) => {
    const { refinement, listSize, nowMs } = asked;
    const offset = refinement?.offset ?? 0;
    const isRanked = refinement && !refinement.orderBy && !request.doNotStore;
    const { environment, userId, deviceId } = request;
    const subject = { environment, userId, deviceId };
    const key = JSON.stringify([searchKeyOf(request), userId, deviceId]);
    const keep = (items: Int32Array): void => {
      if (isRanked) orders.set(key, { items, subject, seenAtMs: nowMs });
    };
    const seenBefore = isRanked && offset > 0 ? orders.get(key) : undefined;
    const isRecent = seenBefore && nowMs - seenBefore.seenAtMs <= lifetimeMs;
    const known = kept ?? (isRecent ? seenBefore.items : undefined);
    if (!refinement || !known) {
      const found = run(asked);
      if (offset > 0) return found;
      keep(Int32Array.from(itemsOf(found), ({ itemIndex }) => itemIndex));
      return { ...found, before: new Int32Array(0) };
    }
    const end = offset + listSize;
    const isWhole = end <= mostItems;
    const found = run(
      isWhole ? { ...asked, listSize: end, refinement: { ...refinement, offset: 0 } } : asked,
    );
    const hits = new Map(itemsOf(found).map((hit) => [hit.itemIndex, hit]));
    const seen = new Set(Array.from(known, (itemIndex) => groupKeyOf(itemIndex, catalog)));
    const others = [...hits.keys()].filter((itemIndex) => !seen.has(groupKeyOf(itemIndex, catalog)));
    const order = Int32Array.from([...known, ...others]);
    if (isWhole) keep(order);
    const page = isWhole ? Array.from(order.subarray(offset, end)) : others;
    const isShown = (one: number) => hits.has(one) || isStillFound(one, catalog, { asked, found });
    const shown = new Set(page.filter(isShown));
    const items = Array.from(shown, (itemIndex) => hits.get(itemIndex) ?? unrankedHit(itemIndex));
    const lists = items.length > 0 ? [{ values: [], name: '', items }] : [];
    /** With the items that the page leaves out, so that the next page begins where it ends. */
    const before = isWhole
      ? order.subarray(0, end).filter((one, i) => i < offset || !shown.has(one))
      : undefined;
    return { ...found, result: { ...found.result, lists }, before };
  };
}

type Page = { asked: SearchRequest; found: SteerableResult };

/** Whether an item of the order that the results lack now may still be shown. */
function isStillFound(itemIndex: number, catalog: Catalog, { asked, found }: Page): boolean {
  const { interpreted } = found.result;
  const price = interpreted && (catalog.column(interpreted.field)?.numberAt?.(itemIndex) ?? Number.NaN);
  return (
    catalog.servable(itemIndex, asked.nowMs) &&
    failedFilter(itemIndex, catalog, asked) === undefined &&
    (price === undefined || isWithin(price, interpreted!)) &&
    found.facts?.barrierTo(itemIndex) === undefined
  );
}

const itemsOf = ({ result }: SteerableResult): Hit[] => result.lists.flatMap(({ items }) => items);
