/**
 * The inverted index: merging in steps equals sorting at once; repetitions are bounded; the oldest
 * days are dropped.
 */

import test from 'ava';
import { createKinds } from '../../../src/jobs/audiences/event-kinds.ts';
import {
  createPostingLog,
  createPostings,
  dropOldest,
  mergePostings,
  type Postings,
  rowOf,
} from '../../../src/jobs/audiences/postings.ts';
import { fc } from '../../support/properties.ts';

const itemCount = 5;
const subjectCount = 6;
const eventKinds = createKinds();
const view = eventKinds.kindOf('detail_pageview')!;

type Posting = [item: number, subject: number, day: number];

const postings = fc.array(
  fc.tuple(
    fc.integer({ min: 0, max: itemCount - 1 }),
    fc.integer({ min: 0, max: subjectCount - 1 }),
    fc.integer({ min: 0, max: 30 }),
  ),
  { maxLength: 60 },
);

function sorted(entries: readonly Posting[]): Postings {
  const log = createPostingLog(eventKinds);
  for (const [item, subject, day] of entries) log.add({ item, subject, day, arrivalDay: day, kind: view });
  return log.sort(itemCount, subjectCount);
}

function contentOf(index: Postings): Posting[] {
  return Array.from({ length: itemCount }, (_, item) => item).flatMap((item) => {
    const [start, end] = rowOf(index, item);
    return Array.from(
      { length: end - start },
      (_, i): Posting => [item, index.subject[start + i], index.day[start + i]],
    );
  });
}

test('rows are sorted by subject and latest arrival, also after merging in steps', (t) => {
  const property = fc.property(fc.array(postings, { maxLength: 5 }), (steps) => {
    let merged = createPostings();
    for (const step of steps) merged = mergePostings(sorted(step), merged, { itemCount, eventKinds });
    t.deepEqual(contentOf(merged), contentOf(sorted(steps.flat())));
  });
  t.notThrows(() => fc.assert(property, { numRuns: 200 }));
});

test('postings within the bound are all kept', (t) => {
  const entries: Posting[] = [
    [4, 1, 7],
    [0, 2, 3],
    [4, 1, 9],
    [4, 0, 1],
  ];
  t.deepEqual(contentOf(sorted(entries)), [
    [0, 2, 3],
    [4, 0, 1],
    [4, 1, 9],
    [4, 1, 7],
  ]);
});

test('of repeated views the latest fifty count', (t) => {
  const entries = Array.from({ length: 80 }, (_, day): Posting => [0, 0, day]);
  const days = contentOf(sorted(entries)).map(([, , day]) => day);
  t.deepEqual(
    days,
    Array.from({ length: 50 }, (_, i) => 79 - i),
  );
});

test('beyond the bound one purchase is kept, without weight', (t) => {
  const { purchase, pastPurchase, weights } = eventKinds;
  const log = createPostingLog(eventKinds);
  const kinds = [purchase, purchase, ...Array<number>(60).fill(view)];
  for (const [day, kind] of kinds.entries()) log.add({ item: 0, subject: 0, day, arrivalDay: day, kind });
  const once = log.sort(itemCount, subjectCount);
  t.deepEqual([...once.kind], [...Array<number>(50).fill(view), pastPurchase]);
  t.is(weights[pastPurchase], 0);
  const again = mergePostings(sorted([[0, 0, 99]]), once, { itemCount, eventKinds });
  t.deepEqual([...again.kind], [...once.kind]);
});

test('the oldest days are dropped first', (t) => {
  const entries = Array.from({ length: 30 }, (_, day): Posting => [day % itemCount, day % subjectCount, day]);
  const kept = contentOf(dropOldest(sorted(entries), 10)).map(([, , day]) => day);
  t.deepEqual(
    kept.toSorted((a, b) => a - b),
    Array.from({ length: 10 }, (_, i) => 20 + i),
  );
});
