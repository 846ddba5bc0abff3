/**
 * The reader's languages, by which figures and times are written.
 *
 * Where the system's language is none, as `C` is, some browsers tell what is no tag (`en-US@posix`), and nothing can be
 * written by that. The library of the charts asks the browser itself, while it is loaded: so the browser tells a tag from
 * here on.
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
