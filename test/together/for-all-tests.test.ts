import test from 'ava';
import { forAllTests } from '../support/for-all-tests.ts';

const begun: string[] = [];
const first = forAllTests('the first', async () => {
  await Promise.resolve();
  begun.push('first');
  return { name: 'A', greet: (other: string) => `${other} greets A` };
});
const second = forAllTests('the second', () => {
  begun.push('second');
  return { ...first, name: `B after ${first.name}` };
});
const begunWhileLoaded = [...begun];
const faultWhileLoaded = faultOf(() => first.name);

test('a fixture is not created while the file is loaded, and reading it then throws', (t) => {
  t.deepEqual(begunWhileLoaded, []);
  t.is(faultWhileLoaded, 'Before the first test of the file, the first is not there yet.');
});

test('the proxy is the fixture, and fixtures are created in order of declaration', (t) => {
  t.deepEqual(begun, ['first', 'second']);
  t.is(first.name, 'A');
  t.is(second.greet('C'), 'C greets A');
  t.deepEqual(Object.keys(second), ['name', 'greet']);
  t.is(second.name, 'B after A');
});

function faultOf(read: () => unknown): string | undefined {
  try {
    read();
  } catch (error) {
    return (error as Error).message;
  }
}
