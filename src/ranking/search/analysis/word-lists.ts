/**
 * Word lists by language, folded: stop words, which count only when a query has no other words, and
 * relation words.
 */

const stopWords: Record<string, string> = {
  en: 'a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its me my no nor not of on or our she should so such than that the their them then there these they this those to too was we were what when where which while who whom why will with would you your',
  nl: 'aan als bij dan dat de deze die dit door een en er het hij ik in is je maar met mijn naar niet nog of om onder ook op over te tot uit u van veel voor was wat we wel werd wie worden wordt ze zich zij zijn zo',
  de: 'aber als am an auch auf aus bei bin bis da das dass dem den der des die dies diese dieser du durch ein eine einem einen einer eines er es fur hat ich ihr im in ist ja kann mein mit nach nicht noch nur ob oder sich sie sind so und uber um uns unter vom von vor war was wenn wer wie wir wird zu zum zur',
  fr: 'a au aux avec ce ces cet cette dans de des du elle en est et eu il ils je la le les leur leurs lui ma mais me mes mon ne nos notre nous on ou ou par pas pour qu que qui sa sans se ses son sont sur ta te tu un une vos votre vous y',
  es: 'a al ante como con cual de del desde donde el ella ellas ellos en entre era es esa ese eso esta este esto ha han hasta la las le les lo los mas me mi mis muy no nos o para pero por que se ser si sin sobre su sus tu tus un una uno y ya yo',
  it: 'a ad al alla alle agli ai anche che chi ci come con da dal dalla dei del della delle degli di e ed gli ha hanno ho i il in io la le lo ma mi ne nei nel nella noi non o per piu quale quando questa questo se si sono sua sul sulla suo ti tra tu un una uno vi voi',
  pt: 'a ao aos as com como da das de dele do dos e ela ele em entre era essa esse esta este eu foi ha isso isto ja lhe mais mas me meu minha na nas nao nem no nos o os ou para pela pelo por qual quando que quem sao se sem ser seu seus so sua suas tambem te tem um uma voce',
  sv: 'alla att av blev bli da de dem den denna det detta dig din du efter ej eller en er ett for fran har han hans hon i icke in inte jag ju kan man med men mig min mot nar nu och om oss pa sa sig sin som till under upp ut vad var vara vi vid',
  da: 'af alle at blev blive da de dem den denne der deres det dette dig din du efter eller en er et for fra ham han hans har havde hun hvad hvis hvor i ikke ind jeg jo kan man med men mig min mod nar nu og om op os over pa sa sig sin skal som til ud under var vi vil',
  ja: 'ノ ニ ヲ ハ ガ ト デ モ ヘ ヤ カラ マデ ヨリ ノデ',
  zh: '的 了 和 是 在 与 及 等',
};

const setsOf = (lists: Record<string, string>): ReadonlyMap<string, ReadonlySet<string>> =>
  new Map(Object.entries(lists).map(([language, words]) => [language, new Set(words.split(' '))]));

const stopWordsByLanguage = setsOf(stopWords);
const noWords: ReadonlySet<string> = new Set();

/** Returns the folded stop words of a two-letter language; an empty set for a language without a list. */
export function stopWordsOf(language: string): ReadonlySet<string> {
  return stopWordsByLanguage.get(language) ?? noWords;
}

/**
 * Words of titles that introduce what a product is for or comes with: `case for a laptop`, `desk
 * with lamp`.
 */
const relationWords: Record<string, string> = {
  en: 'for with without fits',
  nl: 'voor met zonder',
  de: 'fur mit ohne',
  fr: 'pour avec sans',
  es: 'para con sin',
  it: 'per con senza',
  pt: 'para com sem',
  sv: 'for med utan till',
  da: 'for med uden til',
};

const relationWordsByLanguage = setsOf(relationWords);

/** Returns whether a folded word is a relation word of a two-letter language. */
export function isRelationWord(word: string, language: string): boolean {
  return relationWordsByLanguage.get(language)?.has(word) ?? false;
}

/** Languages with modifiers after the noun: `sac ordinateur`, not `laptop bag`. */
const headFirst = new Set('fr es it pt ca gl ro vi id ms ar he th'.split(' '));

export function isHeadFirst(language: string): boolean {
  return headFirst.has(language);
}
