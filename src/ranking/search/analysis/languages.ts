/** Stop words and stemming rules of a language. Words are folded, so they have no diacritics. */
export type Language = {
  /** Words that count only when a query has no others. */
  stopWords?: string;
  /** Words of titles that introduce what a product is for or comes with: `case for a laptop`. */
  relations?: string;
  /** Irregular plurals, each followed by its singular. */
  irregular?: string;
  /**
   * Passes of the light stemmer. `ies>y:2` replaces a suffix after at least two letters;
   * `aa{bc}>a{}:1` stands for a rule with each of the letters.
   */
  passes?: readonly string[];
  /** Second spelling of letters, and the first. After a vowel or q they are something else: `neue`, `Quelle`. */
  second?: readonly [RegExp, string];
  /** Modifiers follow the noun: `sac ordinateur`, not `laptop bag`. */
  isHeadFirst?: true;
  /** Compounds are written as one word. Not in English: a `notebook` is no kind of `book`. */
  hasCompounds?: true;
};

export const languages: Readonly<Record<string, Language>> = {
  en: {
    stopWords:
      'a an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its me my no nor not of on or our she should so such than that the their them then there these they this those to too was we were what when where which while who whom why will with would you your',
    relations: 'for with without fits',
    irregular:
      'mice mouse dormice dormouse lice louse feet foot teeth tooth geese goose oxen ox children child men ' +
      'man women woman leaves leaf loaves loaf wolves wolf halves half calves calf knives knife wives wife ' +
      'shelves shelf scarves scarf thieves thief elves elf selves self hooves hoof dwarves dwarf sheaves ' +
      'sheaf wharves wharf lenses lens irises iris canvases canvas indices index vertices vertex matrices ' +
      'matrix appendices appendix cacti cactus fungi fungus radii radius foci focus octopi octopus syllabi ' +
      'syllabus criteria criterion phenomena phenomenon bacteria bacterium analyses analysis crises crisis ' +
      'oases oasis theses thesis larvae larva antennae antenna formulae formula algae alga gateaux gateau ' +
      'plateaux plateau bureaux bureau quizzes quiz spectra spectrum aquaria aquarium axes axe axis axe people ' +
      'person lives life diagnoses diagnosis synopses synopsis emphases emphasis hypotheses hypothesis codices ' +
      'codex cortices cortex automata automaton curricula curriculum memoranda memorandum stadia stadium ' +
      'gymnasia gymnasium nuclei nucleus stimuli stimulus alumni alumnus genera genus chateaux chateau ' +
      'tableaux tableau trousseaux trousseau buses bus busses bus gases gas gasses gas',
  },
  // Long vowels are double before one final consonant and single in an open syllable: boom, bomen.
  nl: {
    stopWords:
      'aan als bij dan dat de deze die dit door een en er het hij ik in is je maar met mijn naar niet nog of om onder ook op over te tot uit u van veel voor was wat we wel werd wie worden wordt ze zich zij zijn zo',
    relations: 'voor met zonder',
    irregular:
      'steden stad schepen schip eieren ei eier ei bladeren blad kalveren kalf lammeren lam runderen rund leden lid ' +
      'koeien koe raderen rad liederen lied goederen goed hoenderen hoen spellen spel musea museum aquaria ' +
      'aquarium centra centrum catalogi catalogus crises crisis',
    passes: [
      'heden>heid:3 kinderen>kind:0 kinders>kind:0 oenen>oen:1 oen>oen:1 ogen>og:0 oren>or:0 uren>ur:0 ieen>ie:2 ieel>ie:3 eren>er:4 ers>er:3 tjes:3 jes:3 tje:3 je:3 nsen>n:2 nzen>n:2 ens>en:3 en:3 es:3 els>el:2 ors>or:3 ns>n:2 ms>m:3 ps>p:3 ks>k:3 ds>d:3 os>o:3 e:3',
      'bb>b:2 dd>d:2 ff>f:2 gg>g:2 kk>k:2 ll>l:2 mm>m:2 nn>n:2 pp>p:2 rr>r:2 ss>s:2 tt>t:2',
      'z>s:2 v>f:2 kt>k:3 pt>p:3 tst>ts:3',
      'oog>og:0 oor>or:0 uur>ur:0 aa{bcdfgklmnprst}>a{}:1 ee{bcdfgklmnprst}>e{}:1 oo{bcdfgklmnprst}>o{}:1 uu{bcdfgklmnprst}>u{}:1',
    ],
    hasCompounds: true,
  },
  de: {
    stopWords:
      'aber als am an auch auf aus bei bin bis da das dass dem den der des die dies diese dieser du durch ein eine einem einen einer eines er es fur hat ich ihr im in ist ja kann mein mit nach nicht noch nur ob oder sich sie sind so und uber um uns unter vom von vor war was wenn wer wie wir wird zu zum zur',
    relations: 'fur mit ohne',
    irregular:
      'eier ei eiern ei tees tee ole ol olen ol busse bus bussen bus kakteen kaktus museen museum alben ' +
      'album globen globus atlanten atlas lexika lexikon pizzen pizza firmen firma konten konto villen ' +
      'villa themen thema risiken risiko kommata komma pronomina pronomen zyklen zyklus rhythmen rhythmus ' +
      'zentren zentrum aquarien aquarium boni bonus praxen praxis matrizen matrix',
    passes: ['innen>in:4 nisse>nis:3 ern:3 em:3 en:3 er:3 es:3 e:3', 's:4', 'in>in:3 n:4'],
    second: [/(?<![aeiouq])([aou])e/g, '$1'],
    hasCompounds: true,
  },
  fr: {
    stopWords:
      'a au aux avec ce ces cet cette dans de des du elle en est et eu il ils je la le les leur leurs lui ma mais me mes mon ne nos notre nous on ou ou par pas pour qu que qui sa sans se ses son sont sur ta te tu un une vos votre vous y',
    relations: 'pour avec sans',
    irregular:
      'yeux oeil travaux travail vitraux vitrail coraux corail emaux email baux bail cieux ciel aieux aieul ' +
      'eaux eau tuyaux tuyau noyaux noyau joyaux joyau messieurs monsieur mesdames madame bals bal carnavals carnaval festivals festival',
    passes: [
      'gris>gris:0 eaux>eau:2 aux>al:3 eux>eu:1 issements>iss:3 issement>iss:3 ements>e:3 ement>e:3 s:3 x:4',
      'anche>anc:2 ongue>ong:1 elle>el:3 enne>en:3 onne>on:3 ette>et:4 euse>eu:3 eur>eu:4 ive>if:3 iere>ier:2',
      'ee:3 e:3',
    ],
    isHeadFirst: true,
  },
  es: {
    stopWords:
      'a al ante como con cual de del desde donde el ella ellas ellos en entre era es esa ese eso esta este esto ha han hasta la las le les lo los mas me mi mis muy no nos o para pero por que se ser si sin sobre su sus tu tus un una uno y ya yo',
    relations: 'para con sin',
    irregular:
      'regimenes regimen especimenes especimen caracteres caracter bueyes buey leyes ley reyes rey jerseis jersey',
    passes: [
      'ingles>ingles:0 frances>frances:0 portugues>portugues:0 ces>z:2 eses>es:3 ones>on:2 es:3 os:3 as:3 s:3',
      'o:3 a:3 e:3',
    ],
    isHeadFirst: true,
  },
  it: {
    stopWords:
      'a ad al alla alle agli ai anche che chi ci come con da dal dalla dei del della delle degli di e ed gli ha hanno ho i il in io la le lo ma mi ne nei nel nella noi non o per piu quale quando questa questo se si sono sua sul sulla suo ti tra tu un una uno vi voi',
    relations: 'per con senza',
    irregular: 'uova uovo mani mano dita dito uomini uom paia paio lenzuola lenzuolo buoi bue ali ala',
    passes: ['chi>c:2 ghi>g:2 che>c:2 ghe>g:2 ii:3 ie:3 io:3 ia:3 i:3 e:3 a:3 o:3'],
    isHeadFirst: true,
  },
  pt: {
    stopWords:
      'a ao aos as com como da das de dele do dos e ela ele em entre era essa esse esta este eu foi ha isso isto ja lhe mais mas me meu minha na nas nao nem no nos o os ou para pela pelo por qual quando que quem sao se sem ser seu seus so sua suas tambem te tem um uma voce',
    relations: 'para com sem',
    passes: [
      'oes>ao:2 aes>ao:1 ais>al:2 eis>el:2 ois>ol:2 uis>ul:2 ns>m:2 les>l:3 res>r:3 zes>z:2 is>il:3 s:3',
      'ora>or:3 inha:4 inho:4 il>el:2',
      'o:3 a:3 e:3',
    ],
    isHeadFirst: true,
  },
  // `fotbollsskor` are shoes (`sko`), `väskor` bags (`väska`): the letter before decides.
  sv: {
    stopWords:
      'alla att av blev bli da de dem den denna det detta dig din du efter ej eller en er ett for fran har han hans hon i icke in inte jag ju kan man med men mig min mot nar nu och om oss pa sa sig sin som till under upp ut vad var vara vi vid',
    relations: 'for med utan till',
    irregular:
      'skor sko skorna sko appel apple moss mus gass gas hander hand fotter fot tander tand stader stad rotter rot ' +
      'notter not bocker bok bockerna bok soner son dottrar dotter broder bror ogon oga oron ora ' +
      'fader far modrar mor loss lus gafflar gaffel museer museum',
    passes: [
      '{bdfghjklmnprstvx}skorna>{}sko:0 {bdfghjklmnprstvx}skor>{}sko:0 klarna>kel:1 klar>kel:1 heterna>het:2 heten>het:2 heter>het:2 arnas:3 ornas:3 ernas:3 arna:3 orna:3 erna:3 arens>ar:3 aren>ar:3 andet:3 ande:3 ans:3 ens:3 ets:3 ar:3 or:3 er:3 en:3 et:3 an:3 as:3 na:4 s:3',
      'a:3 e:3',
      'mm>m:2 nn>n:2 ll>l:2 tt>t:2',
    ],
    second: [/(?<![aeiouq])([ao])e|(?<=a)a/g, '$1'],
    hasCompounds: true,
  },
  da: {
    stopWords:
      'af alle at blev blive da de dem den denne der deres det dette dig din du efter eller en er et for fra ham han hans har havde hun hvad hvis hvor i ikke ind jeg jo kan man med men mig min mod nar nu og om op os over pa sa sig sin skal som til ud under var vi vil',
    relations: 'for med uden til',
    irregular:
      'born barn bornene barn maend mand maendene mand fodder fod haender hand taender tand boger bog gaes ' +
      'gas oejne oje ojne oje brodre bror taeer ta dotre datter modre mor faedre far naetter nat ' +
      'staeder stad kor ko klor klo gafler gaffel museer museum centre center',
    passes: [
      'klerne>kel:1 kler>kel:1 hederne>hed:2 heden>hed:2 heder>hed:2 ernes:3 erens:3 erne:3 erens:3 eren:3 enes:3 ene:3 ens:3 ets:3 ers:3 ere:3 er:3 en:3 et:3 es:3 s:3 e:3',
      'dt>d:2 e:3',
      'dd>d:2 gg>g:2 kk>k:2 ll>l:2 mm>m:2 nn>n:2 pp>p:2 rr>r:2 ss>s:2 tt>t:2',
    ],
    second: [/(?<=a)a|(?<=o)e/g, ''],
    hasCompounds: true,
  },
  no: {
    irregular:
      'boker bok fotter fot hender hand tenner tann menn mann sykler sykkel nokler nokkel stovler stovel ' +
      'mobler mobel gafler gaffel gjess gas brodre bror traer tre klaer klede ' +
      'oyne oye dotre datter modre mor fedre far netter natt kyr ku taer ta klor klo museer museum sentre ' +
      'senter strender strand',
    passes: [
      'hetene>het:2 heten>het:2 heter>het:2 enes:3 anes:3 ene:3 ane:3 ens:3 ets:3 ers:3 ere:3 er:3 ar:3 en:3 et:3 es:3 a:3 s:3 e:3',
      'dt>d:2 e:3',
      'bb>b:2 dd>d:2 gg>g:2 kk>k:2 ll>l:2 mm>m:2 nn>n:2 pp>p:2 rr>r:2 ss>s:2 tt>t:2',
    ],
    second: [/(?<=a)a|(?<=o)e/g, ''],
    hasCompounds: true,
  },
  // Cases, then the weak grade of the stem: kengät is of kenkä, pöydät of pöytä.
  fi: {
    irregular:
      'vedet vesi veden vesi vetta vesi kadet kasi kaden kasi yot yo tyot tyo suot suo leivan leipa leivat ' +
      'leipa vuohen vuohi kengan kenka poydan poyta puvun puku hampaan hammas sangyn sanky kaapin kaappi ' +
      'ruuan ruoka paidan paita hatun hattu sukan sukka lampun lamppu kukan kukka maton matto vaatteen vaate ' +
      'lasten lapsi miehet mies miesten mies puvut puku pyyhkeet pyyhe pyyhkeen pyyhe',
    passes: [
      'nen>s:2 sten>s:3 set>s:3 sen>s:3 sia>s:3 imet:3 imen:3 imia:3 in:4',
      'issa:3 ista:3 illa:3 ilta:3 ille:3 iksi:3 itta:3 ssa:3 sta:3 lla:3 lta:3 lle:3 ksi:3 tta:3 iden:3 itten:3 ien:3 jen:3 seen:3 ihin:3 ina:3 ita:3 ja:4 na:4 ta:4 t:3 n:3',
      'aa>a:3 ee>e:3 oo>o:3 uu>u:3',
      'ia:3 ea>e:3 a:3 e:3 i:3 o:3 u:3 y:3',
      'ng>nk:2 mm>mp:2 nn>nt:2 kk>k:2 pp>p:2 tt>t:2 ll>l:2 d>t:2',
    ],
    hasCompounds: true,
  },
  pl: {
    irregular: 'dzieci dziecko ludzie czlowiek oczy oko uszy ucho rece reka psy pies psa pies',
    passes: [
      'iami:3 ami:3 iach:3 ach:3 iom:3 om:3 owie:3 owi:3 ow:3 iego:3 ego:3 iemu:3 emu:3 ymi:3 imi:3 ych:3 ich:3 iej:3 ej:3 ym:3 im:3 iem:3 em:3 ie:3 ia:3 iu:3 io:3 y:3 i:3 a:3 e:3 o:3 u:3',
      'iek>k:3 ek>k:3 ec>c:3 ien>n:2 el>l:4',
    ],
  },
  // Folding has made и of й and е of ё.
  ru: {
    irregular:
      'стулья стул стульев стул братья брат деревья дерево деревьев дерево уши ухо дети ребенок люди человек кресел кресло',
    passes: [
      'иями:3 ями:3 ами:3 иях:3 ях:3 ах:3 ием:3 ем:3 ом:3 ов:3 ев:3 еи:3 ыми:3 ими:3 ого:3 его:3 ому:3 ему:3 ых:3 их:3 ая:3 яя:3 ое:3 ее:3 ые:3 ие:3 ыи:3 ии:3 ои:3 ую:3 юю:3 ым:3 им:3 ию:3 ия:3 ью:3 ям:3 ам:3 а:3 я:3 о:3 е:3 и:3 ы:3 у:3 ю:3 ь:3',
      'ек>к:3 ок>к:3 ь:3',
    ],
  },
  cs: {
    irregular:
      'deti dite lide clovek stolu stul domu dum oci oko usi ucho ruce ruka stoly stul domy dum noze nuz vozy vuz kone kun',
    passes: [
      'ovi:3 ove:3 ami:3 emi:3 ech:3 ich:3 ach:3 ych:3 eho:3 emu:3 ymi:3 imi:3 um:3 am:3 em:3 im:3 ym:3 ou:3 uv:3 y:3 e:3 i:3 a:3 o:3 u:3',
      'ek>k:3 ec>c:3 en>n:2',
    ],
  },
  // The second spelling is the article and the words that are written with it, joined with the noun.
  ar: {
    passes: ['ات:2 ون:2 ين:2 ها:2 يه:2 ان:3 ه:2 ي:3'],
    second: [/^(?:و?ال|[بكف]ال|لل)(?=\p{L}{2})/gu, ''],
    isHeadFirst: true,
  },
  // Particles, which are attached to the noun: 서울에서 is "in Seoul".
  ko: {
    passes: [
      '에서는:2 에서:2 에게:2 께서:2 으로:2 까지:2 부터:2 처럼:2 보다:2 이나:2 들은:2 들이:2 들을:2 들의:2 은:2 는:2 이:2 가:2 을:2 를:2 에:2 의:2 와:2 과:2 도:2 로:2 만:2 들:2',
    ],
    hasCompounds: true,
  },
  ja: { stopWords: 'ノ ニ ヲ ハ ガ ト デ モ ヘ ヤ カラ マデ ヨリ ノデ' },
  zh: { stopWords: '的 了 和 是 在 与 及 等' },
  ...Object.fromEntries('ca gl ro vi id ms he th'.split(' ').map((one) => [one, { isHeadFirst: true }])),
};

/** Returns the words of a list. */
export function wordsOf(list: string | undefined): ReadonlySet<string> {
  return new Set(list?.split(' '));
}

/** Returns the singulars by their irregular plurals. */
export function irregularForms(language: string): ReadonlyMap<string, string> {
  const words = languages[language]?.irregular?.split(' ') ?? [];
  return new Map(words.flatMap((form, i) => (i % 2 === 0 ? [[form, words[i + 1]]] : [])));
}
