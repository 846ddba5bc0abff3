/** Curations, synonyms and schemas of Typesense. */

import { type Fields, readFilter } from './filters.ts';
import type { MappedSynonym, ProposedField } from './rivals.ts';
import { emptyRule, type MappedRule } from './search-rules.ts';

// biome-ignore lint/suspicious/noExplicitAny: JSON of the export, checked where it is used.
type Json = any;

const withoutCounterpart = ['sort_by', 'replace_query', 'stop_processing', 'filter_curated_hits'];

/** Reads an override (until version 29) or an item of a curation set (from version 30). */
export function readTypesenseRule(curation: Json, fields: Fields): MappedRule {
  const { id, rule, includes = [], excludes = [], metadata, filter_by, ...others } = curation;
  const mapped = emptyRule(String(id ?? curation.name ?? ''));
  if (!rule) {
    const reason = 'An analytics rule is not needed: queries and clicks are counted without one';
    return { ...mapped, queries: [], unmapped: [reason] };
  }
  const { query, match, tags, filter_by: filters } = rule;
  if (tags?.length > 0) mapped.unmapped.push('The condition has tags');
  else if (filters) mapped.unmapped.push('The condition has filter_by');
  else if (typeof query !== 'string' || !/[\p{L}\p{N}]/u.test(query))
    mapped.unmapped.push('The condition is any query');
  else if (/[{}]/.test(query)) mapped.unmapped.push('The condition has a placeholder');
  else mapped.queries = [match === 'exact' ? { exact: query } : { contains: query }];
  mapped.queries ??= [];
  mapped.pins = includes.map((one: Json) => ({ itemId: String(one.id), rank: one.position }));
  mapped.hides = excludes.map((one: Json) => String(one.id));
  if (filter_by) {
    const constraints = readFilter(filter_by, fields);
    if (constraints) mapped.constraints = constraints;
    else mapped.unmapped.push('filter_by has a condition that does not map');
  }
  if (metadata) mapped.content = [metadata];
  for (const name of withoutCounterpart) if (others[name]) mapped.unmapped.push(`${name} has no counterpart`);
  return { ...mapped, fromSeconds: others.effective_from_ts, untilSeconds: others.effective_to_ts };
}

export function readTypesenseSynonym({ id, root, synonyms }: Json): MappedSynonym {
  return root ? { id, from: [root], to: synonyms } : { id, words: synonyms };
}

const types: Readonly<Record<string, string>> = {
  ...{ int32: 'number', int64: 'number', float: 'number', bool: 'boolean', 'string[]': 'string[]' },
};

export function readTypesenseSettings({ fields: given = [], default_sorting_field: order }: Json): {
  fields: ProposedField[];
  unmapped: string[];
} {
  const isText = ({ type, index = true }: Json) => index && /^string/.test(type);
  const known = given.filter(({ name, type }: Json) => name !== '.*' && (types[type] || type === 'string'));
  const others = given.filter((one: Json) => !known.includes(one) && one.name !== '.*');
  return {
    fields: known.map((field: Json) => ({
      name: field.name,
      type: types[field.type] ?? 'string',
      weight: isText(field) ? 1 : undefined,
      isFilter: Boolean(field.facet) || !isText(field),
    })),
    unmapped: [
      ...others.map(({ type }: Json) => `Fields of type ${type} have no counterpart`),
      ...(order ? ['default_sorting_field has no counterpart: popularity is learnt from events'] : []),
    ],
  };
}
