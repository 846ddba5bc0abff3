/**
 * Light stemmers: inflection only (plural, gender, case), as tables.
 *
 * For ranking, removing inflection gives nearly all of what a full stemmer gives, and joins fewer
 * words of different meaning (Savoy, "Light stemming approaches for the French, Portuguese, German
 * and Hungarian languages", SAC 2006). Words are folded, so the tables have no diacritics. A
 * language is a list of passes; in each, the first rule that fits is applied. A second spelling for
 * keyboards without a letter (`ue` for `ü`) becomes the first, as in Snowball's German2.
 */

import { irregularForms } from './irregular-forms.ts';

/** Suffix, replacement, and the number of letters that must stay before it. */
type SuffixRule = readonly [suffix: string, replacement: string, least: number];
type Passes = readonly (readonly SuffixRule[])[];

/** Parses `en:3 er:3 ies>y:2` into rules, in this order. */
function parsePass(pass: string): SuffixRule[] {
  return pass.split(' ').map((rule) => {
    const [change, least] = rule.split(':');
    const [suffix, replacement = ''] = change.split('>');
    return [suffix, replacement, Number(least)] as const;
  });
}

/** Dutch long vowels are double before one final consonant and single in an open syllable: boom, bomen. */
function closedSyllables(): string {
  const rules: string[] = [];
  for (const vowel of 'aeou')
    for (const consonant of 'bcdfgklmnprst')
      rules.push(`${vowel}${vowel}${consonant}>${vowel}${consonant}:1`);
  return rules.join(' ');
}

/** Swedish `fotbollsskor` are shoes (`sko`), `väskor` bags (`väska`): the letter before decides. */
function swedishShoes(): string {
  const rules = [...'bdfghjklmnprstvx'].map((letter) =>
    ['na', ''].map((article) => `${letter}skor${article}>${letter}sko:0`).join(' '),
  );
  return rules.join(' ');
}

const passesByLanguage: Record<string, string[]> = {
  de: ['innen>in:4 nisse>nis:3 ern:3 em:3 en:3 er:3 es:3 e:3', 's:4', 'in>in:3 n:4'],
  nl: [
    'heden>heid:3 kinderen>kind:0 kinders>kind:0 oenen>oen:1 oen>oen:1 ogen>og:0 oren>or:0 uren>ur:0 ieen>ie:2 ieel>ie:3 eren>er:4 ers>er:3 tjes:3 jes:3 tje:3 je:3 nsen>n:2 nzen>n:2 ens>en:3 en:3 es:3 els>el:2 ors>or:3 ns>n:2 ms>m:3 ps>p:3 ks>k:3 ds>d:3 e:3',
    'bb>b:2 dd>d:2 ff>f:2 gg>g:2 kk>k:2 ll>l:2 mm>m:2 nn>n:2 pp>p:2 rr>r:2 ss>s:2 tt>t:2',
    'z>s:3 v>f:3 kt>k:3 pt>p:3 tst>ts:3',
    `oog>og:0 oor>or:0 uur>ur:0 ${closedSyllables()}`,
  ],
  fr: [
    'gris>gris:0 eaux>eau:2 aux>al:3 eux>eu:1 issements>iss:3 issement>iss:3 ements>e:3 ement>e:3 s:3 x:4',
    'anche>anc:2 ongue>ong:1 elle>el:3 enne>en:3 onne>on:3 ette>et:4 euse>eu:3 eur>eu:4 ive>if:3 iere>ier:2',
    'ee:3 e:3',
  ],
  es: [
    'ingles>ingles:0 frances>frances:0 portugues>portugues:0 ces>z:2 eses>es:3 ones>on:2 es:3 os:3 as:3 s:3',
    'o:3 a:3 e:3',
  ],
  it: ['chi>c:2 ghi>g:2 che>c:2 ghe>g:2 ii:3 ie:3 io:3 ia:3 i:3 e:3 a:3 o:3'],
  pt: [
    'oes>ao:2 aes>ao:1 ais>al:2 eis>el:2 ois>ol:2 uis>ul:2 ns>m:2 les>l:3 res>r:3 zes>z:2 is>il:3 s:3',
    'ora>or:3 inha:4 inho:4 il>el:2',
    'o:3 a:3 e:3',
  ],
  sv: [
    `${swedishShoes()} klarna>kel:1 klar>kel:1 heterna>het:2 heten>het:2 heter>het:2 arnas:3 ornas:3 ernas:3 arna:3 orna:3 erna:3 arens>ar:3 aren>ar:3 andet:3 ande:3 ans:3 ens:3 ets:3 ar:3 or:3 er:3 en:3 et:3 an:3 as:3 na:4 s:3`,
    'a:3 e:3',
    'mm>m:2 nn>n:2 ll>l:2 tt>t:2',
  ],
  da: [
    'klerne>kel:1 kler>kel:1 hederne>hed:2 heden>hed:2 heder>hed:2 ernes:3 erens:3 erne:3 erens:3 eren:3 enes:3 ene:3 ens:3 ets:3 ers:3 ere:3 er:3 en:3 et:3 es:3 s:3 e:3',
    'dt>d:2 e:3',
    'dd>d:2 gg>g:2 kk>k:2 ll>l:2 mm>m:2 nn>n:2 pp>p:2 rr>r:2 ss>s:2 tt>t:2',
  ],
  no: [
    'hetene>het:2 heten>het:2 heter>het:2 enes:3 anes:3 ene:3 ane:3 ens:3 ets:3 ers:3 ere:3 er:3 ar:3 en:3 et:3 es:3 a:3 s:3 e:3',
    'dt>d:2 e:3',
    'bb>b:2 dd>d:2 gg>g:2 kk>k:2 ll>l:2 mm>m:2 nn>n:2 pp>p:2 rr>r:2 ss>s:2 tt>t:2',
  ],
  // Cases, then the weak grade of the stem: kengät is of kenkä, pöydät of pöytä.
  fi: [
    'nen>s:2 sten>s:3 set>s:3 sen>s:3 sia>s:3 imet:3 imen:3 imia:3 in:4',
    'issa:3 ista:3 illa:3 ilta:3 ille:3 iksi:3 itta:3 ssa:3 sta:3 lla:3 lta:3 lle:3 ksi:3 tta:3 iden:3 itten:3 ien:3 jen:3 seen:3 ihin:3 ina:3 ita:3 ja:4 na:4 ta:4 t:3 n:3',
    'aa>a:3 ee>e:3 oo>o:3 uu>u:3',
    'ia:3 ea>e:3 a:3 e:3 i:3 o:3 u:3 y:3',
    'ng>nk:2 mm>mp:2 nn>nt:2 kk>k:2 pp>p:2 tt>t:2 ll>l:2 d>t:2',
  ],
  pl: [
    'iami:3 ami:3 iach:3 ach:3 iom:3 om:3 owie:3 owi:3 ow:3 iego:3 ego:3 iemu:3 emu:3 ymi:3 imi:3 ych:3 ich:3 iej:3 ej:3 ym:3 im:3 iem:3 em:3 ie:3 ia:3 iu:3 io:3 y:3 i:3 a:3 e:3 o:3 u:3',
    'iek>k:3 ek>k:3 ec>c:3 ien>n:2 el>l:4',
  ],
  // Folding has made и of й and е of ё.
  ru: [
    'иями:3 ями:3 ами:3 иях:3 ях:3 ах:3 ием:3 ем:3 ом:3 ов:3 ев:3 еи:3 ыми:3 ими:3 ого:3 его:3 ому:3 ему:3 ых:3 их:3 ая:3 яя:3 ое:3 ее:3 ые:3 ие:3 ыи:3 ии:3 ои:3 ую:3 юю:3 ым:3 им:3 ию:3 ия:3 ью:3 ям:3 ам:3 а:3 я:3 о:3 е:3 и:3 ы:3 у:3 ю:3 ь:3',
    'ек>к:3 ок>к:3 ь:3',
  ],
  cs: [
    'ovi:3 ove:3 ami:3 emi:3 ech:3 ich:3 ach:3 ych:3 eho:3 emu:3 ymi:3 imi:3 um:3 am:3 em:3 im:3 ym:3 ou:3 uv:3 y:3 e:3 i:3 a:3 o:3 u:3',
    'ek>k:3 ec>c:3 en>n:2',
  ],
  ar: ['ات:2 ون:2 ين:2 ها:2 يه:2 ان:3 ه:2 ي:3'],
  // Korean particles, which are attached to the noun: 서울에서 is "in Seoul".
  ko: [
    '에서는:2 에서:2 에게:2 께서:2 으로:2 까지:2 부터:2 처럼:2 보다:2 이나:2 들은:2 들이:2 들을:2 들의:2 은:2 는:2 이:2 가:2 을:2 를:2 에:2 의:2 와:2 과:2 도:2 로:2 만:2 들:2',
  ],
};

/** Second spellings of letters. After a vowel or q they are something else: `neue`, `Quelle`. */
const secondSpellings: Record<string, readonly [RegExp, string]> = {
  de: [/(?<![aeiouq])([aou])e/g, '$1'],
  sv: [/(?<![aeiouq])([ao])e|(?<=a)a/g, '$1'],
  da: [/(?<=a)a|(?<=o)e/g, ''],
  no: [/(?<=a)a|(?<=o)e/g, ''],
  // The article and the words that are written with it, which Arabic joins with the noun.
  ar: [/^(?:و?ال|[بكف]ال|لل)(?=\p{L}{2})/gu, ''],
};

/** Returns a folded word with the first spellings of letters, and without a joined article. */
export function plainSpelling(word: string, language: string): string {
  const second = secondSpellings[language];
  return second ? word.replace(second[0], second[1]) : word;
}

function applyPass(word: string, rules: readonly SuffixRule[]): string {
  for (const [suffix, replacement, least] of rules) {
    const at = word.length - suffix.length;
    if (at >= least && word.endsWith(suffix)) return word.slice(0, at) + replacement;
  }
  return word;
}

function createStemmer(language: string, passes: Passes): (word: string) => string {
  const forms = irregularForms(language);
  return (word) => {
    const plain = plainSpelling(word, language);
    return passes.reduce(applyPass, forms.get(plain) ?? plain);
  };
}

/** Stemmers by two-letter language. */
export const lightStemmers: ReadonlyMap<string, (word: string) => string> = new Map(
  Object.entries(passesByLanguage).map(([language, passes]) => [
    language,
    createStemmer(language, passes.map(parsePass)),
  ]),
);
