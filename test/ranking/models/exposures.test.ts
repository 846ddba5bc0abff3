import test from 'ava';
import {
  answerSeconds,
  type Contacts,
  createImpressionsBuilder,
  type Exposures,
  exposuresBefore,
  mostShown,
} from '../../../src/ranking/models/exposures.ts';

const rowsOf = ({ item, timeSeconds, shown, answered }: Exposures) =>
  Array.from(item, (one, row) => ({
    item: one,
    at: timeSeconds[row],
    shown: shown[row],
    answered: answered[row],
  }));

type Contact = { person: string; item: number; at: number; weight?: number };

/** In order of time for each subject. */
function contactsOf(...contacts: Contact[]): Contacts {
  const people = [...new Set(contacts.map(({ person }) => person))];
  const rows = people.flatMap((one) => contacts.filter(({ person }) => person === one));
  return {
    subjects: people.map((person, subject) => [person, subject]),
    subjectOffsets: Int32Array.from([...people, undefined], (one) =>
      one === undefined ? rows.length : rows.findIndex(({ person }) => person === one),
    ),
    item: Int32Array.from(rows, ({ item }) => item),
    timeSeconds: Float64Array.from(rows, ({ at }) => at),
    fullWeight: Float32Array.from(rows, ({ weight = 1 }) => weight),
  };
}

const nothing = contactsOf();

test('ignored impressions of a subject and item are one row', (t) => {
  const exposures = createImpressionsBuilder();
  exposures.show('u:anna', 3, 100);
  exposures.show('u:anna', 3, 200);
  t.deepEqual(rowsOf(exposures.finish(nothing).exposures!), [{ item: 3, at: 200, shown: 2, answered: 0 }]);
});

test('repeated impressions count only a few times', (t) => {
  const exposures = createImpressionsBuilder();
  for (let at = 0; at < 1000; at++) exposures.show('u:anna', 3, at);
  t.deepEqual(rowsOf(exposures.finish(nothing).exposures!), [
    { item: 3, at: 999, shown: mostShown, answered: 0 },
  ]);
});

const answers: [title: string, person: string, item: number, at: number, answered: number][] = [
  ['soon after', 'u:anna', 3, 100 + 60, 1],
  ['before', 'u:anna', 3, 100 - 60, 0],
  ['much later', 'u:anna', 3, 100 + answerSeconds + 1, 0],
  ['by another person', 'u:bert', 3, 100 + 60, 0],
  ['with another item', 'u:anna', 4, 100 + 60, 0],
];

for (const [title, person, item, at, answered] of answers) {
  test(`an event ${title} ${answered ? 'answers' : 'does not answer'} an impression`, (t) => {
    const exposures = createImpressionsBuilder();
    exposures.show('u:anna', 3, 100);
    const rows = rowsOf(exposures.finish(contactsOf({ person, item, at })).exposures!);
    t.deepEqual(rows, [{ item: 3, at: answered ? at : 100, shown: 1, answered }]);
  });
}

test('a retracted event answers no impression', (t) => {
  const exposures = createImpressionsBuilder();
  exposures.show('u:anna', 3, 100);
  const taken = contactsOf({ person: 'u:anna', item: 3, at: 160, weight: -3 });
  t.deepEqual(rowsOf(exposures.finish(taken).exposures!), [{ item: 3, at: 100, shown: 1, answered: 0 }]);
});

test('impressions are one row in any order of reading, and events between them answer it', (t) => {
  const done = contactsOf({ person: 'u:anna', item: 3, at: 150 }, { person: 'u:anna', item: 4, at: 50 });
  for (const times of [
    [100, 200],
    [200, 100],
  ]) {
    const exposures = createImpressionsBuilder();
    for (const item of [3, 4]) for (const at of times) exposures.show('u:anna', item, at);
    t.deepEqual(
      rowsOf(exposures.finish(done).exposures!).sort((a, b) => a.item - b.item),
      [
        { item: 3, at: 200, shown: 2, answered: 1 },
        { item: 4, at: 200, shown: 2, answered: 0 },
      ],
    );
  }
});

test('without impressions there are no rows', (t) => {
  const exposures = createImpressionsBuilder();
  t.deepEqual(exposures.finish(contactsOf({ person: 'u:anna', item: 3, at: 100 })), {});
});

test('the newest rows are kept within the limit', (t) => {
  const exposures = createImpressionsBuilder(10);
  for (let item = 0; item < 25; item++) exposures.show('u:anna', item, item);
  const items = rowsOf(exposures.finish(nothing).exposures!).map(({ item }) => item);
  t.deepEqual(
    items.sort((a, b) => a - b),
    [15, 16, 17, 18, 19, 20, 21, 22, 23, 24],
  );
});

test('rows up to a time contain no later events', (t) => {
  const exposures = createImpressionsBuilder();
  exposures.show('u:anna', 1, 100);
  exposures.show('u:anna', 2, 100);
  exposures.show('u:anna', 3, 250);
  const answered = exposures.finish(contactsOf({ person: 'u:anna', item: 2, at: 300 })).exposures!;
  const before = exposuresBefore(answered, 200);
  t.deepEqual(rowsOf(before), [{ item: 1, at: 100, shown: 1, answered: 0 }]);
});
