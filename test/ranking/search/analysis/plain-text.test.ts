/** Plain text of HTML: a row per text, with its words. */
import test from 'ava';
import { plainText } from '../../../../src/ranking/search/analysis/plain-text.ts';
import { createWorld } from '../support/world.ts';

const rows: [html: string, words: string][] = [
  ['<table class="wide"><tr><td>Width</td><td>90 cm</td></tr></table>', 'Width 90 cm'],
  ['<p>Made of <b>O</b>ak<br/>and steel</p>', 'Made of Oak and steel'],
  ['<script type="text/javascript">let table = "<p>";</script>Chair<style>p { color: red }</style>', 'Chair'],
  ['<!-- table -->Chair <img alt="a > b" src=x.png>', 'Chair'],
  ['M&auml;ntel &amp; H&uuml;te &#8211; 5&nbsp;&euro; &#x41;', 'Mäntel & Hüte – 5 € A'],
  ['width < 90 and height > 20, I <3 oak, a<b', 'width < 90 and height > 20, I <3 oak, a<b'],
  ['AT&T & R&D; &unknown;', 'AT&T & R&D;'],
  ['<script>never closed', ''],
  [`${'<a "'.repeat(50_000)}chair`, `${'<a "'.repeat(50_000)}chair`],
];

for (const [html, words] of rows)
  test(`"${html.slice(0, 50)}" reads "${words.slice(0, 50)}"`, (t) => {
    t.is(plainText(html).normalize().replace(/\s+/g, ' ').trim(), words);
  });

test('tags and attributes find nothing, the words beside them do', (t) => {
  const world = createWorld([
    { id: 'chair', title: 'Oak chair', description: rows[0][0] },
    { id: 'table', title: 'Coffee table' },
  ]);
  t.deepEqual(world.find('table'), ['table']);
  t.deepEqual(world.find('width'), ['chair']);
});
