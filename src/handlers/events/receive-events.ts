/** Events from records of a stream: checked as imported ones, stored exactly once. */

import { create, fromBinary } from '@bufbuild/protobuf';
import { EventSchema } from '../../../gen/es/personalisation/v1/event_pb.js';
import { ImportedEventSchema } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { createSparingWarning } from '../../ranking/runtime/sparing-warning.ts';
import { type ReceivedRecords, type RefusedRecord, readForm } from '../messages/stream-records.ts';
import { checkImported, type EventHandlersOptions, importedFault } from './events.ts';

/** Returns the number of new events; undefined if records of the range were stored before. */
export type ReceiveRecords = (records: ReceivedRecords) => Promise<number | undefined>;

export function createEventReceiver(options: EventHandlersOptions): ReceiveRecords {
  const { deployment, intake, refusals, clock, logger } = options;
  const warn = createSparingWarning(logger, 'An event has a value that is not registered.');
  return async ({ environment, format, range, values, refuse }) => {
    const settings = deployment.environments.get(environment)!;
    const context = { settings, nowMs: clock(), robot: false, isPublic: false };
    const refused: RefusedRecord[] = [];
    const rows = values.flatMap((value, index) => {
      const form = readForm(value, format === 'protobuf' && ((bytes) => fromBinary(EventSchema, bytes)));
      if (form === undefined) return [];
      const event = create(ImportedEventSchema, {
        form: form.case === 'message' ? { case: 'event', value: form.value } : form,
      });
      const check = checkImported(event, context, { ...options, warn });
      if ('row' in check) return check.row;
      refused.push({ index, violations: check.violations });
      refusals.note(environment, range.group, [importedFault(event, check.violations)]);
      return [];
    });
    await refuse(refused);
    return intake.storeRange(range, rows);
  };
}
