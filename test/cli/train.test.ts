import { create } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import test from 'ava';
import {
  TrainingReason,
  TrainingSchema,
  TrainingState,
} from '../../gen/es/personalisation/v1/training_pb.js';
import { describe } from '../../src/cli/train.ts';

const requested = {
  trainingId: 'id',
  reason: TrainingReason.EVENTS,
  requestTime: timestampFromDate(new Date('2025-06-01T10:00:00Z')),
};

test('a queued, a running and an ended training are one line each', (t) => {
  const describeOne = (rest: object) => describe(create(TrainingSchema, { ...requested, ...rest }));
  t.is(describeOne({ state: TrainingState.QUEUED }), '2025-06-01 10:00:00  id  queued  (events)');
  t.is(
    describeOne({ state: TrainingState.RUNNING, stage: 'blend', progress: 0.567 }),
    '2025-06-01 10:00:00  id  running  56 % blend  (events)',
  );
  const ended = { endTime: timestampFromDate(new Date()), itemCount: 2, eventCount: 3, decision: 'Worse.' };
  t.is(
    describeOne({ state: TrainingState.KEPT, ...ended }),
    '2025-06-01 10:00:00  id  kept  (events)  2 items, 3 events  Worse.',
  );
});
