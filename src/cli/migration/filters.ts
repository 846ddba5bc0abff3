/** Reads the filters of Algolia and Typesense as queries of a configuration. */

/** A field as the environment knows it: its key in conditions, and its type. */
export type Fields = {
  keyOf(name: string): string;
  typeOf(name: string): string | undefined;
};

export type QueryDocument = { key: string } & Record<string, unknown>;

/** An alternative of a filter, such as `brand:Apple`. */
type Atom = { name: string; operator: string; values: string[]; isNegated: boolean };

const atomPattern =
  /^(NOT\s+)?("[^"]+"|'[^']+'|`[^`]+`|[^\s:<>=!"'`]+)\s*(:!=|:<=|:>=|:[=<>]?|!=|<=|>=|[=<>])\s*(.+)$/s;

const numberOperators: Readonly<Record<string, string>> = { '<': 'lt', '<=': 'lte', '>': 'gt', '>=': 'gte' };

/**
 * Returns queries that all must hold; undefined if a part has no counterpart, such as an `OR` over several fields.
 *
 * @param filter Text such as `brand:Apple AND price > 10` or `brand:=Apple && price:[10..20]`, or Algolia's array: elements
 * must hold, of an inner array any.
 */
export function readFilter(filter: unknown, fields: Fields): QueryDocument[] | undefined {
  const groups = typeof filter === 'string' ? splitFilter(filter) : Array.isArray(filter) ? filter : [filter];
  const queries = groups.map((group) => readGroup([group].flat(), fields));
  return queries.includes(undefined) ? undefined : (queries as QueryDocument[]);
}

/** Splits outside quotes and brackets. */
function split(text: string, separator: RegExp): string[] {
  const parts: string[] = [];
  let start = 0;
  let depth = 0;
  for (const { 0: found, index } of text.matchAll(
    new RegExp(`"[^"]*"|'[^']*'|\`[^\`]*\`|[([]|[)\\]]|${separator.source}`, 'g'),
  )) {
    if (/^[([]$/.test(found)) depth += 1;
    else if (/^[)\]]$/.test(found)) depth -= 1;
    else if (depth === 0 && !/^["'`]/.test(found)) {
      parts.push(text.slice(start, index));
      start = index + found.length;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim());
}

function splitFilter(text: string): string[][] {
  return split(text, /\s+AND\s+|\s*&&\s*/).map((part) => {
    const inner = /^\((.*)\)$/s.exec(part)?.[1] ?? part;
    return split(inner, /\s+OR\s+|\s*\|\|\s*/);
  });
}

function readGroup(texts: readonly unknown[], fields: Fields): QueryDocument | undefined {
  const atoms = texts.map((text) => (typeof text === 'string' ? readAtom(text) : undefined));
  const [first] = atoms;
  if (first === undefined || !atoms.every((atom) => atom?.name === first.name)) return undefined;
  if (atoms.length === 1) return toQuery(first, fields);
  const isPlain = atoms.every((atom) => atom!.operator === '=' && !atom!.isNegated);
  return isPlain ? toQuery({ ...first, values: atoms.flatMap((atom) => atom!.values) }, fields) : undefined;
}

const unquote = (text: string): string => /^(["'`])(.*)\1$/s.exec(text.trim())?.[2] ?? text.trim();

function readAtom(text: string): Atom | undefined {
  const [, not, name, sign, rest] = atomPattern.exec(text.trim()) ?? [];
  /** Algolia compares a word without an attribute with `_tags`. */
  if (name === undefined)
    return /^[\w-]+$/.test(text)
      ? { name: '_tags', operator: '=', values: [text], isNegated: false }
      : undefined;
  if (/[{}]/.test(rest)) return undefined;
  const [, low, high] = /^\[?\s*(-?[\d.]+?)\s*(?:\.\.|\s+TO\s+)\s*(-?[\d.]+)\s*\]?$/.exec(rest) ?? [];
  const isNot = not !== undefined || sign.includes('!');
  if (low !== undefined)
    return isNot
      ? undefined
      : { name: unquote(name), operator: 'range', values: [low, high], isNegated: false };
  const isMinus = sign === ':' && /^-\D/.test(rest);
  const values = /^\[(.*)\]$/s.exec(rest)?.[1].split(',') ?? [isMinus ? rest.slice(1) : rest];
  const operator = sign.replace(/[:!]/g, '') || '=';
  return { name: unquote(name), operator, values: values.map(unquote), isNegated: isNot || isMinus };
}

function toQuery({ name, operator, values, isNegated }: Atom, fields: Fields): QueryDocument | undefined {
  const key = fields.keyOf(name);
  const numbers = values.map(Number);
  if (operator !== '=') {
    if (isNegated || numbers.some(Number.isNaN)) return undefined;
    return operator === 'range'
      ? { key, range: { min: numbers[0], max: numbers[1] } }
      : { key, [numberOperators[operator]]: numbers[0] };
  }
  const typed = values.map((value) =>
    typedValue(key === 'categories' ? toPath(value) : value, fields.typeOf(name)),
  );
  const match = typed.length === 1 ? typed[0] : typed;
  const none = typed.length === 1 ? { not: match } : { not: { or: typed } };
  return { key, match: isNegated ? none : match };
}

/** Algolia writes a path as `A > B`. */
const toPath = (category: string): string => category.split(/\s+>\s+/).join('/');

function typedValue(text: string, type: string | undefined): string | number | boolean {
  if (type === 'number') return Number(text);
  return (type === 'boolean' || type === undefined) && /^(true|false)$/.test(text) ? text === 'true' : text;
}
