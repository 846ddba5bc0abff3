import test from 'ava';
import { createRecentHistories } from '../../../src/events/histories/recent-histories.ts';
import type { History } from '../../../src/ranking/history.ts';

const reader = { environment: 'shop', deviceId: 'd1', deadlineMs: 1_000 };
const history: History = { entries: [], impressions: [], consumed: [], version: '1' };

function counted(answers: readonly (History | undefined)[]) {
  let reads = 0;
  let nowMs = 0;
  const read = createRecentHistories(
    async () => answers[Math.min(reads++, answers.length - 1)],
    () => nowMs,
  );
  return {
    read,
    pass: (ms: number) => {
      nowMs += ms;
    },
    reads: () => reads,
  };
}

test('letters typed within a second share one read', async (t) => {
  const { read, pass, reads } = counted([history]);
  for (let letter = 0; letter < 5; letter++) {
    t.is(await read(reader), history);
    pass(150);
  }
  t.is(reads(), 1);
});

test('after a second the history is read again', async (t) => {
  const { read, pass, reads } = counted([history]);
  await read(reader);
  pass(1_000);
  await read(reader);
  t.is(reads(), 2);
});

test('histories are separate by device, user and environment', async (t) => {
  const { read, reads } = counted([history]);
  await read(reader);
  await read({ ...reader, deviceId: 'd2' });
  await read({ ...reader, userId: 'u1' });
  await read({ ...reader, environment: 'media' });
  t.is(reads(), 4);
});

test('a late history is read again', async (t) => {
  const { read, reads } = counted([undefined, history]);
  t.is(await read(reader), undefined);
  t.is(await read(reader), history);
  t.is(reads(), 2);
});
