import test from 'ava';
import type { SubjectKind } from '../../../src/repository/events/history-batch.ts';
import { createSubjectFilter } from '../../../src/repository/events/subject-filter.ts';
import { fc } from '../../support/properties.ts';

test('added subjects are contained, with any names, until the filter is cleared', (t) => {
  const subject = fc.tuple(
    fc.string(),
    fc.constantFrom<SubjectKind>('d', 'u'),
    fc.string({ unit: 'binary' }),
  );
  fc.assert(
    fc.property(fc.array(subject, { minLength: 1 }), (subjects) => {
      const filter = createSubjectFilter();
      for (const added of subjects) filter.add(...added);
      t.true(subjects.every((added) => filter.mayHold(...added)));
      filter.clear();
      t.false(subjects.some((added) => filter.mayHold(...added)));
    }),
  );
});

/** Names differ only in their last digits, like those of numbered devices. */
const nameOf = (i: number) => `device-7f3a91c2-${String(i).padStart(7, '0')}`;

for (const count of [60_000, 65_537, 400_000]) {
  test(`${count.toLocaleString('en')} subjects are all contained, with few false positives`, (t) => {
    const filter = createSubjectFilter();
    for (let i = 0; i < count; i++) filter.add('shop', 'd', nameOf(i));
    let missing = 0;
    for (let i = 0; i < count; i++) if (!filter.mayHold('shop', 'd', nameOf(i))) missing += 1;
    t.is(missing, 0);
    const others = 100_000;
    let taken = 0;
    for (let i = 0; i < others; i++) {
      if (filter.mayHold('shop', 'd', nameOf(count + i))) taken += 1;
      if (filter.mayHold('shop', 'u', nameOf(i))) taken += 1;
    }
    t.true(taken < 0.04 * others, `${taken} of ${2 * others}`);
  });
}
