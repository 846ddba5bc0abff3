/** Batches of lists in a deployment file: bounds and schedules. */

import type {
  BatchSchedule as BatchScheduleMessage,
  BatchSettings as BatchSettingsMessage,
} from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { type BatchRequest, BatchRequestSchema } from '../../gen/es/personalisation/v1/batch_pb.js';
import type { Violation } from '../errors.ts';
import { encodeJson } from '../formats/codec.ts';
import { checkNames, type Faults, readTimesOfDay, withDefaults, within } from './checks.ts';
import type { BatchSchedule, BatchSettings, EnvironmentSettings, LimitSettings } from './deployment.ts';
import { checkRegistries, type Registries } from './registered-values.ts';
import { checkBatchLists, checkVariables } from './request-lists.ts';

/** The settings of an environment that its batches refer to. */
export type BatchEnvironment = Registries &
  Pick<EnvironmentSettings, 'name' | 'returnedFields' | 'timeZone'> &
  Pick<LimitSettings, 'variableBytes'>;

export function convertBatches(
  message: BatchSettingsMessage | undefined,
  environment: BatchEnvironment,
  fault: Faults,
): BatchSettings {
  const schedules = message?.schedules ?? [];
  checkNames(schedules, within(fault, 'schedules'));
  for (const [i, { batch }] of schedules.entries())
    for (const { pointer: place, detail } of checkBatch(batch!, environment))
      fault(`/schedules/${i}/batch${place}`, detail);
  return {
    ...withDefaults({ largest: 1_000_000, lifetimeDays: 7 }, message),
    mostAtOnce: message?.atOnce ?? 10,
    schedules: schedules.map((schedule, i) =>
      convertSchedule(schedule, environment.timeZone, within(fault, `schedules/${i}`)),
    ),
  };
}

/** Checks a batch like the request of a caller: in the night it would be too late. */
function checkBatch(batch: BatchRequest, environment: BatchEnvironment): Violation[] {
  const unknown = [...batch.fields.entries()].filter(([, name]) => !environment.returnedFields.has(name));
  return [
    ...checkBatchLists(batch.lists),
    ...checkVariables(batch, environment.variableBytes),
    ...checkRegistries(batch, environment, () => undefined),
    ...unknown.map(([place]) => ({
      pointer: `/fields/${place}`,
      detail: 'Is not a returned field of the environment.',
    })),
  ];
}

/** IDs of people change every day, so schedules must not name them. */
function convertSchedule(
  { name, times, batch }: BatchScheduleMessage,
  timeZone: string,
  fault: Faults,
): BatchSchedule {
  const { audienceId, activeWithinDays, userIds, deviceIds } = batch!;
  const named = [audienceId || undefined, activeWithinDays].filter((source) => source !== undefined);
  if (named.length !== 1 || userIds.length + deviceIds.length > 0)
    fault('/batch', 'Must have either audience_id or active_within_days, and no IDs of people.');
  return {
    name,
    timesOfDay: readTimesOfDay(times, within(fault, 'times')),
    timeZone,
    request: encodeJson(BatchRequestSchema, batch!),
  };
}
