/** Rules, synonyms, events and settings of Algolia. */

import type { Row } from '../../formats/records/mapping/row.ts';
import { type Fields, readFilter } from './filters.ts';
import type { MappedSynonym, ProposedField } from './rivals.ts';
import { emptyRule, type MappedRule, type QueryTest } from './search-rules.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of the export, checked where it is used.
type Json = any;

/** Maps the conditions of an anchoring; each pattern is free of placeholders. */
const anchored: Readonly<Record<string, (pattern: string) => QueryTest>> = {
  is: (exact) => ({ exact }),
  contains: (contains) => ({ contains }),
  startsWith: (pattern) => ({ pattern: `${pattern} *` }),
  endsWith: (pattern) => ({ pattern: `* ${pattern}` }),
};

/** Parameters that become parts of a configuration. */
const mappedParameters = [
  ...['filters', 'facetFilters', 'numericFilters', 'optionalFilters', 'userData', 'renderingContent'],
];

export function readAlgoliaRule(rule: Json, fields: Fields): MappedRule {
  const mapped = emptyRule(String(rule.objectID ?? ''));
  const { consequence = {}, validity = [] } = rule;
  const { params = {}, promote = [], hide = [], userData } = consequence;
  if (rule.enabled === false) return { ...mapped, queries: [], unmapped: ['The rule is turned off'] };
  const conditions = rule.conditions ?? (rule.condition ? [rule.condition] : []);
  readConditions(conditions, fields, mapped);
  mapped.pins = [promote]
    .flat()
    .flatMap(({ objectID, objectIDs = [objectID], position = 0 }: Json) =>
      objectIDs.map((itemId: string, i: number) => ({ itemId: String(itemId), rank: position + 1 + i })),
    );
  mapped.hides = [hide].flat().map(({ objectID }: Json) => String(objectID));
  for (const name of ['filters', 'facetFilters', 'numericFilters']) {
    if (params[name] === undefined) continue;
    const queries = readFilter(params[name], fields);
    if (queries) mapped.constraints.push(...queries);
    else mapped.unmapped.push(`The parameter ${name} has a condition that does not map`);
  }
  readOptional(params.optionalFilters, fields, mapped);
  const { redirect, widgets, ...shown } = params.renderingContent ?? {};
  mapped.redirect = redirect?.url;
  const contents = [userData, params.userData, ...(widgets?.banners ?? [])];
  mapped.content = contents.filter((one) => typeof one === 'object' && one !== null);
  for (const name of [
    ...Object.keys(params).filter((one) => !mappedParameters.includes(one)),
    ...Object.keys(shown),
  ])
    mapped.unmapped.push(`The parameter ${name} has no counterpart`);
  if (consequence.redirect) mapped.unmapped.push('The rule redirects to another index');
  const [{ from, until } = {} as Json, ...others] = [validity].flat();
  if (others.length > 0) mapped.unmapped.push('Only the first of several periods is kept');
  return { ...mapped, fromSeconds: from, untilSeconds: until };
}

/** Conditions are alternatives. One that does not map is left out: without it the rule would hold more often. */
function readConditions(conditions: Json[], fields: Fields, mapped: MappedRule): void {
  if (conditions.length === 0) return;
  mapped.queries = [];
  for (const { pattern, anchoring = 'is', context, filters } of conditions) {
    const test = typeof pattern === 'string' && /[\p{L}\p{N}]/u.test(pattern) && !/[{}]/.test(pattern);
    const categories = filters && conditions.length === 1 ? categoriesOf(filters, fields) : undefined;
    if (context) mapped.unmapped.push('A condition has a context');
    else if (filters && !categories) mapped.unmapped.push('A condition has filters');
    else if (!test && (pattern !== undefined || !categories))
      mapped.unmapped.push(pattern ? 'A condition has a placeholder' : 'A condition is the empty query');
    else {
      if (test) mapped.queries.push(anchored[anchoring]?.(pattern) ?? { exact: pattern });
      mapped.categories = categories;
    }
  }
}

function categoriesOf(filters: unknown, fields: Fields): string[] | undefined {
  const [query, ...others] = readFilter(filters, fields) ?? [];
  const values = [query?.match].flat();
  const isPlain = query?.key === 'categories' && others.length === 0;
  return isPlain && values.every((value) => typeof value === 'string') ? (values as string[]) : undefined;
}

function readOptional(filters: Json, fields: Fields, mapped: MappedRule): void {
  for (const filter of [filters ?? []].flat(2)) {
    const [, text, score = '1'] = /^(.*?)(?:<score=(\d+)>)?$/s.exec(String(filter))!;
    const [query] = readFilter([text], fields) ?? [];
    if (query === undefined)
      mapped.unmapped.push('The parameter optionalFilters has a condition that does not map');
    else {
      const { match } = query as { match?: { not?: unknown } };
      const isBury = match?.not !== undefined;
      const wanted = isBury ? { ...query, match: match.not } : query;
      mapped.preferences.push({ query: wanted, weight: isBury ? -Number(score) : Number(score) });
    }
  }
}

export function readAlgoliaSynonym({ objectID, type, ...row }: Json): MappedSynonym {
  const id = String(objectID);
  const kind = String(type).toLowerCase();
  if (kind === 'synonym') return { id, words: row.synonyms };
  if (kind === 'onewaysynonym') return { id, from: [row.input], to: row.synonyms };
  if (kind.startsWith('altcorrection')) return { id, from: [row.word], to: row.corrections };
  return { id, reason: `Synonyms of type ${type} have no counterpart` };
}

/** Gives each object of an event its price and quantity, and conversions without subtype one. */
export function prepareAlgoliaEvent(row: Row): Row {
  const { objectIDs, objectID, objectData, eventType, eventSubtype, eventName, ...others } = row as Json;
  const ids = parseArray(objectIDs) ?? [objectIDs || objectID].filter((id) => id);
  const data = parseArray(objectData) ?? [];
  const isCart = /cart|basket/i.test(String(eventName ?? ''));
  const subtype =
    eventType === 'conversion' ? eventSubtype || (isCart ? 'addToCart' : 'purchase') : eventSubtype;
  const quantity = subtype ? 1 : undefined;
  const objects = ids.map((id: unknown, i: number) => ({ quantity, ...data[i], id }));
  const objectsOrNone = objects.length > 0 ? objects : undefined;
  return { ...others, eventType, eventSubtype: subtype, eventName, objectIDs: objectsOrNone };
}

function parseArray(value: unknown): Json[] | undefined {
  if (typeof value === 'string' && /^\s*\[/.test(value)) {
    try {
      return JSON.parse(value);
    } catch {
      return undefined;
    }
  }
  return Array.isArray(value) ? value : undefined;
}

const named = (attribute: string): string => attribute.replace(/^\w+\((.*)\)$/, '$1').trim();

/** Settings that other parts of this service answer. */
const answeredSettings = new Set([
  'searchableAttributes',
  'attributesToIndex',
  'attributesForFaceting',
  'version',
]);

/** Reads `settings.json`: searched and filtered attributes, the most important first. */
export function readAlgoliaSettings(settings: Json): { fields: ProposedField[]; unmapped: string[] } {
  const searched = [settings.searchableAttributes ?? settings.attributesToIndex ?? []].flat();
  const order = searched.flatMap((attributes: string) => attributes.split(',').map(named));
  const facets = [settings.attributesForFaceting ?? []].flat().map(named);
  const numbers = new Set([settings.numericAttributesForFiltering ?? []].flat().map(named));
  const fields = [...new Set([...order, ...facets])].map((name) => ({
    name,
    type: numbers.has(name) ? 'number' : undefined,
    weight: order.includes(name) ? (order.indexOf(name) < order.length / 2 ? 2 : 1) : undefined,
    isFilter: facets.includes(name),
  }));
  const others = Object.entries(settings).filter(
    ([name, value]) =>
      !answeredSettings.has(name) && value !== null && ![value].flat().every((one) => one === ''),
  );
  return { fields, unmapped: others.map(([name]) => `The setting ${name} has no counterpart`) };
}
