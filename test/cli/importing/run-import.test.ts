import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { PersonalisationError } from '../../../clients/node/src/errors.ts';
import { ImportStopped } from '../../../src/cli/importing/run-import.ts';
import type { OutgoingRecord } from '../../../src/formats/records/batches.ts';
import { acceptAll, type OnBatch } from '../support/fake-service.ts';
import { importInto, itemLines, writeInput } from '../support/import-run.ts';

/** Answers like a service and records the batches. */
function recording(answer: OnBatch = acceptAll) {
  const batches: OutgoingRecord[][] = [];
  const onBatch: OnBatch = (records) => {
    batches.push(records);
    return answer(records);
  };
  return { batches, onBatch, lines: () => batches.flat().map(({ line }) => line) };
}

test('every record is sent once, in batches, and no file remains beside the input', async (t) => {
  const path = await writeInput(t, 'items.ndjson.gz', gzipSync(itemLines(4_500)));
  const { onBatch, batches, lines } = recording();
  const summary = await importInto(t, { path, onBatch });
  t.like(summary, { accepted: 4_500, refused: 0, sentNow: 4_500 });
  t.deepEqual(
    batches.map(({ length }) => length),
    [2_000, 2_000, 500],
  );
  t.deepEqual(lines().at(-1), 4_500);
  t.false(existsSync(`${path}.import.json`) || existsSync(`${path}.refused.ndjson`));
});

test('lines refused by the service or unreadable in the file are reported in order', async (t) => {
  const content = Buffer.concat([
    Buffer.from('{"item_id":"a"}\nno json\n[1]\n\n{"item_id":"b","_enabled":"x"}\n'),
    Buffer.from([0xff, 0x0a]),
    Buffer.from('{"item_id":"c"}\n'),
  ]);
  const path = await writeInput(t, 'items.ndjson', content);
  const refuseFirst: OnBatch = (records) => ({
    acceptedCount: records.length - 1,
    refused: [
      { line: BigInt(records[0].line), details: [{ pointer: '/item_type', detail: 'Is required.' }] },
    ],
  });
  const summary = await importInto(t, { path, onBatch: refuseFirst });
  t.like(summary, { accepted: 1, refused: 5 });
  const report = (await readFile(summary.reportPath, 'utf8')).trim().split('\n');
  t.deepEqual(
    report.map((text) => {
      const { line, errors } = JSON.parse(text);
      return [line, errors[0].pointer, errors[0].detail];
    }),
    [
      [1, '/item_type', 'Is required.'],
      [2, '', 'Is not JSON.'],
      [3, '', 'Is not a JSON object.'],
      [5, '/_enabled', 'Must be true or false.'],
      [6, '', 'Is not UTF-8.'],
    ],
  );
});

test('the status of an item is sent with it, and a missing item type is filled in', async (t) => {
  const path = await writeInput(
    t,
    'items.ndjson',
    '{"item_id":"a","_enabled":false}\n{"item_id":"b","item_type":"x"}\n',
  );
  const { onBatch, batches } = recording();
  await importInto(t, { path, onBatch, itemType: 'film' });
  t.deepEqual(
    batches[0].map(({ json, enabled }) => [JSON.parse(json), enabled]),
    [
      [{ item_id: 'a', item_type: 'film' }, false],
      [{ item_id: 'b', item_type: 'x' }, undefined],
    ],
  );
});

test('an import with a lost connection continues after the last acknowledged batch', async (t) => {
  const content = `${itemLines(2_999)}broken\n${itemLines(5_000)}`;
  const path = await writeInput(t, 'items.ndjson', content);
  const first = recording(() => (first.batches.length > 2 ? 'break' : acceptAll(first.batches.at(-1)!)));
  const stop = await t.throwsAsync(importInto(t, { path, onBatch: first.onBatch }), {
    instanceOf: ImportStopped,
  });
  t.is((stop as ImportStopped).progress.line, 4_001);
  t.true(existsSync(`${path}.import.json`));
  const second = recording();
  const notes: string[] = [];
  const summary = await importInto(t, { path, onBatch: second.onBatch, notes });
  t.is(second.lines()[0], 4_002);
  t.like(summary, { accepted: 7_999, refused: 1, sentNow: 3_999 });
  t.regex(notes.join(), /after line 4001/);
  t.is((await readFile(`${path}.refused.ndjson`, 'utf8')).trim().split('\n').length, 1);
  t.false(existsSync(`${path}.import.json`));
});

test('the report has one line for a refused line when its batch is sent again', async (t) => {
  const path = await writeInput(t, 'items.ndjson', `broken\n${itemLines(2_500)}broken\n`);
  const first = recording(() => (first.batches.length > 1 ? 'break' : acceptAll(first.batches[0])));
  await t.throwsAsync(importInto(t, { path, onBatch: first.onBatch }));
  const report = `${path}.refused.ndjson`;
  await writeFile(report, `${await readFile(report, 'utf8')}{"line":2502,"errors":[]}\n`);
  await importInto(t, { path, onBatch: acceptAll });
  const lines = (await readFile(report, 'utf8')).trim().split('\n');
  t.deepEqual(
    lines.map((text) => JSON.parse(text).line),
    [1, 2_502],
  );
});

test('an import of a file that has changed since starts at the first line', async (t) => {
  const path = await writeInput(t, 'items.ndjson', itemLines(3_000));
  const first = recording(() => (first.batches.length > 1 ? 'break' : acceptAll(first.batches[0])));
  await t.throwsAsync(importInto(t, { path, onBatch: first.onBatch }));
  await writeFile(path, itemLines(3_001));
  const { onBatch, lines } = recording();
  await importInto(t, { path, onBatch });
  t.deepEqual([lines()[0], lines().length], [1, 3_001]);
});

test('an import with `resume: false` starts at the first line', async (t) => {
  const path = await writeInput(t, 'items.ndjson', itemLines(3_000));
  const first = recording(() => (first.batches.length > 1 ? 'break' : acceptAll(first.batches[0])));
  await t.throwsAsync(importInto(t, { path, onBatch: first.onBatch }));
  const { onBatch, lines } = recording();
  await importInto(t, { path, onBatch, resume: false });
  t.is(lines()[0], 1);
});

test('an interrupted import stops at once and can continue', async (t) => {
  const path = await writeInput(t, 'items.ndjson', itemLines(9_000));
  const interruption = new AbortController();
  const { onBatch, batches } = recording((records) => {
    if (batches.length < 3) return acceptAll(records);
    interruption.abort();
    return new Promise(() => {});
  });
  await t.throwsAsync(importInto(t, { path, onBatch, signal: interruption.signal }), {
    instanceOf: ImportStopped,
  });
  const again = recording();
  const summary = await importInto(t, { path, onBatch: again.onBatch });
  t.is(summary.accepted, 9_000);
  t.true(again.lines()[0] <= 4_001);
});

test('at most four batches are unanswered', async (t) => {
  const path = await writeInput(t, 'items.ndjson', itemLines(40_000));
  let received = 0;
  let answered = 0;
  let most = 0;
  const onBatch: OnBatch = async (records) => {
    received += 1;
    most = Math.max(most, received - answered);
    await new Promise((resolve) => setImmediate(resolve));
    answered += 1;
    return acceptAll(records);
  };
  await importInto(t, { path, onBatch });
  t.is(received, 20);
  t.true(most <= 4);
});

test('events of the same file get the same IDs each time, and keep their own', async (t) => {
  const content = '{"event_type":"purchase"}\n{"event_type":"purchase","event_id":"mine"}\n';
  const path = await writeInput(t, 'events.ndjson', content);
  const ids = async () => {
    const { onBatch, batches } = recording();
    await importInto(t, { path, onBatch, kind: 'events' });
    return batches.flat().map(({ json }) => JSON.parse(json).event_id);
  };
  const [first, second] = await ids();
  t.regex(first, /^import:[0-9a-f]{32}:1$/);
  t.is(second, 'mine');
  t.deepEqual(await ids(), [first, second]);
});

test('CSV goes through the mapping, and rows of the wrong width are refused', async (t) => {
  const path = await writeInput(t, 'items.csv', 'id,genres\n1,a|b\n2\n3,(none)\n');
  const mappingPath = join(dirname(path), 'mapping.yaml');
  await writeFile(
    mappingPath,
    'items:\n  item_id: id\n  tags: { column: genres, split: "|" }\nskip_when: { column: genres, is: (none) }\n',
  );
  const { onBatch, batches } = recording();
  const summary = await importInto(t, { path, onBatch, mappingPath });
  t.like(summary, { accepted: 1, refused: 1, skipped: 1 });
  t.deepEqual(JSON.parse(batches[0][0].json), { item_id: '1', tags: ['a', 'b'] });
});

test('an error in the mapping stops the import before any data is sent or written', async (t) => {
  const path = await writeInput(t, 'items.csv', 'id\n1\n');
  const mappingPath = join(dirname(path), 'mapping.yaml');
  await writeFile(mappingPath, 'items:\n  item_id: nr\n');
  const { onBatch, batches } = recording();
  await t.throwsAsync(importInto(t, { path, onBatch, mappingPath }), {
    message: /mapping\.yaml:2: items\.item_id/,
  });
  t.is(batches.length, 0);
  t.false(existsSync(`${path}.import.json`));
});

test('a gzip file that is cut off fails instead of ending early', async (t) => {
  const whole = gzipSync(itemLines(20_000));
  const path = await writeInput(t, 'items.ndjson.gz', whole.subarray(0, whole.length / 2));
  const stop = await t.throwsAsync(importInto(t, { path, onBatch: acceptAll }), {
    instanceOf: ImportStopped,
  });
  t.regex((stop!.cause as Error).message, /not a whole gzip file/);
});

test('an import without an answer stops, and can continue', async (t) => {
  const path = await writeInput(t, 'items.ndjson', itemLines(3));
  const stop = await t.throwsAsync(
    importInto(t, { path, onBatch: () => new Promise(() => {}), answerTimeoutMs: 50 }),
    { instanceOf: ImportStopped },
  );
  t.regex((stop!.cause as Error).message, /^The service has not answered/);
  t.like(await importInto(t, { path, onBatch: acceptAll }), { accepted: 3 });
});

test('refused lines are written as they were sent, with their reasons, and can be imported again', async (t) => {
  const lines = ['item_id;title', '1;"a\nb"', '2', '3;x', ';"open'];
  const path = await writeInput(t, 'items.csv', lines.join('\n'));
  const rejectedPath = `${path}.rejected.csv`;
  const details = [
    { pointer: '/title', detail: 'Must be one of "a", "b".' },
    { pointer: '/tags', detail: '=Bad' },
  ];
  const refuseFirst: OnBatch = (records) => ({
    acceptedCount: records.length - 1,
    refused: [{ line: BigInt(records[0].line), details }],
  });
  const summary = await importInto(t, { path, onBatch: refuseFirst, rejectedPath });
  const written = await readFile(rejectedPath, 'utf8');
  t.is(
    written,
    [
      '_rejected;item_id;title',
      '"title: Must be one of ""a"", ""b"". tags: =Bad";1;"a\nb"',
      '"Has 1 columns where the header has 2.";2',
      '"Has a quoted field that is not closed.";;"open',
      '',
    ].join('\n'),
  );
  t.deepEqual(
    summary.reasons.map(({ detail, count, firstLine }) => [detail, count, firstLine]),
    [
      ['Must be one of "…", "…".', 1, 2],
      ['=Bad', 1, 2],
      ['Has 1 columns where the header has 2.', 1, 4],
      ['Has a quoted field that is not closed.', 1, 6],
    ],
  );
  const { onBatch, batches } = recording();
  await writeFile(path, written.split('\n').slice(0, 3).join('\n'));
  await importInto(t, { path, onBatch });
  t.deepEqual(
    batches.flat().map(({ json }) => JSON.parse(json)),
    [{ item_id: '1', title: 'a\nb' }],
  );
});

test('refused JSON has its reasons in a property that an import ignores', async (t) => {
  const path = await writeInput(t, 'items.ndjson', '{"item_id":"1"}\n{}\nno json\n');
  const rejectedPath = `${path}.rejected.ndjson`;
  const onBatch: OnBatch = (records) => ({
    acceptedCount: 0,
    refused: records.map(({ line }) => ({ line: BigInt(line), details: [{ pointer: '', detail: 'No.' }] })),
  });
  await importInto(t, { path, onBatch, rejectedPath });
  t.is(
    await readFile(rejectedPath, 'utf8'),
    '{"_rejected":"No.","item_id":"1"}\n{"_rejected":"No."}\n{"_rejected":"Is not JSON.","text":"no json"}\n',
  );
  const again = recording();
  await importInto(t, { path: rejectedPath, onBatch: again.onBatch });
  t.is(again.batches[0][0].json, '{"item_id":"1"}');
});

test('a line of several records that is cut between batches is sent again as a whole', async (t) => {
  const row = (id: number) =>
    JSON.stringify({ v: Array.from({ length: 1_500 }, (_, i) => ({ id: `${id}-${i}` })) });
  const path = await writeInput(t, 'items.ndjson', `${row(1)}\n${row(2)}\n`);
  const mappingPath = join(dirname(path), 'mapping.yaml');
  await writeFile(mappingPath, 'for_each: v\nitems: { item_id: v.id }\n');
  const first = recording(() => (first.batches.length > 1 ? 'break' : acceptAll(first.batches[0])));
  await t.throwsAsync(importInto(t, { path, onBatch: first.onBatch, mappingPath }));
  const { onBatch, batches } = recording();
  await importInto(t, { path, onBatch, mappingPath });
  t.is(JSON.parse(batches[0][0].json).item_id, '2-0');
});

test('a plain table is text only if the caller may not read the declared types', async (t) => {
  const path = await writeInput(t, 'items.csv', 'item_id,price\na,12.5\n');
  const price = async (readDeclared: () => Promise<{ propertyTypes: Map<string, string> }>) => {
    const { onBatch, batches } = recording();
    await importInto(t, { path, onBatch, readDeclared });
    return JSON.parse(batches[0][0].json).price;
  };
  const failing = (reason: 'SCOPE_MISSING' | 'UNAVAILABLE') => async () => {
    throw new PersonalisationError(reason, reason);
  };
  t.is(await price(async () => ({ propertyTypes: new Map([['price', 'number']]) })), 12.5);
  t.is(await price(failing('SCOPE_MISSING')), '12.5');
  await t.throwsAsync(price(failing('UNAVAILABLE')), { message: 'UNAVAILABLE' });
});
