import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import { type DatasetFiles, loadDataset } from '../../../src/jobs/evaluation/load-dataset.ts';

const folder = mkdtempSync(join(tmpdir(), 'evaluation-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(text) : text);
  return path;
};

/** `item@time` of each event, by subject and time. */
const load = async (files: DatasetFiles) => {
  const dataset = await loadDataset(files);
  const { item, timeSeconds, subjectOffsets } = dataset.interactions;
  const events = Array.from(item, (local, event) => `${dataset.itemIds[local]}@${timeSeconds[event]}`);
  return { dataset, events, subjectOffsets: [...subjectOffsets] };
};

test('MovieLens ratings are read with their films', async (t) => {
  const path = write('ratings.csv', 'userId,movieId,rating,timestamp\n1,10,4.0,100\n1,11,0.5,50\n2,10,3,7\n');
  write('movies.csv', 'movieId,title,genres\n10,"Heat, The (1995)",Action|Crime\n99,Unseen,Drama\n');
  const { dataset, events, subjectOffsets } = await load({ kind: 'movielens', path });
  t.deepEqual(events, ['11@50', '10@100', '10@7']);
  t.deepEqual(subjectOffsets, [0, 2, 3]);
  t.deepEqual([...dataset.features!.offsets].slice(-1), [4]);
});

test('lines of items are events without time, packed or not', async (t) => {
  const path = write('train.txt.gz', '0 5 6\n1 5\n');
  const testPath = write('test.txt', '0 7\n');
  const { dataset, events } = await load({ kind: 'item-lists', path, testPath });
  t.deepEqual(events, ['5@0', '6@0', '7@1', '5@0']);
  t.is(dataset.testFromSeconds, 1);
});

test('sessions of the test file are separate from those with the same number, and later', async (t) => {
  const path = write('sessions.txt', 'SessionId\tItemId\tTime\n1\ta\t10.0\n1\tb\t11.0\n');
  const testPath = write('later.txt', 'SessionId\tItemId\tTime\n1\tc\t9.0\n1\td\t11.0\n');
  const { dataset, events, subjectOffsets } = await load({ kind: 'sessions', path, testPath });
  t.deepEqual(events, ['a@10', 'b@11', 'c@12', 'd@14']);
  t.deepEqual(subjectOffsets, [0, 2, 4]);
  t.is(dataset.testFromSeconds, 12);
});

test('a table is read by the names of its columns, with weights by type', async (t) => {
  const path = write(
    'log.csv',
    'when,what,who,"which"\n2020-01-01T00:00:01Z,LIKE,u,"a,1"\n1577836802000,SKIP,u,b\n',
  );
  const columns = { subject: 'who', item: 'which', time: 'when', eventType: 'what' };
  const { dataset, events } = await load({ kind: 'columns', path, columns, eventWeights: { LIKE: 2 } });
  t.deepEqual(events, ['a,1@1577836801']);
  t.deepEqual([...dataset.interactions.weight], [2]);
});

test('all delimiters of spreadsheets are supported', async (t) => {
  const columns = { subject: 'who', item: 'what', time: 'when' };
  for (const [name, separator] of [
    ['semicolons.csv', ';'],
    ['bars.txt', '|'],
    ['tabs.tsv', '\t'],
  ]) {
    const lines = [
      ['who', 'what', 'when'],
      ['u', 'a,b', '7'],
    ].map((fields) => fields.join(separator));
    const { events } = await load({ kind: 'columns', path: write(name, lines.join('\r\n')), columns });
    t.deepEqual(events, ['a,b@7'], name);
  }
});

test('exported events are read like those of the service', async (t) => {
  const lines = [
    { event_type: 'purchase', timestamp: '1970-01-01T00:00:05Z', user_id: 'u', action_item: 'a' },
    { event_type: 'purchase', timestamp: 6, device_id: 'u', action_item: 'b' },
    { event_type: 'impression', timestamp: '1970-01-01T00:00:07Z', device_id: 'u', action_item: 'b' },
    { event_type: 'detail_pageview', timestamp: '1970-01-01T00:00:08Z', device_id: 'u' },
  ];
  const path = write('events.ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));
  const { events, subjectOffsets } = await load({ kind: 'events', path });
  t.deepEqual(events, ['a@5', 'b@6']);
  t.deepEqual(subjectOffsets, [0, 1, 2]);
});

test('a missing column, an invalid time and a file without evidence are reported', async (t) => {
  const path = write('few.csv', 'who,which,when\nu,a,yesterday\n');
  const columns = { subject: 'who', item: 'which' };
  const tell = async (files: DatasetFiles) => (await t.throwsAsync(loadDataset(files))).message;
  t.regex(await tell({ kind: 'columns', path, columns: { ...columns, item: 'what' } }), /no column what/);
  t.regex(
    await tell({ kind: 'columns', path, columns: { ...columns, time: 'when' } }),
    /"yesterday" is not a time/,
  );
  t.regex(await tell({ kind: 'columns', path, columns, eventWeights: {} }), /no events/);
  t.regex(await tell({ kind: 'item-lists', path: join(folder, 'absent.txt.gz') }), /ENOENT/);
});

test('an unreadable row is reported by file and line', async (t) => {
  const tell = async (files: DatasetFiles) => (await t.throwsAsync(loadDataset(files))).message;
  const columns = { subject: 'who', item: 'which' };
  const short = write('short.csv', 'who,which\nu,a\n\nu\n');
  t.is(await tell({ kind: 'columns', path: short, columns }), `${short}, line 4: which is missing.`);
  const broken = write('broken.ndjson', '{"event_type":"purchase","action_item":"a","timestamp":"soon"}\n');
  t.is(await tell({ kind: 'events', path: broken }), `${broken}, line 1: "soon" is not a time.`);
  const untimed = write('untimed.ndjson', '{"event_type":"purchase","action_item":"a"}\n');
  t.regex(await tell({ kind: 'events', path: untimed }), /line 1: an event needs/);
  const cut = write('cut.ndjson.gz', '{"event_type":');
  t.regex(await tell({ kind: 'events', path: cut }), /cut.ndjson.gz, line 1: /);
});
