import test from 'ava';
import { TrySynonymResponse } from '../../gen/grpc/personalisation/v1/synonym_service.ts';
import { describeTrial } from '../../src/cli/synonyms.ts';

test('a trial is printed with what is found instead of nothing, and how many queries are not told', (t) => {
  const answer = TrySynonymResponse.fromPartial({
    query_count: 40,
    changed_count: 3,
    found_count: 1,
    queries: [
      { query: 'chaise', searches: 7, after: [{ item_id: 's1', title: 'Red sofa' }, { item_id: 's2' }] },
      { query: 'red chaise', searches: 2, before: [{ item_id: 'l1', title: 'Red lamp' }], after: [] },
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
