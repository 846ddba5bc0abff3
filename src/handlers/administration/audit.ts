import type { JsonObject } from '@bufbuild/protobuf';
import { timestampDate, timestampFromDate } from '@bufbuild/protobuf/wkt';
import { AuditEntrySchema } from '../../../gen/es/personalisation/v1/audit_pb.js';
import { AuditService } from '../../../gen/es/personalisation/v1/audit_service_pb.js';
import {
  type AuditEntry,
  listActors,
  listAuditEntries,
  sharedKinds,
} from '../../repository/audit/audit-entries.ts';
import type { Database } from '../../repository/database.ts';
import { implement } from '../chain/implement.ts';
import { readMessages } from '../messages/pages.ts';

const pageLimits = { usual: 100, most: 1_000 };
const activityLimits = { usual: 50, most: 200 };
const activityDays = 90;
const dayMs = 86_400_000;
/** Latest changes that people are named of, and most people. */
const actorLimits = { changes: 10_000, limit: 200 };

export function createAuditHandlers({ db, clock }: { db: Database; clock: () => number }) {
  return implement(AuditService, {
    async listAuditEntries({ environment, resource, clientId, from, to, ...page }, call) {
      const query = {
        environment: environment || undefined,
        resource: resource || undefined,
        clientId: clientId || undefined,
        from: from && timestampDate(from),
        to: to && timestampDate(to),
      };
      return readMessages('entries', page, call, {
        kinds: ['number', 'uuid'],
        list: (limit, after) => listAuditEntries(db, query, limit, after),
        keyOf: ({ changedAtUs, entryId }) => [changedAtUs, entryId],
        chosen: ['audit', JSON.stringify(query)],
        limits: pageLimits,
        schema: AuditEntrySchema,
        messageOf: entryMessage,
      });
    },
    async listActivity({ environment, clientId, kinds, withPeople, ...page }, call) {
      const places = environment ? [environment] : call.reach;
      const concerns = places === 'everywhere' ? undefined : (places ?? []);
      const query = {
        clientId: clientId || undefined,
        kinds: kinds.length > 0 ? kinds : sharedKinds,
        concerns,
      };
      const from = new Date(clock() - activityDays * dayMs);
      const listed = await readMessages('entries', page, call, {
        kinds: ['number', 'uuid'],
        list: (limit, after) => listAuditEntries(db, { ...query, from }, limit, after),
        keyOf: ({ changedAtUs, entryId }) => [changedAtUs, entryId],
        chosen: ['activity', JSON.stringify(query)],
        limits: activityLimits,
        schema: AuditEntrySchema,
        messageOf: activityMessage,
      });
      const people = withPeople
        ? await listActors(db, { kinds: sharedKinds, concerns, from }, actorLimits)
        : [];
      return { ...listed, people: people.map(personMessage) };
    },
  });
}

const activityMessage = (entry: AuditEntry) =>
  entryMessage({ ...entry, requestId: null, before: null, after: null });

const personMessage = ({ clientId, clientName }: Pick<AuditEntry, 'clientId' | 'clientName'>) => ({
  clientId: clientId ?? '',
  clientName: clientName ?? '',
});

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
