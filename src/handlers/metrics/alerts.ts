import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import { AlertSchema } from '../../../gen/es/personalisation/v1/alert_pb.js';
import { AlertService } from '../../../gen/es/personalisation/v1/alert_service_pb.js';
import { type Alert, listAlerts } from '../../repository/alerts/alerts.ts';
import type { Database } from '../../repository/database.ts';
import { implement } from '../chain/implement.ts';
import { readMessages } from '../messages/pages.ts';
import { timeOf } from '../messages/values.ts';

const pageLimits = { usual: 50, most: 200 };
const hourMs = 3_600_000;

export function createAlertHandlers({ db }: { db: Database }) {
  return implement(AlertService, {
    listAlerts: ({ environment, open: isOpen, ...page }, call) =>
      readMessages('alerts', page, call, {
        kinds: ['number', 'uuid'],
        list: (limit, after) => listAlerts(db, { environment, isOpen }, limit, after),
        keyOf: ({ raisedAtUs, alertId }) => [raisedAtUs, alertId],
        chosen: ['alerts', environment, String(isOpen)],
        limits: pageLimits,
        schema: AlertSchema,
        messageOf: alertMessage,
      }),
  });
}

const alertMessage = ({ fromHour, raisedAt, resolvedAt, ...alert }: Alert) => ({
  ...alert,
  startTime: timestampFromMs(fromHour * hourMs),
  raiseTime: timeOf(raisedAt),
  resolveTime: timeOf(resolvedAt),
});
