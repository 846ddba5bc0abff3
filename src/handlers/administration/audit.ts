import type { JsonObject } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AuditEntrySchema } from '../../../gen/es/personalisation/v1/audit_pb.js';
import { AuditService } from '../../../gen/es/personalisation/v1/audit_service_pb.js';
import { type AuditEntry, listAuditEntries } from '../../repository/audit/audit-entries.ts';
import type { Database } from '../../repository/database.ts';
import { implement } from '../chain/implement.ts';
import { readMessages } from '../messages/pages.ts';

const pageLimits = { usual: 100, most: 1_000 };

export function createAuditHandlers({ db }: { db: Database }) {
  return implement(AuditService, {
    async listAuditEntries({ environment, resource, clientId, from, to, ...page }, call) {
      const query = {
        environment: environment || undefined,
        resource: resource || undefined,
        clientId: clientId || undefined,
        from: from && timestampDate(from),
        to: to && timestampDate(to),
      };
      const { messages: entries, nextPageToken } = await readMessages(page, call, {
        kinds: ['number', 'uuid'],
        list: (limit, after) => listAuditEntries(db, query, limit, after),
        keyOf: ({ changedAtUs, entryId }) => [changedAtUs, entryId],
        chosen: ['audit', JSON.stringify(query)],
        limits: pageLimits,
        schema: AuditEntrySchema,
        messageOf: entryMessage,
      });
      return { entries, nextPageToken };
    },
  });
}

function entryMessage({ entryId, changedAt, before, after, ...entry }: AuditEntry) {
  return {
    entryId,
    time: timestampFromDate(changedAt),
    clientId: entry.clientId ?? '',
    clientName: entry.clientName ?? '',
    requestId: entry.requestId ?? '',
    action: entry.action,
    resource: entry.resource,
    environment: entry.environment ?? '',
    before: (before as JsonObject | null) ?? undefined,
    after: (after as JsonObject | null) ?? undefined,
  };
}
