/**
 * Texts of the console in the reader's language. An English text is its own key; `de.json` holds the German text of
 * each, which the type of the keys demands.
 */

import type german from './de.json';
import { language } from './language.ts';

export type Text = keyof typeof german;

/** Texts of the language by English text; empty for English. */
let catalogue: Partial<Record<string, string>> = {};

/** To be awaited before modules with texts are imported: their constants hold texts. */
export async function loadTexts(): Promise<void> {
  if (language === 'de') catalogue = (await import('./de.json')).default;
}

/** Text in the reader's language, with its placeholders, such as `{name}`. */
export const textOf = (text: Text): string => catalogue[text] ?? text;

/**
 * Text in the reader's language.
 *
 * @param values Values of its placeholders, such as `{name}`.
 */
export const t = (text: Text, values: Readonly<Record<string, string | number | undefined>> = {}): string =>
  textOf(text).replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));

/** Text within a sentence: in lower case, except in German, whose nouns keep their capitals. */
export const withinSentence = (text: string): string => (language === 'de' ? text : text.toLowerCase());
