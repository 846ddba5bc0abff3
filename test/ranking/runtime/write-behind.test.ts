import test from 'ava';
import { DomainError } from '../../../src/errors.ts';
import { createWriteBehind, type WriteBehindOptions } from '../../../src/ranking/runtime/write-behind.ts';
import { silentLogger } from '../../support/database.ts';

type Entry = { id: number; bytes: number };

const away = () => new DomainError('UNAVAILABLE', 'The database is away.');

function createBuffer(
  options: Partial<WriteBehindOptions<Entry>> & Pick<WriteBehindOptions<Entry>, 'write'>,
) {
  return createWriteBehind<Entry>({
    name: 'numbers',
    bytesOf: ({ bytes }) => bytes,
    most: { entries: 1_000, bytes: 1_000_000 },
    part: { entries: 8, bytes: 1_000 },
    isPassing: (error) => error instanceof DomainError,
    pauseMs: 1,
    stopMs: 50,
    logger: silentLogger,
    ...options,
  });
}

const fill = (buffer: ReturnType<typeof createBuffer>, count: number, bytes = 1) => {
  for (let id = 0; id < count; id++) buffer.add(String(id), { id, bytes });
};

const idsOf = (entries: readonly Entry[]) => entries.map(({ id }) => id);

test('entries are written in their order, in parts of bounded number and bytes', async (t) => {
  const parts: number[][] = [];
  const buffer = createBuffer({ write: async (entries) => void parts.push(idsOf(entries)) });
  fill(buffer, 20);
  buffer.add('large', { id: 100, bytes: 5_000 });
  buffer.add('after', { id: 101, bytes: 600 });
  buffer.add('last', { id: 102, bytes: 600 });
  await buffer.flush();
  t.deepEqual(
    parts.map((ids) => ids.length),
    [8, 8, 4, 1, 1, 1],
  );
  t.deepEqual(parts.flat(), [...Array(20).keys(), 100, 101, 102]);
  t.is(buffer.waitingCount, 0);
});

test('a refused part is halved until all but the faulty entry are written', async (t) => {
  const written: number[] = [];
  const sizes: number[] = [];
  const buffer = createBuffer({
    async write(entries) {
      sizes.push(entries.length);
      if (entries.some(({ id }) => id === 5)) throw new Error('refused');
      written.push(...idsOf(entries));
    },
  });
  fill(buffer, 30);
  await buffer.flush();
  t.deepEqual(
    written.toSorted((a, b) => a - b),
    [...Array(30).keys()].filter((id) => id !== 5),
  );
  t.is(new Set(written).size, written.length);
  t.is(buffer.droppedCount, 1);
  t.is(buffer.waitingCount, 0);
  t.is(sizes.at(0), 8);
});

test('parts stay small while the database refuses larger ones, and no entry is lost', async (t) => {
  const written: number[] = [];
  let refusals = 0;
  const buffer = createBuffer({
    part: { entries: 256, bytes: 1_000_000 },
    async write(entries) {
      if (entries.length > 10) {
        refusals += 1;
        throw new Error('canceling statement due to statement timeout');
      }
      written.push(...idsOf(entries));
    },
  });
  fill(buffer, 500);
  await buffer.flush();
  t.deepEqual(written, [...Array(500).keys()]);
  t.true(refusals < 100);
  t.is(buffer.droppedCount, 0);
});

test('a part with an unknown outcome is sent again unchanged, with its number', async (t) => {
  const tries: [number, number[]][] = [];
  let isAway = true;
  const buffer = createBuffer({
    async write(entries, number) {
      tries.push([number, idsOf(entries)]);
      if (isAway) throw away();
    },
  });
  fill(buffer, 2);
  await t.throwsAsync(buffer.flush(), { message: /away/ });
  buffer.add('more', { id: 9, bytes: 1 });
  isAway = false;
  await buffer.flush();
  t.deepEqual(tries, [
    [1, [0, 1]],
    [1, [0, 1]],
    [2, [9]],
  ]);
});

test('entries beyond the bounds are dropped and counted, also while others are being written', async (t) => {
  let release = () => {};
  const sent = new Promise<void>((resolve) => {
    release = resolve;
  });
  const buffer = createBuffer({ most: { entries: 3, bytes: 100 }, write: () => sent });
  fill(buffer, 2);
  const flushing = buffer.flush();
  await new Promise(setImmediate);
  t.true(buffer.add('c', { id: 3, bytes: 1 }));
  t.false(buffer.add('d', { id: 4, bytes: 1 }));
  t.is(buffer.droppedCount, 1);
  release();
  await flushing;
  t.false(buffer.add('e', { id: 5, bytes: 100 }));
  t.true(buffer.add('f', { id: 6, bytes: 99 }));
});

test('removed entries are not written, nor sent again', async (t) => {
  const tries: number[][] = [];
  let isAway = true;
  const buffer = createBuffer({
    async write(entries) {
      tries.push(idsOf(entries));
      if (isAway) throw away();
    },
  });
  fill(buffer, 12);
  await t.throwsAsync(buffer.flush());
  buffer.add('x', { id: 20, bytes: 1 });
  buffer.remove(({ id }) => id % 2 === 0);
  t.is(buffer.waitingCount, 6);
  isAway = false;
  await buffer.flush();
  t.deepEqual(tries.slice(1).flat(), [1, 3, 5, 7, 9, 11]);
  t.is(buffer.waitingCount, 0);
});

test('callers during a flush share the next one', async (t) => {
  let writes = 0;
  const buffer = createBuffer({
    async write() {
      writes += 1;
    },
  });
  fill(buffer, 1);
  const first = buffer.flush();
  const others = Array.from({ length: 50 }, () => buffer.flush());
  t.is(new Set([first, ...others]).size, 1);
  await first;
  t.is(writes, 1);
});

test('a stop writes waiting entries, and does not wait for a database that never answers', async (t) => {
  const written: number[] = [];
  const answering = createBuffer({ write: async (entries) => void written.push(...idsOf(entries)) });
  fill(answering, 3);
  await answering.stop();
  t.deepEqual(written, [0, 1, 2]);
  const lost: object[] = [];
  const logger = { ...silentLogger, warn: (facts: object) => void lost.push(facts) };
  const silent = createBuffer({ write: () => new Promise(() => undefined), logger: logger as never });
  fill(silent, 3);
  await silent.stop();
  t.deepEqual(lost, [{ lost: 3 }]);
});
