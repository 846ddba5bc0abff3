import test from 'ava';
import { longestLineBytes, readLines } from '../../../../src/formats/records/reading/lines.ts';
import { collectAll } from '../../../cli/support/collect.ts';

async function collect(...chunks: (string | Buffer)[]) {
  async function* stream() {
    for (const chunk of chunks) yield Buffer.from(chunk);
  }
  return await collectAll(readLines(stream()));
}

test('lines are found in any division of the bytes, with and without a last line end', async (t) => {
  const expected = [
    { line: 1, text: 'one' },
    { line: 2, text: '' },
    { line: 3, text: 'drei €' },
  ];
  const bytes = Buffer.from('one\n\ndrei €');
  t.deepEqual(await collect(bytes), expected);
  t.deepEqual(await collect(...[...bytes].map((byte) => Buffer.from([byte]))), expected);
  t.deepEqual(await collect(bytes, '\n'), expected);
});

test('a byte order mark and CR before LF are taken off', async (t) => {
  t.deepEqual(await collect('\ufeffa\r\nb\r\n'), [
    { line: 1, text: 'a' },
    { line: 2, text: 'b' },
  ]);
});

test('a line that is not UTF-8 is a fault in its place', async (t) => {
  t.deepEqual(await collect(Buffer.from([0x61, 0x0a, 0xff, 0x0a, 0x62])), [
    { line: 1, text: 'a' },
    { line: 2, text: '\ufffd', fault: 'Is not UTF-8.' },
    { line: 3, text: 'b' },
  ]);
});

test('a line that is too long is a fault, and the next one is read', async (t) => {
  const half = 'x'.repeat(longestLineBytes / 2 + 1);
  const lines = await collect(half, half, '\nb\n');
  t.deepEqual(
    lines.map(({ line, fault }) => [line, fault !== undefined]),
    [
      [1, true],
      [2, false],
    ],
  );
});
