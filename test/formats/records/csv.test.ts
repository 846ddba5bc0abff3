/** The only writer of CSV: its output is read back unchanged, and no cell is a formula. */

import test from 'ava';
import { parse } from 'csv-parse/sync';
import { csvCell, csvRow } from '../../../src/formats/records/csv.ts';

const starts = ['=', '+', '-', '@', '\t', '\r', '＝', '＋', '－', '＠', '﹦', '﹢', '﹣', '﹫'];

for (const start of starts)
  test(`a text that begins with ${JSON.stringify(start)} gets an apostrophe in front`, (t) => {
    const [[cell]] = parse(`${csvRow([`${start}1+1`])}\n`) as string[][];
    t.is(cell, `'${start}1+1`);
  });

test('spaces, quotes and unseen characters before a formula do not hide it', (t) => {
  for (const before of [' ', '  ', '"', ' "', '\u00a0', '\u200b', '\ufeff', '\n']) {
    const [[cell]] = parse(`${csvRow([`${before}=1`])}\n`) as string[][];
    t.is(cell[0], "'", JSON.stringify(before));
  }
});

test('numbers, booleans and absent values are written unchanged', (t) => {
  t.is(csvRow([-5, 0.25, 7n, true, null, undefined, '']), '-5,0.25,7,true,,,');
});

test('an ordinary text is unchanged', (t) => {
  for (const text of ['anna', 'a-b', 'x=1', 'anna@example.org', 'C++', 'Größe 42', "it's"])
    t.is(csvCell(text), text);
});

test('quotes, commas, line ends and objects are read back unchanged', (t) => {
  const values = ['a,"b"', 'two\nlines', 'semi;colon', { id: '=1', list: [1, 2] }];
  const [read] = parse(`${csvRow(values)}\n`) as string[][];
  t.deepEqual(read, ['a,"b"', 'two\nlines', 'semi;colon', '{"id":"=1","list":[1,2]}']);
});

test('no cell is a formula, for any separator of the spreadsheet', (t) => {
  const payload = 'HYPERLINK("http://evil.example")';
  for (const start of starts.filter((one) => one.trim() !== ''))
    for (const before of ['', 'x;', 'x\t', 'x,', 'x;"', 'x; ', ';', '\t']) {
      const row = csvRow(['first', `${before}${start}${payload}`, 'last']);
      for (const separator of [';', '\t'])
        for (const cell of row.split(separator))
          t.false(starts.includes(cell.replace(/^[\s"]+/, '')[0]), `${JSON.stringify(row)} by ${separator}`);
      const [read] = parse(`${row}\n`) as string[][];
      for (const cell of read) t.false(starts.includes(cell.trimStart()[0]), row);
    }
});
