/** Words find the compounds that they are a part of: a catalogue by language, and the best item of each query. */
import test from 'ava';
import { createWorld, merge } from '../support/world.ts';

type Row = [language: string, titles: string[], firsts: Record<string, string>];

const rows: Row[] = [
  [
    'de',
    ['Mineralwasser still', 'Taschenmesser', 'Tomatensoße', 'Laufschuhe'],
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
    ['Olivenöl nativ', 'Früchtetee', 'Strohhut', 'Ostereier', 'Bäckerei'],
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
    ['Damenschuhe rot', 'Handschuhe', 'Kinderfahrrad 20 Zoll', 'Gummistiefel Kinder'],
    {
      'damen schuhe': 'Damenschuhe rot',
      'schuhe damen': 'Damenschuhe rot',
      'schuhe rot damen': 'Damenschuhe rot',
      'fahrrad kinder': 'Kinderfahrrad 20 Zoll',
    },
  ],
  [
    'de',
    ['Weingläser', 'Kühlschrank', 'Bücherregal', 'Wasserkocher', 'Kocher', 'Gartenstühle', 'Apfelsäfte'],
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
    'nl',
    ['Kerstboom', 'Regenjassen', 'Wijnglazen', 'Olijfolie', 'Kinderschoenen', 'Koffiekopjes'],
    {
      bomen: 'Kerstboom',
      jas: 'Regenjassen',
      glas: 'Wijnglazen',
      olie: 'Olijfolie',
      'schoenen kinder': 'Kinderschoenen',
      kopje: 'Koffiekopjes',
    },
  ],
  [
    'sv',
    ['Vinglas', 'Barnskor', 'Solglasögon', 'Köksstolar'],
    { glas: 'Vinglas', skor: 'Barnskor', glasögon: 'Solglasögon', stol: 'Köksstolar' },
  ],
  [
    'da',
    ['Vinglas', 'Børnesko', 'Køleskab', 'Havestole'],
    { glas: 'Vinglas', sko: 'Børnesko', koeleskab: 'Køleskab', stol: 'Havestole' },
  ],
  [
    'nb',
    ['Vinglass', 'Barnesko', 'Regnjakke', 'Hagestoler'],
    { glass: 'Vinglass', sko: 'Barnesko', jakke: 'Regnjakke', stol: 'Hagestoler' },
  ],
  [
    'fi',
    ['Viinilasit', 'Juoksukengät', 'Keittiöpöytä'],
    { lasi: 'Viinilasit', kenkä: 'Juoksukengät', kengät: 'Juoksukengät', pöydät: 'Keittiöpöytä' },
  ],
];

for (const [language, titles, firsts] of rows) {
  for (const [query, title] of Object.entries(firsts)) {
    test(`${language}: ${query} finds ${title} first`, (t) => {
      const world = createWorld(titles.map((one) => ({ id: one, title: one, language })));
      t.is(world.find(query)[0], title);
      merge(world);
      t.is(world.find(query)[0], title);
    });
  }
}

test('a word that is only a part of a compound ranks behind the word itself', (t) => {
  const titles = ['Wasserkocher', 'Kocher', 'Stilles Wasser in der großen Flasche mit Pfand'];
  const world = createWorld(titles.map((title) => ({ id: title, title, language: 'de' })));
  t.deepEqual(world.find('wasser'), [titles[2], titles[0]]);
});
