import { createElement, Fragment, type ReactNode } from 'react';
import { type Text, textOf } from './texts.ts';

/**
 * Text in the reader's language with elements in it.
 *
 * @param values Elements for its placeholders, such as `{item}`.
 */
export const rich = (text: Text, values: Readonly<Record<string, ReactNode>>): ReactNode =>
  textOf(text)
    .split(/(\{\w+\})/)
    .map((part, at) =>
      at % 2 === 0 ? part : createElement(Fragment, { key: part }, values[part.slice(1, -1)]),
    );
