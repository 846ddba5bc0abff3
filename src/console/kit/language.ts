/**
 * The reader's languages for numbers and dates.
 *
 * With a system locale such as `C`, some browsers report a language that is not a valid tag (`en-US@posix`), which `Intl`
 * refuses. The chart library reads `navigator.language` while it loads, so this module replaces an invalid value.
 */

export const languages = navigator.languages.filter(isLanguageTag);

if (!isLanguageTag(navigator.language))
  Object.defineProperty(navigator, 'language', { value: languages[0] ?? 'en', configurable: true });

function isLanguageTag(language: string): boolean {
  try {
    return Intl.getCanonicalLocales(language).length > 0;
  } catch {
    return false;
  }
}
