import test from 'ava';
import {
  answerSeconds,
  createExposuresBuilder,
  type Exposures,
  exposuresBefore,
  mostShown,
} from '../../src/models/exposures.ts';

const rowsOf = ({ item, timeSeconds, shown, answered }: Exposures) =>
  Array.from(item, (one, row) => ({
    item: one,
    at: timeSeconds[row],
    shown: shown[row],
    answered: answered[row],
  }));

const small = { openRows: 64, mostClosedRows: 1000 };

test('a person who is shown an item and leaves it alone is one row', (t) => {
  const exposures = createExposuresBuilder(small);
  exposures.show('u:anna', 3, 100);
  exposures.show('u:anna', 3, 200);
  t.deepEqual(rowsOf(exposures.finish()!), [{ item: 3, at: 200, shown: 2, answered: 0 }]);
});

test('however often somebody is shown an item, it counts a few times', (t) => {
  const exposures = createExposuresBuilder(small);
  for (let at = 0; at < 1000; at++) exposures.show('u:anna', 3, at);
  t.deepEqual(rowsOf(exposures.finish()!), [{ item: 3, at: 999, shown: mostShown, answered: 0 }]);
});

const answers: [title: string, person: string, item: number, at: number, answered: number][] = [
  ['soon after', 'u:anna', 3, 100 + 60, 1],
  ['much later', 'u:anna', 3, 100 + answerSeconds + 1, 0],
  ['by another person', 'u:bert', 3, 100 + 60, 0],
  ['with another item', 'u:anna', 4, 100 + 60, 0],
];

for (const [title, person, item, at, answered] of answers) {
  test(`what is done ${title} ${answered ? 'answers' : 'does not answer'} what was shown`, (t) => {
    const exposures = createExposuresBuilder(small);
    exposures.show('u:anna', 3, 100);
    exposures.answer(person, item, at);
    const rows = rowsOf(exposures.finish()!);
    t.deepEqual(rows, [{ item: 3, at: answered ? at : 100, shown: 1, answered }]);
  });
}

test('where nothing is shown there is nothing to tell', (t) => {
  const exposures = createExposuresBuilder(small);
  exposures.answer('u:anna', 3, 100);
  t.is(exposures.finish(), undefined);
});

test('rows that push each other out of the table are kept', (t) => {
  const exposures = createExposuresBuilder({ openRows: 1, mostClosedRows: 1000 });
  for (let item = 0; item < 100; item++) exposures.show('u:anna', item, item);
  t.deepEqual(
    rowsOf(exposures.finish()!).map(({ item }) => item),
    Array.from({ length: 100 }, (_, item) => item),
  );
});

test('of more rows than there is room for, the newest are kept', (t) => {
  const exposures = createExposuresBuilder({ openRows: 1, mostClosedRows: 10 });
  for (let item = 0; item < 25; item++) exposures.show('u:anna', item, item);
  const items = rowsOf(exposures.finish()!).map(({ item }) => item);
  t.deepEqual(
    items.sort((a, b) => a - b),
    [15, 16, 17, 18, 19, 20, 21, 22, 23, 24],
  );
});

test('what was shown before a moment does not know what came after it', (t) => {
  const exposures = createExposuresBuilder(small);
  exposures.show('u:anna', 1, 100);
  exposures.show('u:anna', 2, 100);
  exposures.answer('u:anna', 2, 300);
  exposures.show('u:anna', 3, 250);
  const before = exposuresBefore(exposures.finish()!, 200);
  t.deepEqual(rowsOf(before), [{ item: 1, at: 100, shown: 1, answered: 0 }]);
});
