/**
 * The reader's languages: that of the console's texts, and those for numbers and dates.
 *
 * With a system locale such as `C`, some browsers report a language that is not a valid tag (`en-US@posix`), which `Intl`
 * refuses. The chart library reads `navigator.language` while it loads, so this module replaces an invalid value.
 */

/** Languages with a catalogue of texts, by their own names. */
const offeredLanguages = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof offeredLanguages;

const storageKey = 'language';
const valid = navigator.languages.filter(isLanguageTag);
const chosen = offered(globalThis.localStorage?.getItem(storageKey) ?? '');

/** Language of the texts: the chosen one, or the first of the browser's that has a catalogue. */
export const language: Language = chosen ?? valid.map(offered).find((one) => one !== undefined) ?? 'en';

/** Languages of numbers and dates, most preferred first. */
export const languages: readonly string[] = chosen
  ? [...valid.filter((tag) => offered(tag) === chosen), chosen, ...valid]
  : valid;

if (!isLanguageTag(navigator.language))
  Object.defineProperty(navigator, 'language', { value: languages[0] ?? 'en', configurable: true });

/** Keeps the choice in this browser, for the next load of a page. */
export const chooseLanguage = (choice: Language): void => localStorage.setItem(storageKey, choice);

/** Languages to switch to, with their names. */
export const otherLanguages = Object.entries(offeredLanguages).filter(([name]) => name !== language) as [
  Language,
  string,
][];

function offered(tag: string): Language | undefined {
  const [name] = tag.split('-');
  return name in offeredLanguages ? (name as Language) : undefined;
}

function isLanguageTag(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length > 0;
  } catch {
    return false;
  }
}
