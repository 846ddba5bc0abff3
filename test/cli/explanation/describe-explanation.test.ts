import { create } from '@bufbuild/protobuf';
import test from 'ava';
import {
  ListExplanationSchema,
  ListOutcomeSchema,
} from '../../../gen/es/personalisation/v1/recommendation_service_pb.js';
import { describeExplanation } from '../../../src/cli/explanation/describe-explanation.ts';

test('an explanation prints items, rules, unmet minimums and absences', (t) => {
  const explanation = create(ListExplanationSchema, {
    scoredCount: 40,
    weighedCount: 35,
    gapBound: 0.0123,
    items: [
      {
        rank: 1,
        itemId: 'a',
        source: 'models',
        score: 0.75,
        constraintIndexes: [0, 2],
        preferences: [{ preferenceIndex: 1, weight: 3 }],
        parts: [
          { model: 'co_visits', score: 0.5, reasonItemIds: ['x', 'y'] },
          { model: 'trending', score: 0.25, reasonItemIds: [] },
        ],
      },
      { rank: 2, itemId: 'b', source: 'injected' },
    ],
    rules: [
      { constraintIndex: 0, matchedCount: 20, usedCount: 2, cutCount: 9 },
      { constraintIndex: 1, dropped: true },
    ],
    historyVariables: [
      { name: 'brand', events: ['purchase'], days: 90, values: ['Acme', 'Bolt'] },
      { name: 'tags', values: [] },
    ],
    whyNot: [
      { itemId: 'c', reason: 'rule', constraintIndex: 0, detail: 'Better items use it up.' },
      { itemId: 'd', reason: 'outscored', detail: 'Better items are first.', score: 0.1, neededScore: 0.2 },
    ],
  });
  const outcome = create(ListOutcomeSchema, {
    configurationVersion: 4,
    unmetMinimums: [
      { constraintIndex: 2, wantedCount: 3, foundCount: 1, reason: 'in_conflict', conflictingIndex: 0 },
    ],
  });
  t.is(
    describeExplanation(explanation, outcome, ['Title of a', undefined]),
    [
      'Version 4: 40 candidates scored, 35 weighed; within 1.23 % of the best.',
      '   1.  a  Title of a',
      '      score 0.750; rules 0, 2; preference 1 (weight 3)',
      '          ███████░░░ co_visits 0.500, because of x, y',
      '          ███░░░░░░░ trending 0.250',
      '   2.  b',
      '      injected',
      '',
      'Rules:',
      '   0  20 matched, 2 used, 9 cut',
      '   1  ignored: its variable is absent',
      '   2  wants 3 and found 1: in conflict with rule 0',
      '',
      'History:',
      '    brand (purchase) of 90 days: Acme, Bolt',
      '    tags: none',
      '',
      'Why not:',
      '    c: Better items use it up. (rule 0)',
      '    d: Better items are first. Its score is 0.100; 0.200 was needed.',
    ].join('\n'),
  );
});
