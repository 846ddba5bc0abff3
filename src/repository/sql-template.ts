/**
 * Renders the files of `sql/`, which differ between a single server and a cluster.
 *
 * | tag | becomes |
 * |---|---|
 * | `{{name}}` | a value of the program, or a macro |
 * | `{{define name(parameter, …)}}…{{end}}` | nothing; `{{name argument \| …}}` is its text from then on, with arguments for `$parameter` |
 * | `{{if cluster}}…{{else}}…{{end}}` | one of both |
 * | `{{each list: text}}` | the text for each name of a list, with the name for `$`, separated by commas |
 * | `{{columns name: column type, …}}` | nothing; declares rows that encode-values.ts writes, in this order |
 * | `{{split text}}` | the values of an encoded text, as an array |
 * | `{{rows name}}` | a table expression of these rows, read from `name_values` (or `from` another array); `row_place` counts from 1 |
 * | `{{row_count name}}`, `{{names name}}` | their number; the names of their columns |
 *
 * Whole-line comments are left out, so changing one does not make the functions anew.
 */

import { nullMark, valueMark } from './encode-values.ts';

export type SqlOptions = {
  values: Readonly<Record<string, string | number>>;
  lists: Readonly<Record<string, readonly string[]>>;
  isCluster: boolean;
};

/** In the order in which they were written; two at least. */
export type Columns = readonly { name: string; type: string }[];

const ifTag = /\{\{if cluster\}\}([\s\S]*?)\{\{else\}\}([\s\S]*?)\{\{end\}\}/g;
const defineTag = /\{\{define (\w+)(?:\(([^)]*)\))?\}\}([\s\S]*?)\{\{end\}\}\n?/g;

/** Throws for an unknown tag. */
export function renderSql(source: string, { values, lists, isCluster }: SqlOptions): string {
  const macros = new Map<string, { parameters: string[]; body: string }>();
  const declared = new Map<string, Columns>();
  const columnsOf = (name: string): Columns => declared.get(name) ?? fail(`rows "${name}"`);

  const callMacro = (name: string, given: string): string => {
    const { parameters, body } = macros.get(name) ?? fail(`tag "${name}"`);
    const argumentsGiven = given.split(' | ');
    const text = parameters.reduce(
      (written, parameter, place) =>
        written.replaceAll(new RegExp(`\\$${parameter}\\b`, 'g'), () => argumentsGiven[place]),
      body,
    );
    return expand(text);
  };
  const evaluate = (tag: string): string => {
    const [, name, given] = /^(\w+)\s*([\s\S]*)$/.exec(tag)!;
    const [first, rest = ''] = given.split(/: ?([\s\S]*)/, 2);
    if (Object.hasOwn(values, name)) return String(values[name]);
    if (name === 'split') return splitValues(given);
    if (name === 'each') return lists[first].map((one) => rest.replaceAll('$', () => one)).join(', ');
    if (name === 'row_count') return countRows(`${given}_values`, columnsOf(given));
    if (name === 'names')
      return columnsOf(given)
        .map((column) => column.name)
        .join(', ');
    if (name === 'columns') {
      declared.set(first, readColumns(rest));
      return '';
    }
    if (name === 'rows') {
      const [rows, array = `${rows}_values`] = given.split(' from ');
      return rowsOf(array, columnsOf(rows), isCluster);
    }
    return callMacro(name, given);
  };
  const expand = (text: string): string => {
    const start = text.indexOf('{{');
    if (start < 0) return text;
    const end = endOfTag(text, start);
    const tag = expand(text.slice(start + 2, end));
    return text.slice(0, start) + evaluate(tag) + expand(text.slice(end + 2));
  };

  const text = source
    .replaceAll(/^\s*--.*\n/gm, '')
    .replaceAll(ifTag, (_, onCluster: string, onServer: string) => (isCluster ? onCluster : onServer))
    .replaceAll(defineTag, (_, name: string, parameters: string | undefined, body: string) => {
      macros.set(name, { parameters: parameters?.split(', ') ?? [], body });
      return '';
    });
  return expand(text);
}

function fail(what: string): never {
  throw new Error(`Unknown ${what} in an SQL file.`);
}

/** The place of the braces that end a tag; tags may stand inside it. */
function endOfTag(text: string, start: number): number {
  let depth = 0;
  for (const { 0: braces, index } of text.slice(start).matchAll(/\{\{|\}\}/g)) {
    depth += braces === '{{' ? 1 : -1;
    if (depth === 0) return start + index;
  }
  return fail(`end of the tag "${text.slice(start, start + 40)}"`);
}

function readColumns(text: string): Columns {
  return text.split(/,\s*/).map((column) => {
    const [name, type] = column.trim().split(' ');
    return { name, type };
  });
}

/** Values as one list rather than one for each column: a quarter less for few events, of which most is to begin. */
export function splitValues(text: string): string {
  return `string_to_array(${text}, '${valueMark}', '${nullMark}')`;
}

function countRows(array: string, { length }: Columns): string {
  return `cardinality(${array}) / ${length}`;
}

/**
 * A table expression over the values of rows. A cluster gets the array as a constant of the statement and would search it from
 * the start for each value (seconds for 3,000 events), so there all values are dealt out at once.
 */
export function rowsOf(array: string, columns: Columns, isCluster: boolean): string {
  const { length } = columns;
  const valueAt = (place: number) =>
    isCluster
      ? `(max(value) filter (where place = ${place}))`
      : `${array}[row_place * ${length} - ${length - 1 - place}]`;
  const selected = columns.map(
    ({ name, type }, place) => `${valueAt(place)}${type === 'text' ? '' : `::${type}`} as ${name}`,
  );
  const places = isCluster
    ? `(select value, (ordinality - 1) % ${length} as place, (ordinality - 1) / ${length} + 1 as row_place
      from unnest(${array}) with ordinality as listed (value, ordinality)) as cells group by row_place`
    : `generate_series(1, ${countRows(array, columns)}) as row_place`;
  return `(select ${selected.join(', ')}, row_place from ${places})`;
}
