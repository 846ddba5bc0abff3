/** Facets, picks, order and offset of a search message, as the index understands them. */

import type { SearchRequest } from '../../../gen/es/personalisation/v1/search_pb.js';
import { itemFields } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { type Facet, type FacetFilter, type Refinement, rangeNamed } from '../../ranking/search/search.ts';
import { readOrderBy } from '../messages/order-by.ts';

const usualValues = 100;

type Asked = Pick<SearchRequest, 'facets' | 'facetFilters' | 'orderBy' | 'offset' | 'groupBy'>;

export type ReadRefinement = { refinement?: Refinement; violations: Violation[] };

/** Undefined when the request has none of it. */
export function readRefinement(asked: Asked, serving: ServingEnvironment): ReadRefinement {
  const { facets, facetFilters, orderBy, offset, groupBy } = asked;
  if (facets.length === 0 && !facetFilters && orderBy === undefined && offset === undefined)
    return { violations: [] };
  const { filters, violations } = readPicks(facetFilters ?? {}, serving);
  violations.push(...facets.flatMap((facet, i) => checkFacet(facet, `/facets/${i}`, serving)));
  if (groupBy.length > 0)
    violations.push({
      pointer: '/group_by',
      detail: 'Not beside facets, facet_filters, order_by or offset.',
    });
  const order = orderBy === undefined ? undefined : readOrder(orderBy, serving);
  if (orderBy !== undefined && !order)
    violations.push({ pointer: '/order_by', detail: 'Is neither a field of Item nor a filter field.' });
  return {
    violations,
    refinement: {
      facets: facets.map(({ key, ranges, limit }) => ({
        key,
        bounds: ranges.length > 0 ? ranges : undefined,
        limit: limit ?? usualValues,
      })),
      filters,
      orderBy: order,
      offset: (offset ?? 1) - 1,
    },
  };
}

function checkFacet(
  { key, ranges }: Asked['facets'][number],
  pointer: string,
  { catalog, settings }: ServingEnvironment,
): Violation[] {
  const column = catalog.column(key);
  if (!settings.filterFields.has(key))
    return [{ pointer, detail: 'Is not a filter field of the environment.' }];
  if (ranges.length > 0) {
    if (!column?.numberAt) return [{ pointer: `${pointer}/ranges`, detail: 'Only numbers have ranges.' }];
    const isAscending = ranges.every((bound, i) => i === 0 || bound > ranges[i - 1]);
    return isAscending ? [] : [{ pointer: `${pointer}/ranges`, detail: 'Must ascend.' }];
  }
  if (!column?.coded && !column?.numberAt) return [{ pointer, detail: 'Has no values that items share.' }];
  if (itemFields.has(key) || settings.properties.get(key)?.returnable) return [];
  return [{ pointer, detail: 'Is not returnable, so it is counted by ranges alone.' }];
}

function readPicks(
  picks: Record<string, unknown>,
  { catalog, settings }: ServingEnvironment,
): { filters: FacetFilter[]; violations: Violation[] } {
  const filters: FacetFilter[] = [];
  const violations: Violation[] = [];
  for (const [key, given] of Object.entries(picks)) {
    const pointer = `/facet_filters/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const values = Array.isArray(given) ? given : [given];
    const areNumbers = catalog.column(key)?.numberAt !== undefined;
    const ranges = values.flatMap((value) =>
      areNumbers && typeof value === 'string' ? (rangeNamed(value) ?? []) : [],
    );
    if (!settings.filterFields.has(key))
      violations.push({ pointer, detail: 'Is not a filter field of the environment.' });
    else if (values.every((value) => ['string', 'number', 'boolean'].includes(typeof value)))
      filters.push({ key, values, ranges });
    else violations.push({ pointer, detail: 'Must be a string, number or boolean, or an array of them.' });
  }
  return { filters, violations };
}

function readOrder(orderBy: string, { catalog, settings }: ServingEnvironment): Refinement['orderBy'] {
  const order = readOrderBy(orderBy);
  const mayOrder = itemFields.has(order.key) || settings.filterFields.has(order.key);
  return mayOrder && catalog.column(order.key) ? order : undefined;
}

export function facetMessage({ key, values }: Facet) {
  return { key, values: values.map(({ value, ...others }) => ({ ...others, value: valueMessage(value) })) };
}

function valueMessage(value: string | number | boolean) {
  if (typeof value === 'string') return { kind: { case: 'stringValue' as const, value } };
  if (typeof value === 'number') return { kind: { case: 'numberValue' as const, value } };
  return { kind: { case: 'boolValue' as const, value } };
}
