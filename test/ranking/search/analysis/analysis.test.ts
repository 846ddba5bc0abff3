import test from 'ava';
import { createAnalyser, tokensOf } from '../../../../src/ranking/search/analysis/analyser.ts';
import { fold, foldTitle } from '../../../../src/ranking/search/analysis/fold.ts';

const folds: [string, string][] = [
  ['Straße', 'strasse'],
  ['Ærøskøbing', 'aeroskobing'],
  ['CAFÉ', 'cafe'],
  ['ﬁne', 'fine'],
  ['ＡＢＣ１２', 'abc12'],
  ['Łódź', 'lodz'],
  ['a\u0000b\tc', 'a b c'],
  ['Tages\u00adlicht\u200elampe\ufeff', 'tageslichtlampe'],
  ['½" and 42⅔', '1/2" and 42 2/3'],
];
for (const [text, folded] of folds) {
  test(`${JSON.stringify(text)} is compared as ${folded}`, (t) => {
    t.is(fold(text), folded);
    t.is(fold(folded), folded);
  });
}

test('titles are compared by their letters and digits', (t) => {
  t.is(foldTitle('  HP® Pavilion — “dv7”  '), 'hp pavilion dv7');
  t.is(foldTitle(' 🎉 🎉 '), '🎉🎉');
  t.is(foldTitle('C++'), 'c');
  t.is(foldTitle('\u0001 '), '');
});

const tokens: [string, string[]][] = [
  ['dv7-1211ea', ['dv71211ea']],
  ['500GB', ['500gb']],
  ['500 gb', ['500gb']],
  ['17"', ['17in']],
  ['17 inch', ['17in']],
  ['43.2 cm', ['43.2cm']],
  ['Wi-Fi', ['wifi']],
  ['C++ and C#', ['c++', 'and', 'c#']],
  ["men's l'eau", ['men', 'eau']],
  ['red/blue', ['red', 'blue']],
  ['55-inch', ['55in']],
  ["15.6'' and 15.6”", ['15.6in', 'and', '15.6in']],
  ['1,5 l', ['1.5l']],
  ['1,5l', ['1.5l']],
  ['1,000 pieces', ['1000', 'pieces']],
  ['1.000 Teile', ['1000', 'teile']],
  ['20,100mAh', ['20100mah']],
  ['20,100 mAh', ['20100mah']],
  ['10,100,1000', ['10', '100', '1000']],
  ['0.125 GB', ['0.125gb']],
  ['2.40 GHz, 5.0m and 10.0 kg', ['2.4ghz', '5m', 'and', '10kg']],
  ['.5 l, .75L and No. 5 in.', ['0.5l', '0.75l', 'and', 'no', '5in']],
  ['v2.0 of USB 2.0 and 1.10.', ['v20', 'of', 'usb', '2.0', 'and', '1.10']],
  ['.22 rifle', ['22', 'rifle']],
  ['802.11b,802.11g', ['80211b', '802.11g']],
  ['6x33cl', ['6x33cl']],
  ['2x4 GB', ['2x4', 'gb']],
  ['80x25mm', ['80x25mm']],
  ['58.4x42.3 mm, 9 X15.5 in', ['58.4x42.3', 'mm', '9', 'x15.5', 'in']],
  ['1440×900 and 2 × 4', ['1440x900', 'and', '2', 'x', '4']],
  ['12,', ['12']],
  ['1-1/2in. x 1 ft.', ['1.5in', 'x', '1ft']],
  ['1 1/4 pipe', ['1.25', 'pipe']],
  ['3/4" and 1/2.', ['0.75in', 'and', '0.5']],
  ['½ inch, 1½", 42⅔ and 3⁄4 in.', ['0.5in', '1.5in', '42.6667', 'and', '0.75in']],
  ['24/7, 1/2.3 and 5/4', ['24', '7', '1', '2.3', 'and', '5', '4']],
  ['東京でノートパソコンを買う', ['东京', 'デ', 'ノート', 'パソコン', 'ヲ', '买ウ']],
  ['りんご', ['リンゴ']],
  ['手機殼', ['手机', '壳']],
  ['ภาษาไทย', ['ภาษา', 'ไทย']],
  ['📱🎉', []],
];
for (const [text, words] of tokens) {
  test(`${text} is cut into ${words.join('|') || 'nothing'}`, (t) => {
    t.deepEqual(
      tokensOf(text).map((token) => token.text),
      words,
    );
  });
}

test('a word is at most 64 characters long', (t) => {
  t.is(tokensOf('x'.repeat(10_000))[0].text.length, 64);
});

/** Forms of one word; each line must have one term. */
const inflections: [string, string][] = [
  ['en', 'battery batteries'],
  ['en', 'connect connected connecting connection connections'],
  ['en', 'run running runs'],
  ['nl', 'lamp lampen'],
  ['nl', 'kat katten'],
  ['nl', 'boom bomen'],
  ['nl', 'huis huizen'],
  ['de', 'haus hauser hause hausern'],
  ['de', 'lampe lampen'],
  ['fr', 'cheval chevaux'],
  ['fr', 'imprimante imprimantes'],
  ['fr', 'noir noire noirs noires'],
  ['es', 'luz luces'],
  ['es', 'zapato zapatos'],
  ['it', 'scarpa scarpe'],
  ['it', 'libro libri'],
  ['pt', 'sapato sapatos'],
  ['pt', 'aviao avioes'],
  ['sv', 'lampa lampor lamporna'],
  ['sv', 'bil bilar bilarna bilen'],
  ['da', 'lampe lamper lamperne lampen'],
  ['da', 'bil biler bilerne bilen'],
];
for (const [language, forms] of inflections) {
  test(`${language}: ${forms} have one term`, (t) => {
    const { termOf } = createAnalyser(language);
    t.is(new Set(forms.split(' ').map(termOf)).size, 1);
  });
}

const porter: [string, string][] = [
  ['caresses', 'caress'],
  ['ponies', 'poni'],
  ['relational', 'relat'],
  ['conditional', 'condit'],
  ['generalizations', 'general'],
  ['hopefulness', 'hope'],
  ['sky', 'sky'],
  ['skies', 'sky'],
  ['news', 'news'],
  ['hoping', 'hope'],
  ['hopping', 'hop'],
  ['controlled', 'control'],
  ['agreed', 'agre'],
];
for (const [word, stem] of porter) {
  test(`Porter's stem of ${word} is ${stem}`, (t) => {
    t.is(createAnalyser('en').termOf(word), stem);
  });
}

test('words with digits are not stemmed', (t) => {
  t.is(createAnalyser('en').termOf('mp3s'), 'mp3s');
});

test('a language without a stemmer is folded only', (t) => {
  t.is(createAnalyser('et').termOf('talossa'), 'talossa');
});
