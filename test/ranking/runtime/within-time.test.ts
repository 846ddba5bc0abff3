import test from 'ava';
import { orUnavailable, withinTime } from '../../../src/ranking/runtime/within-time.ts';

test('what comes in time is passed on, and nobody is told', async (t) => {
  const told: unknown[] = [];
  t.is(await withinTime(60_000, Promise.resolve(7), (failure) => told.push(failure)), 7);
  t.deepEqual(told, []);
});

test('what fails is absent, and its failure told', async (t) => {
  const told: unknown[] = [];
  const failure = new Error('gone');
  t.is(await withinTime(60_000, Promise.reject(failure), (reason) => told.push(reason)), undefined);
  t.deepEqual(told, [failure]);
});

test('what is late is absent, and told once, though it fails later', async (t) => {
  const told: unknown[] = [];
  const late = Promise.withResolvers<number>();
  t.is(await withinTime(0, late.promise, (reason) => told.push(reason)), undefined);
  late.reject(new Error('gone'));
  await t.throwsAsync(late.promise);
  t.deepEqual(told, [undefined]);
});

test('what nothing can stand in for is passed on, with its failure', async (t) => {
  t.is(await orUnavailable(60_000, Promise.resolve(7)), 7);
  await t.throwsAsync(orUnavailable(60_000, Promise.reject(new Error('gone'))), { message: 'gone' });
});

test('what nothing can stand in for is unavailable when it is late', async (t) => {
  const late = Promise.withResolvers<number>();
  const error = await t.throwsAsync(orUnavailable(0, late.promise));
  t.like(error, { reason: 'UNAVAILABLE' });
  late.reject(new Error('gone'));
  await t.throwsAsync(late.promise);
});
