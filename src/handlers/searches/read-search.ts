/** Reads search messages, and reports their violations. */
import type { JsonObject } from '@bufbuild/protobuf';
import type { SearchRequest } from '../../../gen/es/personalisation/v1/search_pb.js';
import {
  type EnvironmentSettings,
  itemFields,
  type LimitSettings,
  type PropertyType,
} from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { parseInstant } from '../../ranking/runtime/instants.ts';
import {
  type FacetFilter,
  type FieldFilter,
  type Refinement,
  rangeNamed,
} from '../../ranking/search/search.ts';
import { readOrderBy } from '../messages/order-by.ts';
import { checkHistories } from '../messages/request-size.ts';
import { checkVectorQuery, toVectorQuery } from '../messages/vector-query.ts';
import { checkFields } from '../recommendations/shown-items.ts';

const vectorAlone: Violation = {
  pointer: '/query_vector',
  detail: 'Not allowed with group_by, order_by or list_key.',
};

const searchDefaults = { limit: 4, listSize: 100, listCount: 4 };
/** Values of a facet. */
const usualValues = 100;

export function readSearch(request: SearchRequest, serving: ServingEnvironment, limits: LimitSettings) {
  const { filters, violations } = readFilters(request.filterBy, serving.settings);
  const { refinement, violations: ofRefinement } = readRefinement(request, serving);
  const { filterFields, properties } = serving.settings;
  const hasPrice = filterFields.has('price') && properties.get('price')?.type === 'number';
  const priceField = hasPrice && (request.interpretFilters ?? true) ? 'price' : undefined;
  const { q = '', autocorrect = true, groupBy, pageType, channel, language, fields, listKey } = request;
  return {
    asked: {
      fields,
      listKey,
      limit: request.limit ?? searchDefaults.limit,
      listSize: request.listSize ?? searchDefaults.listSize,
      listCount: request.numLists ?? searchDefaults.listCount,
      mostItems: limits.itemsPerRequest,
      queryVector: toVectorQuery(request.queryVector),
      ...{ q, autocorrect, priceField, filters, groupBy, refinement, pageType, channel, language },
    },
    violations: [
      ...violations,
      ...checkGroups(groupBy, serving.settings),
      ...checkFields(fields, serving.settings),
      ...checkHistories(request.histories, limits),
      ...checkVectorQuery(request.queryVector, serving.settings),
      ...(request.queryVector && (refinement?.orderBy || listKey || groupBy.length > 0) ? [vectorAlone] : []),
      ...ofRefinement,
    ],
  };
}

/**
 * Reads filters: by field one value, or several of which any may match; an empty list is no filter.
 * Values are converted to the type of the field. @param at JSON pointer of the filters
 */
export function readFilters(
  given: JsonObject | undefined,
  { filterFields, properties }: Pick<EnvironmentSettings, 'filterFields' | 'properties'>,
  at = '/filter_by',
): { filters: FieldFilter[]; violations: Violation[] } {
  const filters: FieldFilter[] = [];
  const violations: Violation[] = [];
  for (const [field, value] of Object.entries(given ?? {})) {
    const pointer = `${at}/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`;
    const type = properties.get(field)?.type ?? (field.endsWith('_datetime') ? 'datetime' : 'string');
    const values = (Array.isArray(value) ? value : [value]).map((one) =>
      valueOfType(type, one, at === '/facet_filters'),
    );
    if (!filterFields.has(field))
      violations.push({ pointer, detail: 'Is not a filter field of the environment.' });
    else if (values.includes(undefined)) violations.push({ pointer, detail: kindsOfValues[type] });
    else if (values.length > 0) filters.push({ field, values: values as FieldFilter['values'] });
  }
  return { filters, violations };
}

const kindsOfValues: Record<PropertyType, string> = {
  string: 'Must be a string, number or boolean, or an array of them.',
  'string[]': 'Must be a string, number or boolean, or an array of them.',
  number: 'Must be a number, or an array of numbers; a facet filter also takes ranges such as "10-50".',
  boolean: 'Must be true or false, or an array of them.',
  datetime: 'Must be a date or an RFC 3339 date and time, or an array of them.',
};

/** Returns a filter value in the type of its field; undefined when it has none. */
function valueOfType(
  type: PropertyType,
  value: unknown,
  takesRanges: boolean,
): FieldFilter['values'][number] | undefined {
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return undefined;
  const text = String(value).trim();
  if (type === 'boolean') return { true: true, 1: true, false: false, 0: false }[text.toLowerCase()];
  if (type === 'string' || type === 'string[]') return String(value);
  if (takesRanges && typeof value === 'string' && rangeNamed(text)) return text;
  if (type === 'datetime') return Number.isNaN(parseInstant(text)) ? undefined : text;
  return text === '' || typeof value === 'boolean' || !Number.isFinite(Number(text))
    ? undefined
    : Number(text);
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

type RefinementFields = Pick<
  SearchRequest,
  'facets' | 'facetFilters' | 'orderBy' | 'offset' | 'listKey' | 'groupBy'
>;

/** Returns no refinement when the request has none of these fields. */
function readRefinement(
  request: RefinementFields,
  serving: ServingEnvironment,
): { refinement?: Refinement; violations: Violation[] } {
  const { facets, facetFilters, orderBy, offset, listKey, groupBy } = request;
  if (facets.length === 0 && [facetFilters, orderBy, offset, listKey].every((one) => one === undefined))
    return { violations: [] };
  const { filters: picked, violations } = readFilters(facetFilters, serving.settings, '/facet_filters');
  const filters = picked.map(({ field, values }) => facetFilterOf(field, values, serving));
  violations.push(...facets.flatMap((facet, i) => checkFacet(facet, `/facets/${i}`, serving)));
  if (groupBy.length > 0)
    violations.push({
      pointer: '/group_by',
      detail: 'Not allowed with facets, facet_filters, order_by, offset or list_key.',
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
  return mayOrder && catalog.column(order.key) ? { ...order, language: settings.defaultLanguage } : undefined;
}
