import type { MetricDifference } from '../../../gen/es/personalisation/v1/experiment_pb.js';

/** Of what happened in no arm there is nothing to say; nor of what every device did equally often. */
export const hasHappened = ({ controlMean, armMean, smallestDetectable }: MetricDifference): boolean =>
  (controlMean !== 0 || armMean !== 0) && smallestDetectable !== 0;
