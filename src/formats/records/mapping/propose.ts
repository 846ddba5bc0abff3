/**
 * Proposes a mapping: columns to item fields with similar names, and conversions of their values.
 * The importer sees it beside samples, and a dry run checks it.
 */

export type Column = {
  name: string;
  /** Some non-empty cells. */
  samples: readonly string[];
};

export type FieldType = 'string' | 'number' | 'boolean' | 'datetime' | 'string[]';

export type TargetField = { name: string; type: FieldType };

/** Fields of an item that a column can be mapped to, besides declared properties. */
export const itemFields: readonly TargetField[] = [
  ...['item_id', 'item_type', 'title', 'description', 'uri', 'language', 'group_id'].map(ofType('string')),
  ...['categories', 'tags', 'images'].map(ofType('string[]')),
  ...['publication_datetime', 'expiration_datetime'].map(ofType('datetime')),
];

function ofType(type: FieldType): (name: string) => TargetField {
  return (name) => ({ name, type });
}

/** Usual names in shops and publishing, in the spelling of `plain`, likelier names first. */
const otherNames: Readonly<Record<string, string>> = {
  item_id: 'id sku productid articleid articlenumber movieid itemno ean gtin asin',
  item_type: 'type kind',
  title: 'name productname headline label',
  description: 'text body summary abstract longdescription shortdescription productdescription',
  uri: 'url link producturl canonicalurl href',
  language: 'lang locale',
  categories: 'category categorypath producttype googleproductcategory department genres genre section',
  group_id: 'itemgroupid parentid parentsku masterid seriesid productgroup',
  tags: 'keywords labels tag',
  images: 'image imageurl imagelink picture pictures pictureurl thumbnail',
  publication_datetime: 'publicationdate published publishedat date released releasedate createdat created',
  brand: 'manufacturer vendor make',
  price: 'saleprice unitprice amount cost',
  in_stock: 'available availability stock',
};

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Maps columns to fields. Columns without a similar field are absent; no field is used twice. */
export function proposeFields(
  columns: readonly Column[],
  targets: readonly TargetField[],
): ReadonlyMap<string, string> {
  const proposed = new Map<string, string>();
  const free = () => columns.filter(({ name }) => name !== '' && !proposed.has(name));
  const take = (target: string, wanted: string) => {
    const column = free().find(({ name }) => plain(name) === wanted);
    if (column) proposed.set(column.name, target);
    return column !== undefined;
  };
  const open = targets.filter(({ name }) => !take(name, plain(name)));
  for (const { name } of open) otherNames[name]?.split(' ').some((other) => take(name, other));
  return proposed;
}

const separators = ['|', ';', ','];

function expressionOf({ name, samples }: Column, type: FieldType): string {
  const parts = [`column: ${JSON.stringify(name)}`];
  const separator = separators.find((one) => samples.some((text) => text.includes(one))) ?? '|';
  if (type === 'string[]') parts.push(`split: ${JSON.stringify(separator)}`);
  if (type === 'number') parts.push(`as: ${numberFormOf(samples)}`);
  if (type === 'boolean') parts.push('as: boolean');
  if (type === 'datetime') parts.push(`as: ${dateFormOf(samples)}`);
  return `{ ${parts.join(', ')} }`;
}

/** `1,290` may have thousands or decimals; other values of its column decide. */
function numberFormOf(samples: readonly string[]): string {
  if (samples.some((text) => /\d,(\d{1,2}|\d{4,})(?!\d)/.test(text))) return 'decimal_comma';
  return samples.some((text) => /\d,\d{3}(?!\d)/.test(text)) ? 'decimal_point' : 'number';
}

function dateFormOf(samples: readonly string[]): string {
  if (samples.every((text) => /^\d{8,11}$/.test(text) && !/^(19|20)\d{6}$/.test(text))) return 'unix_seconds';
  const dates = samples.map((text) => /^(\d{1,2})\/(\d{1,2})\/\d{4}/.exec(text));
  if (dates.length === 0 || dates.some((match) => match === null)) return 'date';
  return dates.some((match) => Number(match![2]) > 12) ? 'month_day_year' : 'day_month_year';
}

export type MappingParts = {
  columns: readonly Column[];
  targets: readonly TargetField[];
  /** Column to field. */
  chosen: ReadonlyMap<string, string>;
  /** For all records, if no column is mapped to item_type. */
  itemType: string;
};

/** Writes the mapping file, for this import and for the command line. */
export function writeMapping({ columns, targets, chosen, itemType }: MappingParts): string {
  const lines = columns.flatMap((column) => {
    const field = chosen.get(column.name);
    const target = targets.find(({ name }) => name === field);
    return target ? [`  ${target.name}: ${expressionOf(column, target.type)}`] : [];
  });
  const saysType = [...chosen.values()].includes('item_type');
  if (!saysType) lines.push(`  item_type: { value: ${JSON.stringify(itemType)} }`);
  return `items:\n${lines.join('\n')}\n`;
}
