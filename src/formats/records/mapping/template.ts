/** Templates such as `{brand} {product_type}`. */

import { cellOf, type Row, textOf } from './row.ts';

type Part = { column: string; before: string };
export type Template = { parts: Part[]; after: string };

/** Returns undefined if a brace is not closed or no column is named. */
export function parseTemplate(text: string): Template | undefined {
  const pieces = text.split(/\{([^{}]+)\}/);
  const literals = pieces.filter((_, i) => i % 2 === 0);
  if (pieces.length === 1 || literals.some((literal) => /[{}]/.test(literal))) return undefined;
  const parts = pieces.flatMap((column, i) =>
    i % 2 === 1 ? [{ column: column.trim(), before: pieces[i - 1] }] : [],
  );
  return { parts, after: literals.at(-1)! };
}

/** Empty if all columns are; an empty column also removes the text before it. */
export function fillTemplate({ parts, after }: Template, row: Row): string {
  let filled = '';
  let isAnyFilled = false;
  for (const [i, { column, before }] of parts.entries()) {
    const value = cellOf(row, column) === undefined ? '' : textOf(row, column);
    if (i === 0 || (value !== '' && isAnyFilled)) filled += before;
    filled += value;
    isAnyFilled ||= value !== '';
  }
  return isAnyFilled ? (filled + after).trim() : '';
}
