/** Matches that native speakers expect: a row per word or query, by language. */
import test from 'ava';
import { createAnalyser } from '../../../../src/ranking/search/analysis/analyser.ts';
import { fold } from '../../../../src/ranking/search/analysis/fold.ts';
import { createWorld } from '../support/world.ts';

/** Forms of one word, separated by spaces; words separated by commas. */
const forms: Record<string, string> = {
  en: 'battery batteries, mouse mice, child children childrens, woman women womens, man men mens, foot feet, knife knives, box boxes, dress dresses, print printing printed, study studies, leaf leaves, loaf loaves, wolf wolves, half halves, lens lenses, tooth teeth, goose geese, cactus cacti, bookshelf bookshelves, person people, life lives, axis axe axes, analysis analyses, hypothesis hypotheses, crisis crises, matrix matrices, stimulus stimuli, stadium stadia, chateau chateaux, bus buses, gas gases',
  nl: 'blad bladeren, ei eieren, schoen schoenen, fiets fietsen, tafel tafels, boek boeken boekje, brief brieven, rood rode, wit witte, goedkoop goedkope, jas jassen, kind kinderen, laars laarzen, oog ogen, mogelijkheid mogelijkheden, werk werkt werken, loopt lopen, computer computers, monitor monitors, regenjas regenjassen, matras matrassen, kans kansen, lens lenzen, artikel artikels, stad steden, kaas kazen, roos rozen, neef neven, foto fotos, crisis crises, centrum centra, catalogus catalogi',
  de: 'Ei Eier, Kaktus Kakteen, Bus Busse, Haus Häuser Häusern, Schuh Schuhe Schuhen, Buch Bücher Büchern, Stuhl Stühle, Maus Mäuse, rot rote roter rotes roten, Drucker Druckern, Freundin Freundinnen, Jacke Jacken, Fahrrad Fahrräder, Mantel Mäntel Maentel, Schlüssel Schluessel, neu neue neuer, blau blaue, Zentrum Zentren, Aquarium Aquarien, Bonus Boni, Matrix Matrizen, Praxis Praxen',
  fr: 'cheval chevaux, bateau bateaux, jeu jeux, vert verte verts vertes, oeil yeux, blanc blanche blanches, gris grise, long longue, actif active, heureux heureuse, premier première, chaussure chaussures, étudiant étudiante, travail travaux, eau eaux, tuyau tuyaux',
  es: 'luz luces, jersey jerséis, lápiz lápices, camión camiones, niño niña niños, rojo roja rojos rojas, ordenador ordenadores, inglés inglesa ingleses, mes meses, móvil móviles, reloj relojes',
  it: 'amico amici, amica amiche, lago laghi, orologio orologi, rosso rossa rossi rosse, scarpa scarpe, bianco bianca bianchi bianche, arancia arance, viaggio viaggi, uomo uomini',
  pt: 'avião aviões, pão pães, papel papéis, fácil fáceis, azul azuis, animal animais, jardim jardins, flor flores, luz luzes, sapato sapatos, vermelho vermelha, mês meses',
  sv: 'man män, tand tänder, öga ögon, bil bilar bilen bilarna, bok böcker, klocka klockor klockan, hus huset husen, cykel cyklar, stol stolar stolen, flicka flickor flickorna, väska väskor, fotbollssko fotbollsskor fotbollsskorna, sko skor skorna, mus möss, hand händer, batteri batterier batteriet, vit vita vitt, far fäder, dotter döttrar, gaffel gafflar, museum museer, äpple äppel',
  da: 'bil biler bilen bilerne, bog bøger, hus huset huse husene, rød røde rødt, jakke jakker jakken, printer printere printeren, cykel cykler, batteri batterier batteriet, pige piger pigerne, ål aal, støvle støvler stoevler, barn børn, mand mænd, hånd hænder, datter døtre, ko køer, gaffel gafler, center centre',
  no: 'bil biler bilen bilene, bok bøker, hus huset husene, rød rødt røde, jakke jakker jakken jakka, hvit hvite hvitt, nøkkel nøkler, fot føtter, øye øyne, datter døtre, tre trær, senter sentre, strand strender',
  fi: 'kenkä kengät, takki takit takin, pöytä pöydät, sukka sukat, nainen naiset naisten, kello kellot, matto matot, leipä leivän, lapsi lapset lasten, mies miehet, pyyhe pyyhkeet, kaappi kaapin, paita paidan',
  pl: 'but buty butów, książka książki książek, kubek kubki, sukienka sukienki sukienek, czerwony czerwona czerwone czerwonego, okno okna okien, pies psy psa',
  ru: 'сумка сумки сумок, чашка чашки чашек, ботинки ботинок, красный красная красные красного, телефон телефоны телефонов, синий синяя синее, ребенок дети, человек люди',
  cs: 'bota boty bot, taška tašky tašek, kniha knihy knih, červený červená červené červeného, okno okna oken, stůl stoly stolů, dům domů, nůž nože',
  ar: 'كتاب الكتاب والكتاب, حقيبة حقيبه الحقيبة',
  ko: '서울 서울에서, 운동화 운동화를 운동화는, 선물 선물로',
};

for (const [language, words] of Object.entries(forms)) {
  for (const inflected of words.split(', ')) {
    test(`${language}: ${inflected} are forms of one word`, (t) => {
      const { termOf } = createAnalyser(language);
      const terms = inflected.split(' ').map((word) => termOf(fold(word)));
      t.deepEqual(
        terms,
        terms.map(() => terms[0]),
      );
    });
  }
}

/** Similar words with different meanings, which must not find each other. */
const others: [language: string, ...words: string[]][] = [
  ['en', 'news', 'new'],
  ['en', 'university', 'union'],
  ['nl', 'laars', 'laag'],
  ['nl', 'schoen', 'school'],
  ['de', 'Haus', 'Hase'],
  ['de', 'Medizin', 'Medium'],
  ['fr', 'cheval', 'cheveu'],
  ['es', 'luz', 'lujo'],
  ['it', 'libro', 'labbro'],
  ['pt', 'pão', 'pau'],
  ['sv', 'bok', 'båt'],
  ['da', 'bog', 'bygning'],
];
for (const [language, one, other] of others) {
  test(`${language}: ${one} and ${other} are different words`, (t) => {
    const { termOf } = createAnalyser(language);
    t.not(termOf(fold(one)), termOf(fold(other)));
  });
}

/** A title, and queries that find it. */
const queries: [language: string, title: string, ...queries: string[]][] = [
  ['en', 'Notebook sleeve 17"', 'note book sleeve', '17 inch sleeve', 'sleeves 17in', '17-inch sleeve'],
  ['en', 'HP Pavilion dv7-1211ea', 'dv7-1211ea', 'DV71211EA', 'dv7 1211ea'],
  ['en', 'External drive 500GB', '500 gb drive', '500gb', 'drives 500 GB'],
  ['en', 'Wi-Fi router', 'wifi', 'wi fi', 'wi-fi routers'],
  ['en', 'Cola 6x33cl', '33cl', '33 cl', '6x33cl'],
  ['en', 'Puzzle of 1,000 pieces', '1000 pieces', '1.000 pieces'],
  ['es', 'Botella de 1,5 litros', '1.5 l', '1,5l', '1.5 litro'],
  ['nl', 'Lange regen jassen voor heren', 'regenjassen', 'lange jas', 'regen jas'],
  ['nl', 'Koelkast 80 l', 'koel kast', 'koelkasten', '80l'],
  ['nl', 'Coöperatieve ’s ochtends krant', 'cooperatieve krant', 'ochtends'],
  ['de', 'Waschmaschine mit Trockner', 'wasch maschine', 'Waschmaschinen', 'trockner'],
  ['de', 'Grüße aus der Straße', 'strasse', 'GRÜSSE', 'gruße'],
  ['de', 'Kaffee Maschine, 1,5 Liter', 'kaffeemaschine', 'Maschinen'],
  ['fr', "L'été à l'hôtel", 'hotel', 'ete', "l'hotel"],
  ['fr', 'Lave-linge blanc', 'lave linge', 'lavelinge blanche'],
  ['es', 'Teléfono móvil pequeño', 'telefonos moviles', 'pequeno'],
  ['it', "L'orologio dell'università", 'orologi', 'universita'],
  ['pt', 'Calções de algodão', 'calcoes', 'algodao'],
  ['sv', 'Fotbollsskor för barn', 'fotbollsskor', 'barn'],
  ['sv', 'Barn stol röd', 'barnstol', 'röda stolar'],
  ['da', 'Børne cykel rød', 'børnecykel', 'røde cykler'],
  ['ja', '東京でノートパソコンを買う', 'ノートパソコン', '東京'],
  ['ja', 'りんごジュース', 'リンゴ', 'ﾘﾝｺﾞ', 'りんごのジュース'],
  ['zh', '红色运动鞋', '运动鞋', '红色'],
  ['ko', '빨간 운동화', '운동화'],
  ['ko', '서울에서 만든 김치', '서울', '서울의 김치'],
  ['th', 'รองเท้าวิ่งสีแดง', 'รองเท้า', 'สีแดง'],
];
for (const [language, title, ...asked] of queries) {
  for (const q of asked) {
    test(`${language}: "${q}" finds ${title}`, (t) => {
      const world = createWorld(
        [
          { id: 'it', title, language },
          { id: 'other', title: 'xylofon', language },
        ],
        { language },
      );
      t.deepEqual(world.find(q, { autocorrect: false }), ['it']);
    });
  }
}

test('stop words of other languages are ignored too, unless items in the default language have them', (t) => {
  const world = createWorld([
    { id: 'coat', title: 'Herenjas blauw', language: 'nl' },
    { id: 'for', title: 'Boek voor thuis', language: 'nl' },
    { id: 'lamp', title: 'Die Lampe', language: 'de' },
    { id: 'film', title: 'Die Hard', language: 'en' },
    { id: 'disk', title: 'Hard disk', language: 'en' },
  ]);
  t.deepEqual(world.find('blauw voor'), ['coat']);
  t.is(world.find('die hard')[0], 'film');
  t.true(world.find('die').includes('film'));
});

const stopWords: [language: string, query: string, stop: string][] = [
  ['en', 'the sofa', 'the'],
  ['nl', 'een bank voor de tuin', 'voor'],
  ['de', 'der Tisch und die Lampe', 'und'],
  ['fr', 'la table et le lit', 'et'],
  ['es', 'la mesa de los niños', 'de'],
  ['it', 'il tavolo della nonna', 'della'],
  ['pt', 'a mesa da avó', 'da'],
  ['sv', 'en lampa och ett bord', 'och'],
  ['da', 'en lampe og et bord', 'og'],
];
for (const [language, query, stop] of stopWords) {
  test(`${language}: ${stop} of "${query}" is not searched for`, (t) => {
    t.true(createAnalyser(language).isStopWord(stop));
    const world = createWorld(
      [
        { id: 'it', title: query, language },
        { id: 'stop', title: `${stop} ${stop}`, language },
      ],
      { language },
    );
    t.deepEqual(world.find(query), ['it']);
  });
}
