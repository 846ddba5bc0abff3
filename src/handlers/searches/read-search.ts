/** Reads search messages, and reports their violations. */
import type { JsonObject } from '@bufbuild/protobuf';
import type { SearchRequest } from '../../../gen/es/personalisation/v1/search_pb.js';
import { type EnvironmentSettings, itemFields, type LimitSettings } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import {
  type FacetFilter,
  type FieldFilter,
  type Refinement,
  rangeNamed,
} from '../../ranking/search/search.ts';
import { readOrderBy } from '../messages/order-by.ts';
import { checkHistories } from '../messages/request-size.ts';
import { checkFields } from '../recommendations/shown-items.ts';

const searchDefaults = { limit: 4, listSize: 100, listCount: 4 };
/** Values of a facet. */
const usualValues = 100;

export function readSearch(request: SearchRequest, serving: ServingEnvironment, limits: LimitSettings) {
  const { filters, violations } = readFilters(request.filterBy, serving.settings);
  const { refinement, violations: ofRefinement } = readRefinement(request, serving);
  const { q = '', autocorrect = true, groupBy, pageType, language, fields } = request;
  return {
    asked: {
      fields,
      limit: request.limit ?? searchDefaults.limit,
      listSize: request.listSize ?? searchDefaults.listSize,
      listCount: request.numLists ?? searchDefaults.listCount,
      mostItems: limits.itemsPerRequest,
      ...{ q, autocorrect, filters, groupBy, refinement, pageType, language },
    },
    violations: [
      ...violations,
      ...checkGroups(groupBy, serving.settings),
      ...checkFields(fields, serving.settings),
      ...checkHistories(request.histories, limits),
      ...ofRefinement,
    ],
  };
}

/**
 * Reads filters: by field one value, or several of which any may match. @param at JSON pointer of
 * the filters
 */
export function readFilters(
  given: JsonObject | undefined,
  { filterFields }: Pick<EnvironmentSettings, 'filterFields'>,
  at = '/filter_by',
): { filters: FieldFilter[]; violations: Violation[] } {
  const filters: FieldFilter[] = [];
  const violations: Violation[] = [];
  for (const [field, value] of Object.entries(given ?? {})) {
    const pointer = `${at}/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const values: unknown[] = Array.isArray(value) ? value : [value];
    if (!filterFields.has(field))
      violations.push({ pointer, detail: 'Is not a filter field of the environment.' });
    else if (values.every(isScalar)) filters.push({ field, values });
    else violations.push({ pointer, detail: 'Must be a string, number or boolean, or an array of them.' });
  }
  return { filters, violations };
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Texts that name a range are ranges, for a field of numbers. */
function facetFilterOf(
  key: string,
  values: FieldFilter['values'],
  { catalog }: ServingEnvironment,
): FacetFilter {
  const areNumbers = catalog.column(key)?.numberAt !== undefined;
  const texts = areNumbers ? values.filter((value) => typeof value === 'string') : [];
  return { key, values, ranges: texts.flatMap((text) => rangeNamed(text) ?? []) };
}

function checkGroups(groupBy: string[], { properties }: EnvironmentSettings): Violation[] {
  return groupBy.flatMap((field, i) =>
    itemFields.has(field) || properties.get(field)?.returnable
      ? []
      : [{ pointer: `/group_by/${i}`, detail: 'Is neither a field of Item nor a returnable property.' }],
  );
}

type RefinementFields = Pick<SearchRequest, 'facets' | 'facetFilters' | 'orderBy' | 'offset' | 'groupBy'>;

/** Returns no refinement when the request has none of these fields. */
function readRefinement(
  request: RefinementFields,
  serving: ServingEnvironment,
): { refinement?: Refinement; violations: Violation[] } {
  const { facets, facetFilters, orderBy, offset, groupBy } = request;
  if (facets.length === 0 && !facetFilters && orderBy === undefined && offset === undefined)
    return { violations: [] };
  const { filters: picked, violations } = readFilters(facetFilters, serving.settings, '/facet_filters');
  const filters = picked.map(({ field, values }) => facetFilterOf(field, values, serving));
  violations.push(...facets.flatMap((facet, i) => checkFacet(facet, `/facets/${i}`, serving)));
  if (groupBy.length > 0)
    violations.push({
      pointer: '/group_by',
      detail: 'Not allowed with facets, facet_filters, order_by or offset.',
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
  { key, ranges }: RefinementFields['facets'][number],
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
  return [{ pointer, detail: 'Is not returnable, so it can only be counted by ranges.' }];
}

function readOrder(orderBy: string, { catalog, settings }: ServingEnvironment): Refinement['orderBy'] {
  const order = readOrderBy(orderBy);
  const mayOrder = itemFields.has(order.key) || settings.filterFields.has(order.key);
  return mayOrder && catalog.column(order.key) ? order : undefined;
}
