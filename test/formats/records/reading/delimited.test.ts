import test from 'ava';
import { readDelimited } from '../../../../src/formats/records/reading/delimited.ts';
import { longestLineBytes, readLines } from '../../../../src/formats/records/reading/lines.ts';
import { collectAll } from '../../../cli/support/collect.ts';

async function collect(text: string | Buffer, delimiter = ',') {
  async function* stream() {
    yield Buffer.from(text);
  }
  return await collectAll(readDelimited(readLines(stream()), delimiter));
}

const rows: [title: string, text: string, expected: [line: number, ...fields: string[]][]][] = [
  [
    'fields',
    'a,b\n1,2\n',
    [
      [1, 'a', 'b'],
      [2, '1', '2'],
    ],
  ],
  ['quoted delimiters and doubled quotes', '"a,b","say ""x"""\n', [[1, 'a,b', 'say "x"']]],
  [
    'line ends in quotes',
    '"a\n\nb",c\nd,e\n',
    [
      [1, 'a\n\nb', 'c'],
      [4, 'd', 'e'],
    ],
  ],
  [
    'a quote inside an unquoted field',
    '12" pizza,1\nx,2\n',
    [
      [1, '12" pizza', '1'],
      [2, 'x', '2'],
    ],
  ],
  [
    'text behind a closing quote',
    '"q"z,1\nx,2\n',
    [
      [1, '"q"z', '1'],
      [2, 'x', '2'],
    ],
  ],
  [
    'empty lines between records',
    'a,b\n\n\n1,2\n',
    [
      [1, 'a', 'b'],
      [4, '1', '2'],
    ],
  ],
  ['empty fields', ',\n', [[1, '', '']]],
];

for (const [title, text, expected] of rows) {
  test(`CSV is read with ${title}`, async (t) => {
    const records = await collect(text);
    t.deepEqual(
      records.map((record) => [record.line, ...(record.fault === undefined ? record.fields : [])]),
      expected,
    );
  });
}

test('tabs separate as well', async (t) => {
  t.deepEqual(await collect('a,b\tc\n', '\t'), [{ line: 1, text: 'a,b\tc', fields: ['a,b', 'c'] }]);
});

test('a quote that is never closed costs its own record only up to the longest length', async (t) => {
  const rest = `${'y'.repeat(1_000)}\n`.repeat(longestLineBytes / 1_000 + 2);
  const records = await collect(`a,"open\n${rest}`);
  t.deepEqual([records[0].line, records[0].fault !== undefined], [1, true]);
  t.true(records.length > 1 && records.at(-1)!.fault === undefined);
});

test('records around one that is not UTF-8 are kept', async (t) => {
  const text = Buffer.concat([Buffer.from('a,1\n'), Buffer.from([0xff, 0x0a]), Buffer.from('b,2\n')]);
  t.deepEqual(await collect(text), [
    { line: 1, text: 'a,1', fields: ['a', '1'] },
    { line: 2, text: '\ufffd', fields: [], fault: 'Is not UTF-8.' },
    { line: 3, text: 'b,2', fields: ['b', '2'] },
  ]);
});
