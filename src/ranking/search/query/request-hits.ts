/** Hits of a request: how its query is understood, which items it admits, and the best of what is found. */
import type { Catalog } from '../../catalog/catalog.ts';
import { longestQuery } from '../settings.ts';
import { createVersionedCache, type VersionedKey } from '../versioned-cache.ts';
import type { DistinctHits } from './distinct-hits.ts';
import type { FieldLists } from './field-lists.ts';
import { browse, type FoundHits, type Hit, type HitFinder, type HitRequest } from './hits.ts';
import type { Admission, ItemFilter } from './item-tests.ts';
import { type PriceWords, readPrice } from './price-words.ts';
import { isBrowse, type SearchRequest } from './search-request.ts';
import type { Understand, UnderstoodQuery } from './understand.ts';

export type UnderstoodRequest = {
  request: SearchRequest;
  understood: UnderstoodQuery;
  /** Identifies how the query is understood. */
  queryKey: VersionedKey;
  among: ItemFilter;
  /** The words that are a filter of the request. */
  price?: PriceWords;
};

export type RequestHitsOptions = {
  catalog: Catalog;
  understand: Understand;
  /** Counts changes that may change how a query is understood. */
  version(): number;
  admission: Admission;
  fieldLists: FieldLists;
  finder: HitFinder;
  distinct: DistinctHits;
};

/** Bytes of cached queries. */
const mostBytes = 5 * 1024 * 1024;
/** Bytes of an object with a few fields. */
const bytesOfObject = 150;

function bytesOf({ query, slots, dropped, corrections }: UnderstoodQuery): number {
  const alternatives = slots.flatMap((slot) => slot.alternatives);
  const terms = alternatives.reduce((sum, one) => sum + one.terms.length, 0);
  const texts = [query, ...dropped, ...alternatives.map(({ text }) => text)];
  const objects = slots.length + alternatives.length + corrections.length + texts.length;
  return objects * bytesOfObject + terms * 8 + texts.reduce((sum, { length }) => sum + length * 2, 0);
}

export function createRequestHits(options: RequestHitsOptions) {
  const { catalog, understand, version, admission, fieldLists, finder, distinct } = options;

  const understandings = createVersionedCache<UnderstoodQuery>(mostBytes, bytesOf);

  /** @param isPriced whether prices in words filter; if not, they are still no words */
  const ask = (asked: SearchRequest, isPriced = true): UnderstoodRequest => {
    const { q, autocorrect = true, priceField } = asked;
    const price = priceField === undefined ? undefined : readPrice(q.slice(0, longestQuery));
    const queryKey = { key: `${autocorrect} ${price?.text} ${q.slice(0, longestQuery)}`, version: version() };
    const understood = understandings.get(queryKey, () => understand(q, autocorrect, price?.text));
    const range = price && { minimum: price.minimum, maximum: price.maximum };
    const filters = [...(asked.filters ?? []), { field: priceField!, values: [], range }];
    const request = price && isPriced ? { ...asked, filters } : asked;
    return {
      request,
      understood,
      queryKey,
      among: admission.amongOf(request),
      price: isPriced ? price : undefined,
    };
  };

  const hitRequest = (
    { request, understood, queryKey, among }: UnderstoodRequest,
    limit: number,
  ): HitRequest => {
    const { prior, taste, clicksOf } = request;
    const { query, slots } = understood;
    const narrowing = fieldLists.narrowingOf(request.filters ?? []);
    return {
      query,
      slots,
      asked: queryKey,
      limit,
      among,
      narrowing,
      prior,
      taste,
      clicks: clicksOf?.(query),
    };
  };

  /** @param wanted hits that are returned of the `limit` that are ranked */
  const findHits = (asked: UnderstoodRequest, limit: number, wanted = limit): FoundHits =>
    isBrowse(asked.request)
      ? browse(catalog, hitRequest(asked, limit))
      : finder.find({ ...hitRequest(asked, limit), wanted });

  /** Returns one hit of each group. `limit` hits are ranked together; more are found in further rounds. */
  const findDistinct = (asked: UnderstoodRequest, limit: number, wanted: number): Hit[] => {
    const { among, request } = asked;
    if (catalog.groups.count === 0 && wanted <= limit) return findHits(asked, limit, wanted).hits;
    const find = (most: number, isNew: ItemFilter) => findHits({ ...asked, among: isNew }, most);
    return distinct.find({ limit, wanted, among, nextInGroup: request.nextInGroup, find }).hits;
  };

  return { ask, hitRequest, findHits, findDistinct };
}
