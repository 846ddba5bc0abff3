import test from 'ava';
import { readLines } from '../../../../src/formats/records/reading/lines.ts';
import { readDelimitedRows } from '../../../../src/formats/records/reading/rows.ts';
import { collectAll } from '../../../cli/support/collect.ts';

async function rowsOf(text: string, delimiter?: string, notes: string[] = []) {
  async function* stream() {
    yield Buffer.from(text);
  }
  const { columns, rows } = await readDelimitedRows(readLines(stream()), delimiter, (note) =>
    notes.push(note),
  );
  const read = await collectAll(rows as AsyncGenerator<{ line: number; row?: object }>);
  return { columns, rows: read.map(({ line, row }) => [line, { ...row }]) };
}

for (const [name, separator] of [
  ['commas', ','],
  ['semicolons', ';'],
  ['tabs', '\t'],
  ['bars', '|'],
]) {
  test(`a header with ${name} determines the separator`, async (t) => {
    const other = separator === ',' ? ';' : ',';
    const text = [
      ['sku', `"name${other}${other}${other} brand"`, 'price'],
      ['1', `"Sofa${separator} red"`, `12${other}90`],
    ];
    t.deepEqual(await rowsOf(`\ufeff\r\n${text.map((fields) => fields.join(separator)).join('\r\n')}\r\n`), {
      columns: ['sku', `name${other}${other}${other} brand`, 'price'],
      rows: [
        [
          3,
          { sku: '1', [`name${other}${other}${other} brand`]: `Sofa${separator} red`, price: `12${other}90` },
        ],
      ],
    });
  });
}

test('bars in the name of a column are no separators', async (t) => {
  const { columns } = await rowsOf('sku,tags (a|b|c|d),price\n1,a|b,2\n');
  t.deepEqual(columns, ['sku', 'tags (a|b|c|d)', 'price']);
});

test('a given separator takes precedence over the header', async (t) => {
  t.deepEqual(await rowsOf('a;b,c\n1;2,3\n', ','), {
    columns: ['a;b', 'c'],
    rows: [[2, { 'a;b': '1;2', c: '3' }]],
  });
});

test('a first line sep=; names the separator', async (t) => {
  t.deepEqual(await rowsOf('\ufeffsep=;\r\na;b,c\r\n1;2\r\n'), {
    columns: ['a', 'b,c'],
    rows: [[3, { a: '1', 'b,c': '2' }]],
  });
});

test('repeated columns get names of their own, and blank ones none', async (t) => {
  const notes: string[] = [];
  const { columns, rows } = await rowsOf('tag, ,tag,tag (2),tag\n1,2,3,4,5\n', undefined, notes);
  t.deepEqual(columns, ['tag', '', 'tag (3)', 'tag (2)', 'tag (4)']);
  t.deepEqual(rows, [[2, { tag: '1', 'tag (3)': '3', 'tag (2)': '4', 'tag (4)': '5' }]]);
  t.is(notes.length, 2);
});

test('empty cells behind the last column and rows without values are passed over', async (t) => {
  const { rows } = await rowsOf('a,b\n1,2,,\n , \n3,4,5\n');
  t.deepEqual(rows, [
    [2, { a: '1', b: '2' }],
    [4, {}],
  ]);
});

test('a file without a header is an error', async (t) => {
  await t.throwsAsync(rowsOf('\n\n'), { message: /^The file is empty/ });
});

test('the input is closed even if no row is read', async (t) => {
  let isClosed = false;
  async function* lines() {
    try {
      yield { line: 1, text: 'a;b' };
      yield { line: 2, text: '1;2' };
    } finally {
      isClosed = true;
    }
  }
  const { rows } = await readDelimitedRows(lines(), undefined, () => {});
  for await (const { line } of rows) {
    t.is(line, 2);
    break;
  }
  t.true(isClosed);
});
