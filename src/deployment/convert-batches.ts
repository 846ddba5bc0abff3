/** The deployment file's batches of lists: bounds, and what is made by itself. */

import type {
  BatchSchedule as BatchScheduleMessage,
  BatchSettings as BatchSettingsMessage,
} from '../../gen/es/personalisation/deployment/v1/deployment_pb.js';
import { type BatchRequest, BatchRequestSchema } from '../../gen/es/personalisation/v1/batch_pb.js';
import type { Violation } from '../errors.ts';
import { encodeJson } from '../formats/codec.ts';
import type { Faults } from './convert-server.ts';
import type { BatchSchedule, BatchSettings, EnvironmentSettings, LimitSettings } from './deployment.ts';
import { checkRegistries, type Registries } from './registered-values.ts';
import { checkBatchLists, checkVariables } from './request-lists.ts';
import { readTimesOfDay } from './times-of-day.ts';

/** What batches of an environment may name. */
export type BatchEnvironment = Registries &
  Pick<EnvironmentSettings, 'name' | 'returnedFields'> &
  Pick<LimitSettings, 'variableBytes'>;

export function convertBatches(
  message: BatchSettingsMessage | undefined,
  environment: BatchEnvironment,
  pointer: string,
  fault: Faults,
): BatchSettings {
  const schedules = message?.schedules ?? [];
  const names = new Set(schedules.map(({ name }) => name));
  if (names.size < schedules.length) fault(`${pointer}/schedules`, 'A name stands twice.');
  for (const [i, { batch }] of schedules.entries())
    for (const { pointer: place, detail } of checkBatch(batch!, environment))
      fault(`${pointer}/schedules/${i}/batch${place}`, detail);
  return {
    largest: message?.largest ?? 1_000_000,
    lifetimeDays: message?.lifetimeDays ?? 7,
    mostAtOnce: message?.atOnce ?? 10,
    schedules: schedules.map((one, place) => convertSchedule(one, `${pointer}/schedules/${place}`, fault)),
  };
}

/** As a caller who asks for the batch is refused; the night is too late to hear of it. */
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

/** Ids of people change from day to day, so a file names none. */
function convertSchedule(
  { name, times, batch }: BatchScheduleMessage,
  pointer: string,
  fault: Faults,
): BatchSchedule {
  const { audienceId, activeWithinDays, userIds, deviceIds } = batch!;
  const named = [audienceId || undefined, activeWithinDays].filter((source) => source !== undefined);
  if (named.length !== 1 || userIds.length + deviceIds.length > 0)
    fault(`${pointer}/batch`, 'Must have either audience_id or active_within_days, and no ids of people.');
  return {
    name,
    timesOfDay: readTimesOfDay(times, `${pointer}/times`, fault),
    request: encodeJson(BatchRequestSchema, batch!),
  };
}
