/** Changes the text of a mapping, so that a reader can go on editing it. */

import { type Document, isMap, parse, parseDocument } from 'yaml';

type Path = readonly string[];

const isColumn = (value: unknown): value is string => typeof value === 'string' && !value.includes('{');

/** Returns the field of each column; undefined if a field has more than a column or constant. */
export function mappedColumns(text: string): ReadonlyMap<string, string> | undefined {
  const document = parseDocument(text);
  if (document.errors.length > 0) return undefined;
  const { items } = (document.toJS() ?? {}) as { items?: Record<string, { column?: unknown } | string> };
  const columns = new Map<string, string>();
  for (const [field, source] of Object.entries(items ?? {})) {
    const column = typeof source === 'string' ? source : source?.column;
    if (isColumn(column)) columns.set(column, field);
    else if (typeof source !== 'object' || source === null || !('value' in source)) return undefined;
  }
  return columns;
}

/** @param field Empty to ignore the column. @param expression YAML of the field's source. */
export function assignColumn(text: string, column: string, field: string, expression: string): string {
  const document = parseDocument(text);
  const former = mappedColumns(text)?.get(column);
  if (former !== undefined) document.deleteIn(['items', former]);
  if (field !== '') setFlow(document, ['items', field], parse(expression));
  return String(document);
}

/** Returns the item type of records without one, or of all; undefined if the mapping names none. */
export function typeIn(text: string): string | undefined {
  const document = parseDocument(text);
  if (document.errors.length > 0 || !isMap(document.contents)) return undefined;
  const inItems = document.getIn(['items', 'item_type']);
  const type = isMap(inItems) ? inItems.get('value') : document.get('item_type');
  return typeof type === 'string' ? type : undefined;
}

/** Sets the item type of records without one. */
export function assignType(text: string, itemType: string): string {
  const document = parseDocument(text);
  if (document.errors.length > 0) return text;
  if (isMap(document.getIn(['items', 'item_type'])))
    setFlow(document, ['items', 'item_type'], { value: itemType });
  else document.set('item_type', itemType);
  return String(document);
}

/**
 * Adds transforms to a field that reads a column; undefined for another one.
 *
 * @param pointer RFC 6901 pointer to the field of the record.
 */
export function transformField(
  text: string,
  pointer: string,
  transforms: Readonly<Record<string, string>>,
): string | undefined {
  const document = parseDocument(text);
  const path = pathOf(pointer);
  const field = document.getIn(path);
  if (isColumn(field)) setFlow(document, path, { column: field, ...transforms });
  else if (isMap(field)) for (const [name, value] of Object.entries(transforms)) field.set(name, value);
  else return undefined;
  return String(document);
}

/** Skips records without a value in the column of a field; undefined for a field without one. */
export function skipEmpty(text: string, pointer: string): string | undefined {
  const document = parseDocument(text);
  const field = document.getIn(pathOf(pointer));
  const column = isMap(field) ? field.get('column') : field;
  if (!isColumn(column)) return undefined;
  const former = (document.toJS() as { skip_when?: unknown }).skip_when;
  const conditions = [...[former ?? []].flat(), { column, empty: true }];
  setFlow(document, ['skip_when'], conditions.length === 1 ? conditions[0] : conditions);
  return String(document);
}

const pathOf = (pointer: string): Path => [
  'items',
  ...pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~')),
];

function setFlow(document: Document, path: Path, value: unknown): void {
  document.setIn(path, document.createNode(value, { flow: true }));
}
