/** One catalogue in twelve languages: the first hit of each query, with the reason. */
import test from 'ava';
import { createWorld, merge } from '../support/world.ts';

const catalogue: Record<string, string[]> = {
  en: [
    'Waterproof rain coat',
    'Men’s T-shirt, 100% cotton',
    'WH-1000XM4 wireless headphones',
    'Television 55" 4K',
    'Puzzle of 1,000 pieces',
    'Coca-Cola 6x33cl',
    'Spider-Man: No Way Home',
    'WALL·E',
    'Wall clock',
    'Paper notebook A5',
    "Sleeve for a notebook 15.6''",
  ],
  nl: [
    'Regenjas blauw',
    'Koffiezetapparaat zwart',
    'Fiets voor kinderen',
    'Coöperatieve krant',
    'Koelkast 80 l',
  ],
  de: [
    'Laufschuhe Herren',
    'Arbeitsplatzleuchte',
    'Geburtstagskarte',
    'Schlüsselanhänger',
    'Milch 1,5 Liter',
    'Große Mäntel',
  ],
  fr: ['Chaussures d’été pour femmes', 'Porte-monnaie en cuir', 'Cœur de bœuf', 'Bateaux à voile'],
  es: ['Zapatillas de niño', 'Lápices de colores', 'Camión de bomberos'],
  it: ['Orologio da uomo', 'Caffè dell’isola', 'Arance rosse'],
  pt: ['Calções de algodão', 'Pães e bolos', 'Televisões'],
  sv: ['Fotbollsskor', 'Arbetsbyxor', 'Röda äpplen'],
  da: ['Børnehue', 'Støvler til regnvejr', 'Kaffemaskine'],
  ja: ['東京タワーの写真', 'りんごジュース', 'ワイヤレスイヤホン'],
  zh: ['无线蓝牙耳机', '红色运动鞋'],
  ko: ['무선 이어폰', '서울에서 만든 김치'],
};

/** The typed query, the first title, and the reason. */
const rows: [query: string, title: string, reason: string][] = [
  ['raincoats', 'Waterproof rain coat', 'two words as one, in the plural'],
  ['mens tshirts', 'Men’s T-shirt, 100% cotton', 'no apostrophe, no hyphen, another number'],
  ['wh1000', 'WH-1000XM4 wireless headphones', 'the beginning of a code'],
  ['headphone wireless', 'WH-1000XM4 wireless headphones', 'another order, another number'],
  ['55-inch television', 'Television 55" 4K', 'a unit written out'],
  ['55in', 'Television 55" 4K', 'a unit written short'],
  ['1000 pieces', 'Puzzle of 1,000 pieces', 'no comma'],
  ['33 cl cola', 'Coca-Cola 6x33cl', 'what one of a pack holds'],
  ['spiderman', 'Spider-Man: No Way Home', 'no hyphen'],
  ['wall-e', 'WALL·E', 'the form that was typed, not the stem'],
  ['walle', 'WALL·E', 'without the dot'],
  ['note book', 'Paper notebook A5', 'one word as two'],
  ['15.6 inch sleeve', "Sleeve for a notebook 15.6''", 'two apostrophes are inches'],
  ['jassen regen', 'Regenjas blauw', 'the plural of what the compound ends with'],
  ['regen jas', 'Regenjas blauw', 'a compound as two words'],
  ['koffie zet apparaat', 'Koffiezetapparaat zwart', 'a compound as three words'],
  ['apparaten', 'Koffiezetapparaat zwart', 'a compound by its end, in the plural'],
  ['kinderfiets', 'Fiets voor kinderen', 'the parts of a compound, apart'],
  ['cooperatieve kranten', 'Coöperatieve krant', 'no diaeresis, plural'],
  ['koelkasten 80l', 'Koelkast 80 l', 'plural, and a unit without space'],
  ['schuhe', 'Laufschuhe Herren', 'a compound by its end'],
  ['arbeits platz leuchte', 'Arbeitsplatzleuchte', 'a compound as three words'],
  ['geburtstag karten', 'Geburtstagskarte', 'a linking s, plural'],
  ['schluesselanhaenger', 'Schlüsselanhänger', 'ue and ae for ü and ä'],
  ['1.5l milch', 'Milch 1,5 Liter', 'a decimal point for a comma'],
  ['grosser mantel', 'Große Mäntel', 'no diacritics, another case and number'],
  ['chaussure ete femme', 'Chaussures d’été pour femmes', 'elision, no accents, singular'],
  ['portemonnaie', 'Porte-monnaie en cuir', 'no hyphen'],
  ['coeur boeuf', 'Cœur de bœuf', 'no ligatures'],
  ['bateau', 'Bateaux à voile', 'a plural in -eaux'],
  ['zapatilla ninos', 'Zapatillas de niño', 'no tilde, other numbers'],
  ['lapiz color', 'Lápices de colores', 'z and c, and no accent'],
  ['camiones bombero', 'Camión de bomberos', 'a plural in -ones'],
  ['orologi uomini', 'Orologio da uomo', 'a plural that changes within'],
  ['caffe isola', 'Caffè dell’isola', 'an article with an apostrophe'],
  ['arancia rossa', 'Arance rosse', 'singular of both'],
  ['calcao algodao', 'Calções de algodão', 'a plural in -ões'],
  ['pao', 'Pães e bolos', 'a plural in -ães'],
  ['televisão', 'Televisões', 'the singular'],
  ['skor', 'Fotbollsskor', 'a compound by its end'],
  ['fotbolls sko', 'Fotbollsskor', 'a compound as two words, singular'],
  ['arbete byxor', 'Arbetsbyxor', 'a linking s for the e'],
  ['rött äpple', 'Röda äpplen', 'other forms of both'],
  ['børnehuer', 'Børnehue', 'plural'],
  ['støvle regnvejr', 'Støvler til regnvejr', 'singular'],
  ['kaffemaskinen', 'Kaffemaskine', 'with its article'],
  ['maskiner', 'Kaffemaskine', 'a compound by its end, plural'],
  ['東京', '東京タワーの写真', 'how a word begins'],
  ['リンゴ', 'りんごジュース', 'the other syllabary'],
  ['無線耳機', '无线蓝牙耳机', 'traditional for simplified'],
  ['ﾜｲﾔﾚｽ イヤホン', 'ワイヤレスイヤホン', 'half width, and a space'],
  ['蓝牙耳机', '无线蓝牙耳机', 'two of three words'],
  ['运动鞋', '红色运动鞋', 'one word'],
  ['무선이어폰', '무선 이어폰', 'two words as one'],
  ['서울 김치', '서울에서 만든 김치', 'a noun without its particle'],
];

const items = Object.entries(catalogue).flatMap(([language, titles]) =>
  titles.map((title) => ({ id: title, title, language })),
);
for (const state of ['just written', 'merged']) {
  const world = createWorld(items);
  if (state === 'merged') merge(world);
  for (const [query, title, reason] of rows) {
    test(`${state}: ${query} finds ${title}: ${reason}`, (t) => {
      t.is(world.find(query)[0], title);
    });
  }
}
