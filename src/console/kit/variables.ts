import { t } from '../texts/texts.ts';

/** Parses a JSON object; `fault` says why the text is none. */
export function readObject(text: string): { document?: Record<string, never>; fault?: string } {
  try {
    const json = JSON.parse(text);
    if (typeof json === 'object' && json !== null && !Array.isArray(json)) return { document: json };
    return { fault: t('Must be a JSON object.') };
  } catch (error) {
    return { fault: (error as Error).message };
  }
}

/** Parses variables of a request: undefined unless the text is a JSON object; an empty text has no variables. */
export const readVariables = (text: string): Record<string, never> | undefined =>
  text.trim() === '' ? {} : readObject(text).document;
