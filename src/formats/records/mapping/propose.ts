/**
 * A mapping that is probably meant: columns to the fields of items whose names they resemble, and how their texts
 * become values. It is a proposal; whoever imports sees it beside examples, and a dry run judges it.
 */

export type Column = {
  name: string;
  /** Some of its cells that are not empty. */
  samples: readonly string[];
};

export type FieldType = 'string' | 'number' | 'boolean' | 'datetime' | 'string[]';

export type TargetField = { name: string; type: FieldType };

/** The fields of an item that a column can be; declared properties come on top. */
export const itemFields: readonly TargetField[] = [
  { name: 'item_id', type: 'string' },
  { name: 'item_type', type: 'string' },
  { name: 'title', type: 'string' },
  { name: 'description', type: 'string' },
  { name: 'uri', type: 'string' },
  { name: 'language', type: 'string' },
  { name: 'categories', type: 'string[]' },
  { name: 'tags', type: 'string[]' },
  { name: 'group_id', type: 'string' },
  { name: 'images', type: 'string[]' },
  { name: 'publication_datetime', type: 'datetime' },
  { name: 'expiration_datetime', type: 'datetime' },
];

/** What shops and publishers call them, in the spelling of `plain`; the likelier names first. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  item_id: [
    'id',
    'sku',
    'productid',
    'articleid',
    'articlenumber',
    'movieid',
    'itemno',
    'ean',
    'gtin',
    'asin',
  ],
  item_type: ['type', 'kind'],
  title: ['name', 'productname', 'headline', 'label'],
  description: [
    'text',
    'body',
    'summary',
    'abstract',
    'longdescription',
    'shortdescription',
    'productdescription',
  ],
  uri: ['url', 'link', 'producturl', 'canonicalurl', 'href'],
  language: ['lang', 'locale'],
  categories: [
    'category',
    'categorypath',
    'producttype',
    'googleproductcategory',
    'department',
    'genres',
    'genre',
    'section',
  ],
  group_id: ['itemgroupid', 'parentid', 'parentsku', 'masterid', 'seriesid', 'productgroup'],
  tags: ['keywords', 'labels', 'tag'],
  images: ['image', 'imageurl', 'imagelink', 'picture', 'pictures', 'pictureurl', 'thumbnail'],
  publication_datetime: [
    'publicationdate',
    'published',
    'publishedat',
    'date',
    'released',
    'releasedate',
    'createdat',
    'created',
  ],
  brand: ['manufacturer', 'vendor', 'make'],
  price: ['saleprice', 'unitprice', 'amount', 'cost'],
  in_stock: ['available', 'availability', 'stock'],
};

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Column to field; a column that resembles none is absent, and no field is taken twice. */
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
  for (const { name } of open) (otherNames[name] ?? []).some((other) => take(name, other));
  return proposed;
}

const separators = ['|', ';', ','];

/** The expression that reads a column as a field of a type. */
function expressionOf({ name, samples }: Column, type: FieldType): string {
  const parts = [`column: ${JSON.stringify(name)}`];
  const separator = separators.find((one) => samples.some((text) => text.includes(one))) ?? '|';
  if (type === 'string[]') parts.push(`split: ${JSON.stringify(separator)}`);
  if (type === 'number') parts.push(`as: ${samples.some(hasDecimalComma) ? 'decimal_comma' : 'number'}`);
  if (type === 'boolean') parts.push('as: boolean');
  if (type === 'datetime') parts.push(`as: ${samples.every(isUnixTime) ? 'unix_seconds' : 'date'}`);
  return `{ ${parts.join(', ')} }`;
}

/** `12,90`; behind the comma of `1,290` may be thousands. */
const hasDecimalComma = (text: string): boolean => /^[+-]?[\d.]+,(\d{1,2}|\d{4,})$/.test(text);

const isUnixTime = (text: string): boolean => /^\d{8,11}$/.test(text);

export type MappingParts = {
  columns: readonly Column[];
  targets: readonly TargetField[];
  /** Column to field. */
  chosen: ReadonlyMap<string, string>;
  /** For all records, when no column says it. */
  itemType: string;
};

/** The same as a mapping file, for this import and for the command line. */
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
