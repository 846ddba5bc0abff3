/** Operations on personal data. */

import { timestampDate } from '@bufbuild/protobuf/wkt';
import { DeletionSchema } from '../../../gen/es/personalisation/v1/user_pb.js';
import { UserService } from '../../../gen/es/personalisation/v1/user_service_pb.js';
import { DomainError } from '../../errors.ts';
import type { People } from '../../events/people/people.ts';
import type { Database } from '../../repository/database.ts';
import { type Deletion, listDeletions } from '../../repository/people/deletions.ts';
import type { PersonName } from '../../repository/people/person.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { actorOf } from '../messages/actor.ts';
import { inParts } from '../messages/message-parts.ts';
import { readMessages } from '../messages/pages.ts';
import { timeOf } from '../messages/values.ts';

const pageLimits = { usual: 100, most: 1_000 };

export function createUserHandlers({ db, people }: { db: Database; people: People }) {
  const remove = async (name: PersonName, call: Call) => ({
    receipt: receiptMessage(await people.delete(name, actorOf(call))),
  });

  return implement(UserService, {
    async *exportUser(requests, call) {
      for await (const { environment, userId: id } of requests)
        for await (const json of exportLines(people, { environment, kind: 'user', id }, call)) yield { json };
    },
    async deleteUser({ environment, userId: id }, call) {
      return remove({ environment, kind: 'user', id }, call);
    },
    async *exportDevice(requests, call) {
      for await (const { environment, deviceId: id } of requests)
        for await (const json of exportLines(people, { environment, kind: 'device', id }, call))
          yield { json };
    },
    async deleteDevice({ environment, deviceId: id }, call) {
      return remove({ environment, kind: 'device', id }, call);
    },
    async listDeletions({ from, ...page }, call) {
      const since = from && timestampDate(from);
      return readMessages('deletions', page, call, {
        kinds: ['number', 'uuid'],
        list: (limit, after) => listDeletions(db, { since, limit, after }),
        keyOf: ({ requestedAtUs, receiptId }) => [requestedAtUs, receiptId],
        chosen: ['deletions', since?.getTime() ?? 0],
        limits: pageLimits,
        schema: DeletionSchema,
        messageOf: deletionMessage,
      });
    },
  });
}

async function* exportLines(people: People, name: PersonName, call: Call): AsyncGenerator<string[]> {
  let isKnown = false;
  for await (const records of people.export(name, actorOf(call))) {
    const lines = records.map((record) => JSON.stringify(record));
    isKnown ||= lines.length > 0;
    yield* inParts(lines, (line) => line.length);
  }
  if (!isKnown) throw unknownPerson(name);
}

function unknownPerson({ environment, kind, id }: PersonName): DomainError {
  return new DomainError('USER_UNKNOWN', `Nothing is stored about the ${kind} ${JSON.stringify(id)}.`, {
    metadata: { environment, [`${kind}_id`]: id },
  });
}

function deletionMessage({ receiptId, environment, kind, subjects, requestedAt, completedAt }: Deletion) {
  return {
    receiptId,
    environment,
    kind,
    marks: subjects,
    requestTime: timeOf(requestedAt),
    time: timeOf(completedAt),
  };
}

function receiptMessage({ receiptId, completedAt, deleted }: Deletion) {
  const counts = Object.entries(deleted).map(([kind, count]) => [kind, BigInt(count)] as const);
  return { receiptId, time: timeOf(completedAt), deleted: Object.fromEntries(counts) };
}
