/**
 * Compounds in the languages that write them as one word: they are found by their words, joined and
 * apart, and words by the compounds that they are a part of.
 */
import test from 'ava';
import { createWorld, merge } from '../support/world.ts';

/** A catalogue by language, and the best titles of each query. */
const rows: [language: string, titles: string, firsts: Record<string, string>][] = [
  ['de', 'Laufschuhe Herren | Schuhe Herren | Hemd Herren', { schuhe: 'Schuhe Herren | Laufschuhe Herren' }],
  [
    'de',
    'Arbeitsplatzlampe | Teppich',
    { 'arbeitsplatz lampe': 'Arbeitsplatzlampe', 'arbeits platz lampe': 'Arbeitsplatzlampe' },
  ],
  ['de', 'Geburtstagskarte | Teppich', { 'geburtstag karte': 'Geburtstagskarte' }],
  [
    'de',
    'Lampe für den Arbeitsplatz | Platz für die Lampe',
    { arbeitsplatzlampe: 'Lampe für den Arbeitsplatz' },
  ],
  [
    'de',
    'Kaffeemaschine | Maschine für Kaffee | Kaffee',
    { kaffeemaschinen: 'Kaffeemaschine | Maschine für Kaffee' },
  ],
  ['de', 'Stand mit Verstand | Verstand', { stand: 'Stand mit Verstand' }],
  [
    'de',
    'Mineralwasser still | Taschenmesser | Tomatensoße | Laufschuhe',
    {
      schuhe: 'Laufschuhe',
      wasser: 'Mineralwasser still',
      messer: 'Taschenmesser',
      soße: 'Tomatensoße',
      sosse: 'Tomatensoße',
    },
  ],
  [
    'de',
    'Olivenöl nativ | Früchtetee | Strohhut | Ostereier | Bäckerei',
    {
      hut: 'Strohhut',
      öl: 'Olivenöl nativ',
      oel: 'Olivenöl nativ',
      tee: 'Früchtetee',
      ei: 'Ostereier',
      eier: 'Ostereier',
    },
  ],
  [
    'de',
    'Damenschuhe rot | Handschuhe | Kinderfahrrad 20 Zoll | Gummistiefel Kinder',
    {
      'damen schuhe': 'Damenschuhe rot',
      'schuhe damen': 'Damenschuhe rot',
      'schuhe rot damen': 'Damenschuhe rot',
      'fahrrad kinder': 'Kinderfahrrad 20 Zoll',
    },
  ],
  [
    'de',
    'Weingläser | Kühlschrank | Bücherregal | Wasserkocher | Kocher | Gartenstühle | Apfelsäfte',
    {
      glas: 'Weingläser',
      gläser: 'Weingläser',
      schrank: 'Kühlschrank',
      kuehlschrank: 'Kühlschrank',
      buecher: 'Bücherregal',
      wasser: 'Wasserkocher',
      stuhl: 'Gartenstühle',
      saft: 'Apfelsäfte',
    },
  ],
  [
    'de',
    'Hühnerei Größe M | Bäckerei Schild | Reisetasche | Milchreis | Reiskocher | Eierbecher | Handlauf | Händler',
    {
      ei: 'Hühnerei Größe M | Eierbecher',
      hühner: 'Hühnerei Größe M',
      reis: 'Milchreis | Reiskocher',
    },
  ],
  [
    'de',
    'Grüntee | Teekanne | Rapsöl | Ölfilter | Schreibtischlampe | Blumenerde | Lampe',
    {
      tee: 'Grüntee | Teekanne',
      öl: 'Rapsöl | Ölfilter',
      tisch: 'Schreibtischlampe',
      schreib: 'Schreibtischlampe',
      blume: 'Blumenerde',
    },
  ],
  [
    'nl',
    'Koffiezetapparaat | Koffie | Zonnebril | Boek | Boekenkast | Fietsbel | Fiets',
    {
      koffie: 'Koffie | Koffiezetapparaat',
      zon: 'Zonnebril',
      boek: 'Boek | Boekenkast',
      fiets: 'Fiets | Fietsbel',
    },
  ],
  [
    'sv',
    'Äppeljuice | Bröd | Brödrost',
    { äpple: 'Äppeljuice', aeppel: 'Äppeljuice', brod: 'Bröd | Brödrost' },
  ],
  ['nb', 'Brød | Brødrister | Sykkelhjelm', { broed: 'Brød | Brødrister', sykler: 'Sykkelhjelm' }],
  ['fi', 'Leivänpaahdin | Juusto | Juustohöylä', { leipä: 'Leivänpaahdin', juusto: 'Juusto | Juustohöylä' }],
  ['nl', 'Regenjas blauw | Jas blauw | Regen', { jas: 'Jas blauw | Regenjas blauw' }],
  ['nl', 'Zonnebrillen | Hoed', { bril: 'Zonnebrillen' }],
  ['nl', 'Stationsklok | Hoed', { 'station klok': 'Stationsklok' }],
  ['nl', 'Jas tegen regen | Hoed tegen regen', { regenjas: 'Jas tegen regen' }],
  [
    'nl',
    'Kerstboom | Regenjassen | Wijnglazen | Olijfolie | Kinderschoenen | Koffiekopjes',
    {
      bomen: 'Kerstboom',
      jas: 'Regenjassen',
      glas: 'Wijnglazen',
      olie: 'Olijfolie',
      'schoenen kinder': 'Kinderschoenen',
      kopje: 'Koffiekopjes',
    },
  ],
  ['sv', 'Fotbollsskor | Skor för fotboll | Handskar', { fotbollsskor: 'Fotbollsskor | Skor för fotboll' }],
  ['sv', 'Arbetsbyxor | Mössa', { 'arbete byxor': 'Arbetsbyxor' }],
  ['sv', 'Barnvagn | Mössa', { vagnar: 'Barnvagn' }],
  ['sv', 'Fotbollsskor | Barnskor | Skor för fotboll | Väskor', { sko: 'Skor för fotboll | Fotbollsskor' }],
  [
    'sv',
    'Vinglas | Barnskor | Solglasögon | Köksstolar',
    { glas: 'Vinglas', skor: 'Barnskor', glasögon: 'Solglasögon', stol: 'Köksstolar' },
  ],
  ['da', 'Fodboldstøvler | Hat', { støvler: 'Fodboldstøvler' }],
  ['da', 'Støvler til fodbold | Hat til fodbold', { fodboldstøvler: 'Støvler til fodbold' }],
  ['da', 'Børnesko | Fodboldsko | Fodbold', { sko: 'Børnesko | Fodboldsko' }],
  [
    'da',
    'Vinglas | Børnesko | Køleskab | Havestole',
    { glas: 'Vinglas', sko: 'Børnesko', koeleskab: 'Køleskab', stol: 'Havestole' },
  ],
  [
    'nb',
    'Vinglass | Barnesko | Regnjakke | Hagestoler',
    { glass: 'Vinglass', sko: 'Barnesko', jakke: 'Regnjakke', stol: 'Hagestoler' },
  ],
  [
    'fi',
    'Viinilasit | Juoksukengät | Keittiöpöytä',
    { lasi: 'Viinilasit', kenkä: 'Juoksukengät', kengät: 'Juoksukengät', pöydät: 'Keittiöpöytä' },
  ],
  ['ja', '東京タワーの写真 | 京都の写真', { タワー: '東京タワーの写真' }],
  ['ko', '무선이어폰 | 모자', { 이어폰: '무선이어폰' }],
];

const titlesOf = (text: string): string[] => text.split(' | ');

for (const [language, titles, firsts] of rows)
  for (const [query, first] of Object.entries(firsts))
    test(`${language}: ${query} finds ${first} first`, (t) => {
      const world = createWorld(
        titlesOf(titles).map((title) => ({ id: title, title, language })),
        { language },
      );
      const expected = titlesOf(first);
      t.deepEqual(world.find(query, { autocorrect: false }).slice(0, expected.length), expected);
      merge(world);
      t.deepEqual(world.find(query, { autocorrect: false }).slice(0, expected.length), expected);
    });

/** What only seems to be a compound, by language. */
const seeming: [language: string, titles: string, queries: string][] = [
  ['de', 'Bäckerei | Freiheit | Reise | Partei | Hühnerei', 'ei eier'],
  ['de', 'Steel | Frottee | Komitee | Früchtetee', 'tee'],
  ['de', 'Handel | Händler | Handlung | Hand', 'hand'],
  ['de', 'Alkohol | Symbol | Olivenöl', 'öl'],
  ['de', 'Preis | Milchreis | Kreisel | Eis', 'eis'],
  ['nl', 'Karwei | Reistas | Scharrelei', 'ei'],
];

for (const [language, titles, queries] of seeming)
  for (const query of queries.split(' '))
    test(`${language}: ${query} finds only the last of ${titles}`, (t) => {
      const { find } = createWorld(
        titlesOf(titles).map((title) => ({ id: title, title, language })),
        { language },
      );
      t.deepEqual(find(query, { autocorrect: false }), titlesOf(titles).slice(-1));
    });

test('English words are no compounds: smart does not match art', (t) => {
  const { find } = createWorld([
    { id: 'art', title: 'Book of modern art' },
    { id: 'smart', title: 'Smart watch' },
  ]);
  t.deepEqual(find('art'), ['art']);
});

test('a misspelt word is corrected before it is treated as the end of another', (t) => {
  const items = [
    { id: 'lamp', title: 'Lampe' },
    { id: 'other', title: 'Rlampex' },
  ];
  const { search } = createWorld(items, { language: 'de' });
  t.is(search.search({ q: 'lamppe', nowMs: 0, listSize: 5 }).correctedQuery, 'lampe');
});

test('two known words that are never adjacent do not prevent a correction', (t) => {
  const { search, find } = createWorld([
    { id: 'keyboard', title: 'Keyboard' },
    { id: 'key', title: 'Key' },
    { id: 'bord', title: 'Bord' },
  ]);
  t.is(search.search({ q: 'keybord', nowMs: 0, listSize: 5 }).correctedQuery, 'keyboard');
  t.deepEqual(find('keybord'), ['keyboard']);
});

const codes: [query: string, expected: string[], reason: string][] = [
  ['wh1000', ['WH-1000XM3', 'WH-1000XM4'], 'both begin with it'],
  ['wh-1000', ['WH-1000XM3', 'WH-1000XM4'], 'both begin with it, however they are written'],
  ['wh1000xm4', ['WH-1000XM4'], 'it is one of them'],
  ['wh100', [], 'a number is not part of another'],
  ['1000', [], 'a number alone is no code'],
  ['wh2000', [], 'none begins with it'],
];
for (const [query, expected, reason] of codes) {
  test(`the code ${query} finds ${expected.join(' and ') || 'nothing'}, as ${reason}`, (t) => {
    const world = createWorld(['WH-1000XM3', 'WH-1000XM4', 'Case'].map((title) => ({ id: title, title })));
    t.deepEqual(world.find(query).toSorted(), expected);
  });
}

test('the parts of an explanation add up for compounds, separate parts and codes, too', (t) => {
  const items = ['Laufschuhe', 'Schuhe', 'Schuhe zum Lauf', 'Modell XZ-900b'].map((title) => ({
    id: title,
    title,
  }));
  const { search, catalog } = createWorld(items, { language: 'de' });
  const kinds = new Set<string>();
  for (const q of ['schuhe', 'laufschuhe', 'xz900']) {
    const request = { q, nowMs: 0, listSize: 10 };
    const { contributionsOf } = search.explainQuery(request);
    for (const { itemIndex, text } of search.search(request).lists[0].items) {
      const contributions = contributionsOf(itemIndex);
      const sum = contributions.reduce((all, { score }) => all + score, 0);
      t.true(Math.abs(sum - text) < 1e-6, `${q}: ${catalog.itemIdAt(itemIndex)}`);
      for (const { alternative, fields, score } of contributions) {
        kinds.add(alternative.kind);
        t.true(Math.abs(fields.reduce((all, field) => all + field.score, 0) - score) < 1e-6);
      }
    }
  }
  t.deepEqual([...kinds].toSorted(), ['apart', 'code', 'compound', 'word']);
});

test('a word that is only a part of a compound ranks behind the word itself', (t) => {
  const titles = ['Wasserkocher', 'Kocher', 'Stilles Wasser in der großen Flasche mit Pfand'];
  const world = createWorld(titles.map((title) => ({ id: title, title, language: 'de' })));
  t.deepEqual(world.find('wasser'), [titles[2], titles[0]]);
});
