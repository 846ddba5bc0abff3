import test from 'ava';
import { ListExplanation, ListOutcome } from '../../../gen/grpc/personalisation/v1/recommendation_service.ts';
import { describeExplanation } from '../../../src/cli/explanation/describe.ts';

test('an explanation is printed with everything that is known of items, rules, minimums and absences', (t) => {
  const explanation = ListExplanation.fromPartial({
    scored_count: 40,
    weighed_count: 35,
    gap_bound: 0.0123,
    items: [
      {
        rank: 1,
        item_id: 'a',
        source: 'models',
        score: 0.75,
        constraint_indexes: [0, 2],
        preferences: [{ preference_index: 1, weight: 3 }],
        parts: [
          { model: 'co_visits', score: 0.5, reason_item_ids: ['x', 'y'] },
          { model: 'trending', score: 0.25, reason_item_ids: [] },
        ],
      },
      { rank: 2, item_id: 'b', source: 'injected' },
    ],
    rules: [
      { constraint_index: 0, matched_count: 20, used_count: 2, cut_count: 9 },
      { constraint_index: 1, dropped: true },
    ],
    why_not: [
      { item_id: 'c', reason: 'rule', constraint_index: 0, detail: 'Better items use it up.' },
      {
        item_id: 'd',
        reason: 'outscored',
        detail: 'Better items take all places.',
        score: 0.1,
        needed_score: 0.2,
      },
    ],
  });
  const outcome = ListOutcome.fromPartial({
    configuration_version: 4,
    unmet_minimums: [
      { constraint_index: 2, wanted_count: 3, found_count: 1, reason: 'in_conflict', conflicting_index: 0 },
    ],
  });
  t.is(
    describeExplanation(explanation, outcome, ['Title of a', undefined]),
    [
      'Version 4: 40 candidates scored, 35 weighed; within 1.23 % of the best.',
      '   1.  a  Title of a',
      '      score 0.750; rules 0, 2; preference 1 (weight 3)',
      '          co_visits 0.500, because of x, y',
      '          trending 0.250',
      '   2.  b',
      '      injected',
      '',
      'Rules:',
      '   0  20 matched, 2 used, 9 cut',
      '   1  ignored: its variable is absent',
      '   2  wants 3 and found 1: in conflict with rule 0',
      '',
      'Why not:',
      '    c: Better items use it up. (rule 0)',
      '    d: Better items take all places. Its score is 0.100; 0.200 was needed.',
    ].join('\n'),
  );
});
