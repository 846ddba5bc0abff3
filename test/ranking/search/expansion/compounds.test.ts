/** Compounds in the languages that write them as one word: a row per catalogue and query, with the reason beside each hit. */
import test from 'ava';
import { createWorld, merge } from '../support/world.ts';

type Row = [language: string, titles: string[], query: string, expected: [title: string, reason: string][]];

const rows: Row[] = [
  [
    'de',
    ['Laufschuhe Herren', 'Schuhe Herren', 'Hemd Herren'],
    'schuhe',
    [
      ['Schuhe Herren', 'it is the word itself'],
      ['Laufschuhe Herren', 'running shoes are shoes'],
    ],
  ],
  ['de', ['Arbeitsplatzlampe', 'Teppich'], 'arbeitsplatz lampe', [['Arbeitsplatzlampe', 'two words as one']]],
  [
    'de',
    ['Arbeitsplatzlampe', 'Teppich'],
    'arbeits platz lampe',
    [['Arbeitsplatzlampe', 'three words as one']],
  ],
  [
    'de',
    ['Geburtstagskarte', 'Teppich'],
    'geburtstag karte',
    [['Geburtstagskarte', 'an s links the two parts']],
  ],
  [
    'de',
    ['Lampe für den Arbeitsplatz', 'Platz für die Lampe'],
    'arbeitsplatzlampe',
    [['Lampe für den Arbeitsplatz', 'the parts are apart']],
  ],
  [
    'de',
    ['Kaffeemaschine', 'Maschine für Kaffee', 'Kaffee'],
    'kaffeemaschinen',
    [
      ['Kaffeemaschine', 'it is the word itself'],
      ['Maschine für Kaffee', 'the title has both parts'],
    ],
  ],
  ['de', ['Stand mit Verstand', 'Verstand'], 'stand', [['Stand mit Verstand', 'ver- makes no compound']]],
  [
    'nl',
    ['Regenjas blauw', 'Jas blauw', 'Regen'],
    'jas',
    [
      ['Jas blauw', 'it is the word itself'],
      ['Regenjas blauw', 'the catalogue knows regen, so it is a compound of jas'],
    ],
  ],
  ['nl', ['Zonnebrillen', 'Hoed'], 'bril', [['Zonnebrillen', 'the plural of a compound of bril']]],
  ['nl', ['Stationsklok', 'Hoed'], 'station klok', [['Stationsklok', 'an s links the two parts']]],
  ['nl', ['Jas tegen regen', 'Hoed tegen regen'], 'regenjas', [['Jas tegen regen', 'the parts are apart']]],
  [
    'sv',
    ['Fotbollsskor', 'Skor för fotboll', 'Handskar'],
    'fotbollsskor',
    [
      ['Fotbollsskor', 'it is the word itself'],
      ['Skor för fotboll', 'the parts are apart, without the s'],
    ],
  ],
  ['sv', ['Arbetsbyxor', 'Mössa'], 'arbete byxor', [['Arbetsbyxor', 'the e gives way to an s']]],
  ['sv', ['Barnvagn', 'Mössa'], 'vagnar', [['Barnvagn', 'a compound of the singular']]],
  ['da', ['Fodboldstøvler', 'Hat'], 'støvler', [['Fodboldstøvler', 'a compound of the word']]],
  [
    'da',
    ['Støvler til fodbold', 'Hat til fodbold'],
    'fodboldstøvler',
    [['Støvler til fodbold', 'the parts are apart']],
  ],
  [
    'sv',
    ['Fotbollsskor', 'Barnskor', 'Skor för fotboll', 'Väskor'],
    'sko',
    [
      ['Skor för fotboll', 'it is a form of the word'],
      ['Fotbollsskor', 'it is a compound of a word that the catalogue knows'],
    ],
  ],
  [
    'da',
    ['Børnesko', 'Fodboldsko', 'Fodbold'],
    'sko',
    [
      ['Børnesko', 'fodboldsko shows that sko is a word, so this is a compound of it, too'],
      ['Fodboldsko', 'it is a compound of a word that the catalogue knows'],
    ],
  ],
  ['ja', ['東京タワーの写真', '京都の写真'], 'タワー', [['東京タワーの写真', 'one word ends with it']]],
  ['ko', ['무선이어폰', '모자'], '이어폰', [['무선이어폰', 'one word ends with it']]],
];

for (const [language, titles, query, expected] of rows) {
  const reasons = expected.map(([title, reason]) => `${title}, as ${reason}`).join('; then ');
  test(`${language}: ${query} finds ${reasons}`, (t) => {
    const world = createWorld(
      titles.map((title) => ({ id: title, title, language })),
      { language },
    );
    const ids = expected.map(([title]) => title);
    t.deepEqual(world.find(query, { autocorrect: false }).slice(0, ids.length), ids);
    merge(world);
    t.deepEqual(world.find(query, { autocorrect: false }).slice(0, ids.length), ids);
  });
}

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
