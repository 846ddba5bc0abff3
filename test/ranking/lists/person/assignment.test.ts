import test from 'ava';
import { assign, type Share } from '../../../../src/ranking/lists/person/assignment.ts';

const devices = Array.from({ length: 20_000 }, (_, i) => `device ${i}`);

const split = (...shares: number[]): Share[] => shares.map((share, i) => ({ name: `g${i}`, share }));

const assigned = (choices: Share[], salt = 's') =>
  devices.map((device) => assign(choices, salt, device)!.name);

const shareOf = (names: string[], name: string) => names.filter((one) => one === name).length / names.length;

test('no choice gives undefined, and a single choice is always taken', (t) => {
  t.is(assign([], 's', 'd'), undefined);
  t.is(assign(split(0), 's', 'd')?.name, 'g0');
});

test('the assignment of a device is stable', (t) => {
  t.deepEqual(assigned(split(1, 2, 3)), assigned(split(1, 2, 3)));
});

test('groups get their shares relative to the sum', (t) => {
  for (const shares of [
    [60, 30, 10],
    [6, 3, 1],
  ]) {
    const names = assigned(split(...shares));
    t.true(Math.abs(shareOf(names, 'g0') - 0.6) < 0.02);
    t.true(Math.abs(shareOf(names, 'g1') - 0.3) < 0.02);
    t.true(Math.abs(shareOf(names, 'g2') - 0.1) < 0.02);
  }
});

test('a share of 0 gets no device', (t) => {
  t.is(shareOf(assigned(split(0, 1, 0)), 'g1'), 1);
});

test('when a share grows, only the necessary devices move, and only into its group', (t) => {
  const before = assigned(split(50, 50));
  const after = assigned(split(50, 75));
  const moved = before.filter((name, i) => name !== after[i]);
  t.true(before.every((name, i) => name === after[i] || after[i] === 'g1'));
  t.true(Math.abs(moved.length / devices.length - 0.1) < 0.02);
});

test('salts are independent', (t) => {
  const [one, other] = [assigned(split(1, 1), 'a'), assigned(split(1, 1), 'b')];
  const same = one.filter((name, i) => name === other[i]).length / one.length;
  t.true(Math.abs(same - 0.5) < 0.02);
});
