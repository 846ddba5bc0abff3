import { create } from '@bufbuild/protobuf';
import test from 'ava';
import { TrySynonymResponseSchema } from '../../gen/es/personalisation/v1/synonym_service_pb.js';
import { describeTrial } from '../../src/cli/synonyms.ts';

test('a trial prints the results before and after, and the number of further queries', (t) => {
  const answer = create(TrySynonymResponseSchema, {
    queryCount: 40,
    changedCount: 3,
    foundCount: 1,
    queries: [
      { query: 'chaise', searches: 7, after: [{ itemId: 's1', title: 'Red sofa' }, { itemId: 's2' }] },
      { query: 'red chaise', searches: 2, before: [{ itemId: 'l1', title: 'Red lamp' }], after: [] },
    ],
  });
  t.is(
    describeTrial(answer),
    [
      '1 queries without results would find something.',
      '3 of 40 queries would change.',
      '',
      'chaise  (7 searches)',
      '  now   nothing',
      '  then  Red sofa · s2',
      '',
      'red chaise  (2 searches)',
      '  now   Red lamp',
      '  then  nothing',
      '',
      '1 more.',
    ].join('\n'),
  );
});
