/** Operations of InterestService. */

import { create } from '@bufbuild/protobuf';
import { ConfigurationSchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import {
  type Interest as InterestMessage,
  InterestSchema,
} from '../../../gen/es/personalisation/v1/interest_pb.js';
import { InterestService } from '../../../gen/es/personalisation/v1/interest_service_pb.js';
import type { Deployment } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import { decodeJson } from '../../formats/codec.ts';
import type { ParsedInterest } from '../../jobs/interests/interests.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import { bindQuery } from '../../ranking/rules/bind.ts';
import { findChangeEnds } from '../../repository/changes/changes.ts';
import {
  deleteInterest,
  type Interest,
  type InterestName,
  listInterests,
  putInterest,
} from '../../repository/changes/interests.ts';
import type { Database } from '../../repository/database.ts';
import { implement } from '../chain/implement.ts';
import { notFound, refuse } from '../chain/refuse.ts';
import { parseConfiguration } from '../grammar/parse-rules.ts';
import { actorOf } from '../messages/actor.ts';
import { documentOf } from '../messages/documents.ts';
import { settlePointer } from '../messages/pointers.ts';

export type InterestHandlersOptions = {
  db: Database;
  deployment: Deployment;
  environments: ReadonlyMap<string, ServingEnvironment>;
  clock: () => number;
};

const mostInterests = 20;
const usualHours = 24;

export function createInterestHandlers(options: InterestHandlersOptions) {
  const { db } = options;
  const find = async ({ environment, interestId }: InterestName): Promise<Interest> =>
    (await listInterests(db, environment)).find((one) => one.interestId === interestId) ??
    refuseInterest(interestId);

  return implement(InterestService, {
    async putInterest({ environment, interestId, interest }, call) {
      const sent = documentOf(InterestSchema, interest!);
      checkInterest(interest!, { environment, interestId, document: sent }, options);
      const document = { interest_id: interestId, ...sent };
      const position = await findChangeEnds(db);
      const write = { environment, interestId, document, enabled: interest!.enabled ?? true, position };
      const detail = `The environment has ${mostInterests} interests; delete one first.`;
      if (!(await putInterest(db, write, mostInterests, actorOf(call)))) refuse([{ pointer: '', detail }]);
      return { interest: messageOf({ document }) };
    },
    getInterest: async (name) => ({ interest: messageOf(await find(name)) }),
    listInterests: async ({ environment }) => ({
      interests: (await listInterests(db, environment)).map(messageOf),
    }),
    async deleteInterest(name, call) {
      if (!(await deleteInterest(db, name, actorOf(call)))) refuseInterest(name.interestId);
      return {};
    },
  });
}

/** Parses a stored interest, which was checked when it was stored. */
export function parseInterest(document: unknown): ParsedInterest {
  const message = messageOf({ document });
  const { usersPerItem = 1_000, itemsPerUser = 3, periodHours = usualHours, holdOutShare = 0 } = message;
  const { integrationType = '' } = message;
  const { filter } = parseFilter(message);
  return { filter, usersPerItem, itemsPerUser, periodHours, holdOutShare, integrationType };
}

function parseFilter({ filter }: InterestMessage) {
  const asRules = create(ConfigurationSchema, { preferences: filter.map((query) => ({ query })) });
  const { configuration, violations, keys } = parseConfiguration(asRules);
  const pointerOf = (pointer: string) => pointer.replace(/^\/preferences\/(\d+)\/query/, '/filter/$1');
  return {
    filter: configuration.preferences.map(({ query }) => query),
    violations: violations.map(({ pointer, detail }) => ({ pointer: pointerOf(pointer), detail })),
    keys: new Map(Array.from(keys, ([key, pointer]) => [key, pointerOf(pointer)])),
  };
}

type SentInterest = InterestName & { document: unknown };

/** Checks what the message type cannot express. */
function checkInterest(
  message: InterestMessage,
  { environment, interestId, document }: SentInterest,
  { deployment, environments, clock }: InterestHandlersOptions,
): void {
  const { catalog, settings } = environments.get(environment)!;
  const { filter, violations, keys } = parseFilter(message);
  const faults: Violation[] = [...violations];
  const check = (isRight: boolean, pointer: string, detail: string) => {
    if (!isRight) faults.push({ pointer, detail });
  };
  const { interestId: sentId = interestId, integrationType = '', periodHours = usualHours } = message;
  check(sentId === interestId, '/interest_id', 'Must be absent or the id in the path.');
  const mostHours = 24 * deployment.webhooks.retentionDays;
  check(periodHours <= mostHours, '/period_hours', `Must be at most ${mostHours}: changes are kept so long.`);
  const types = settings.integrationTypes;
  const isType = types.size === 0 || types.has(integrationType);
  check(isType, '/integration_type', `Must be one of ${[...types].join(', ')}.`);
  for (const [key, pointer] of keys)
    check(
      catalog.column(key) !== undefined,
      pointer,
      `No item type declares the key ${JSON.stringify(key)}.`,
    );
  for (const [i, query] of filter.entries()) {
    const { outcome } = bindQuery(query, { catalog, variables: () => undefined, nowMs: clock() });
    check(outcome === 'bound', `/filter/${i}`, 'Conditions of an interest have no variables.');
  }
  refuse(faults.map(({ pointer, detail }) => ({ pointer: settlePointer(document, pointer), detail })));
}

const messageOf = ({ document }: Pick<Interest, 'document'>) => decodeJson(InterestSchema, document).message;

function refuseInterest(interestId: string): never {
  throw notFound('INTEREST_UNKNOWN', 'interest', interestId, { interest_id: interestId });
}
