import test from 'ava';
import { createOwnWrites } from '../../../../src/handlers/items/replica/own-writes.ts';
import { fc } from '../../../support/properties.ts';

type Step = { kind: 'note' | 'advance'; bucket: number; number: number };

const someStep: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('note', 'note', 'note', 'advance'),
  bucket: fc.nat(1),
  number: fc.integer({ min: 1, max: 30 }),
});

/** All known numbers, one by one. */
function createNaive() {
  const known = [new Set<number>(), new Set<number>()];
  const reached = (bucket: number) => {
    let number = 0;
    while (known[bucket].has(number + 1)) number += 1;
    return number;
  };
  return {
    reached,
    note: (bucket: number, number: number) => void known[bucket].add(number),
    advance(bucket: number, number: number) {
      for (let one = 1; one <= number; one++) known[bucket].add(one);
    },
    beyond: (bucket: number) => [...known[bucket]].filter((number) => number > reached(bucket)),
  };
}

test('the reached number and own writes equal those of a plain set of numbers', (t) => {
  const property = fc.property(fc.array(someStep, { maxLength: 60 }), (steps) => {
    const own = createOwnWrites();
    const naive = createNaive();
    for (const { kind, bucket, number } of steps) {
      own[kind](bucket, number);
      naive[kind](bucket, number);
      for (const each of [0, 1]) {
        if (own.reached(each) !== naive.reached(each)) return false;
        const beyond = naive.beyond(each).toSorted((a, b) => a - b);
        if (String(own.beyond(each).toSorted((a, b) => a - b)) !== String(beyond)) return false;
      }
    }
    return true;
  });
  t.notThrows(() => fc.assert(property));
});

test('a limited number of writes is remembered; others are read again', (t) => {
  const own = createOwnWrites();
  for (let number = 2; number <= 30_000; number++) own.note(0, number);
  const remembered = own.beyond(0).length;
  t.true(remembered >= 1_000 && remembered < 20_000);
  own.advance(0, 1);
  t.is(own.reached(0), 1 + remembered);
  t.deepEqual(own.beyond(0), []);
  own.advance(0, 30_000);
  own.note(0, 30_001);
  t.is(own.reached(0), 30_001);
});
