/** Words of statements about the order of lists. */

export type Language = 'en' | 'de';

/** A parameter, as visitors understand it; several models measure it. */
export type Parameter =
  | 'behaviour'
  | 'own_habits'
  | 'content'
  | 'baskets'
  | 'popularity'
  | 'age'
  | 'impressions';

export const parameterOf: Readonly<Record<string, Parameter>> = {
  co_visits: 'behaviour',
  item_ridge: 'behaviour',
  session_knn: 'behaviour',
  transitions: 'behaviour',
  ials: 'behaviour',
  repeats: 'own_habits',
  rhythm: 'own_habits',
  saturation: 'own_habits',
  content_similarity: 'content',
  vectors: 'content',
  new_items: 'content',
  baskets: 'baskets',
  popularity: 'popularity',
  trending: 'popularity',
  click_through: 'popularity',
  trend_hour: 'popularity',
  trend_day: 'popularity',
  trend_week: 'popularity',
  freshness: 'age',
  newest: 'age',
  ignored: 'impressions',
};

/** Parameters that compare items with what the visitor did. */
export const personal: ReadonlySet<Parameter> = new Set([
  ...(['behaviour', 'own_habits', 'content', 'baskets', 'impressions'] as const),
]);

export type Words = {
  parameters: Readonly<Record<Parameter, string>>;
  intro: string;
  uniform: string;
  unlearnt: string;
  profiled: string;
  share(percent: number, text: string): string;
  rules(keys: string): string;
  higher(keys: string): string;
  lower(keys: string): string;
  newer: string;
  rotation: string;
  varied: string;
  choices: string;
};

export const wordsOf: Readonly<Record<Language, Words>> = {
  en: {
    parameters: {
      behaviour: 'what you viewed, bought or liked, compared with visitors who did the same',
      own_habits: 'what you buy or use repeatedly, and what you already have',
      content: 'items whose description resembles that of items you were interested in',
      baskets: 'items that are often bought together with yours',
      popularity: 'how popular an item is with all visitors now',
      age: 'how new an item is',
      impressions: 'items that you were shown and did not choose, which rank lower',
    },
    intro: 'The order of this list follows a score. These parameters make up the score:',
    uniform: 'This list is equal for everyone. It uses no data about you.',
    unlearnt: 'This list is ordered by popularity and by age, since no preferences have been learnt yet.',
    profiled: 'This list uses data about you: what you did on this site or app.',
    share: (percent, text) => `- ${percent} %: ${text}`,
    rules: (keys) => `The operator limits which items the list may contain, by: ${keys}.`,
    higher: (keys) => `The operator ranks items higher by: ${keys}.`,
    lower: (keys) => `The operator ranks items lower by: ${keys}.`,
    newer: 'Newer items rank higher, or older ones are left out.',
    rotation: 'A part of the list changes from visit to visit.',
    varied: 'The list is mixed according to the shares of your interests.',
    choices:
      'You can hide items, ask for less of a brand or category, forget items, reset the list, or choose a list without profiling.',
  },
  de: {
    parameters: {
      behaviour:
        'was Sie angesehen, gekauft oder gemocht haben, verglichen mit Besuchern, die dasselbe taten',
      own_habits: 'was Sie wiederholt kaufen oder nutzen, und was Sie schon haben',
      content: 'Artikel, deren Beschreibung Artikeln ähnelt, die Sie interessiert haben',
      baskets: 'Artikel, die oft zusammen mit Ihren gekauft werden',
      popularity: 'wie beliebt ein Artikel zurzeit bei allen Besuchern ist',
      age: 'wie neu ein Artikel ist',
      impressions:
        'Artikel, die Ihnen gezeigt wurden und die Sie nicht gewählt haben; sie stehen weiter hinten',
    },
    intro: 'Die Reihenfolge dieser Liste folgt einer Bewertung. Diese Parameter bestimmen sie:',
    uniform: 'Diese Liste ist für alle gleich. Sie verwendet keine Daten über Sie.',
    unlearnt: 'Diese Liste ist nach Beliebtheit und Alter geordnet, da noch keine Vorlieben gelernt wurden.',
    profiled:
      'Diese Liste verwendet Daten über Sie: was Sie auf dieser Website oder in dieser App getan haben.',
    share: (percent, text) => `- ${percent} %: ${text}`,
    rules: (keys) => `Der Betreiber begrenzt, welche Artikel die Liste enthalten darf, nach: ${keys}.`,
    higher: (keys) => `Der Betreiber stellt Artikel weiter nach vorn, nach: ${keys}.`,
    lower: (keys) => `Der Betreiber stellt Artikel weiter nach hinten, nach: ${keys}.`,
    newer: 'Neuere Artikel stehen weiter vorn, oder ältere werden weggelassen.',
    rotation: 'Ein Teil der Liste wechselt von Besuch zu Besuch.',
    varied: 'Die Liste ist nach den Anteilen Ihrer Interessen gemischt.',
    choices:
      'Sie können Artikel ausblenden, weniger von einer Marke oder Kategorie verlangen, Artikel vergessen lassen, die Liste zurücksetzen oder eine Liste ohne Profilbildung wählen.',
  },
};
