import test from 'ava';
import { Training, TrainingReason, TrainingState } from '../../gen/grpc/personalisation/v1/training.ts';
import { describe } from '../../src/cli/train.ts';

const asked = {
  training_id: 'id',
  reason: TrainingReason.TRAINING_REASON_EVENTS,
  request_time: new Date('2025-06-01T10:00:00Z'),
};

test('a training that waits, runs and has ended is one line each', (t) => {
  const { TRAINING_STATE_QUEUED, TRAINING_STATE_RUNNING, TRAINING_STATE_KEPT } = TrainingState;
  const describeOne = (rest: object) => describe(Training.fromPartial({ ...asked, ...rest }));
  t.is(describeOne({ state: TRAINING_STATE_QUEUED }), '2025-06-01 10:00:00  id  queued  (events)');
  t.is(
    describeOne({ state: TRAINING_STATE_RUNNING, stage: 'blend', progress: 0.567 }),
    '2025-06-01 10:00:00  id  running  56 % blend  (events)',
  );
  const ended = { end_time: new Date(), item_count: 2, event_count: 3, decision: 'Worse.' };
  t.is(
    describeOne({ state: TRAINING_STATE_KEPT, ...ended }),
    '2025-06-01 10:00:00  id  kept  (events)  2 items, 3 events  Worse.',
  );
});
