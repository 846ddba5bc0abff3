import test from 'ava';
import { orUnavailable, withinTime } from '../../../src/ranking/runtime/within-time.ts';

test('a value in time is returned, without a call of onMissing', async (t) => {
  const told: unknown[] = [];
  t.is(await withinTime(60_000, Promise.resolve(7), (failure) => told.push(failure)), 7);
  t.deepEqual(told, []);
});

test('a failed promise gives undefined, and onMissing gets the failure', async (t) => {
  const told: unknown[] = [];
  const failure = new Error('gone');
  t.is(await withinTime(60_000, Promise.reject(failure), (reason) => told.push(reason)), undefined);
  t.deepEqual(told, [failure]);
});

test('a late promise gives undefined, and onMissing is called once even if it fails later', async (t) => {
  const told: unknown[] = [];
  const late = Promise.withResolvers<number>();
  t.is(await withinTime(0, late.promise, (reason) => told.push(reason)), undefined);
  late.reject(new Error('gone'));
  await t.throwsAsync(late.promise);
  t.deepEqual(told, [undefined]);
});

test('orUnavailable passes on values and failures', async (t) => {
  t.is(await orUnavailable(60_000, Promise.resolve(7)), 7);
  await t.throwsAsync(orUnavailable(60_000, Promise.reject(new Error('gone'))), { message: 'gone' });
});

test('orUnavailable throws UNAVAILABLE when the promise is late', async (t) => {
  const late = Promise.withResolvers<number>();
  const error = await t.throwsAsync(orUnavailable(0, late.promise));
  t.like(error, { reason: 'UNAVAILABLE' });
  late.reject(new Error('gone'));
  await t.throwsAsync(late.promise);
});
