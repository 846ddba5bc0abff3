/** The hits of a request: how it is understood, what it admits, and the best of what is found. */
import type { Catalog } from '../../catalog/catalog.ts';
import { browse } from './browse.ts';
import type { Admission } from './conditions.ts';
import type { DistinctHits, Found } from './distinct-hits.ts';
import type { FieldLists } from './field-lists.ts';
import type { Hit, HitFinder, HitRequest } from './hits.ts';
import { isBrowse, type SearchRequest } from './search-request.ts';
import type { Understand, Understood } from './understand.ts';

export type Asked = {
  request: SearchRequest;
  understood: Understood;
  admits: (itemIndex: number) => boolean;
};

export type AskedHitsOptions = {
  catalog: Catalog;
  understand: Understand;
  admission: Admission;
  fieldLists: FieldLists;
  finder: HitFinder;
  distinct: DistinctHits;
};

export function createAskedHits(options: AskedHitsOptions) {
  const { catalog, understand, admission, fieldLists, finder, distinct } = options;

  const ask = (request: SearchRequest): Asked => ({
    request,
    understood: understand(request.q, request.autocorrect ?? true),
    admits: admission.testOf(request),
  });

  const hitRequest = ({ request, understood, admits }: Asked, limit: number): HitRequest => {
    const { prior, taste, clicksOf } = request;
    const { query, slots } = understood;
    const narrowing = fieldLists.narrowingOf(request.filters ?? []);
    return { query, slots, limit, admits, narrowing, prior, taste, clicks: clicksOf?.(query) };
  };

  /** @param wanted the best of them that are asked for [limit] */
  const findHits = (asked: Asked, limit: number, wanted = limit): Found =>
    isBrowse(asked.request)
      ? browse({ catalog, ...hitRequest(asked, limit) })
      : finder.find({ ...hitRequest(asked, limit), wanted });

  /** One of each group. */
  const findDistinct = (asked: Asked, limit: number, wanted: number): Hit[] => {
    const { admits, request } = asked;
    if (catalog.groups.count === 0) return findHits(asked, limit, wanted).hits;
    const find = (most: number, isNew: Asked['admits']) => findHits({ ...asked, admits: isNew }, most);
    return distinct.find({ limit, wanted, admits, nextInGroup: request.nextInGroup, find }).hits;
  };

  return { ask, hitRequest, findHits, findDistinct };
}
