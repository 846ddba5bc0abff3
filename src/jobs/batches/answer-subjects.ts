/** Makes the lists of many subjects, one by one beside requests. */

import { DomainError } from '../../errors.ts';
import { noHistory } from '../../events/histories/history-reader.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { History } from '../../ranking/history.ts';
import { newAnswerId } from '../../ranking/lists/answer-id.ts';
import { createListMaker } from '../../ranking/lists/list-maker.ts';
import { identify } from '../../ranking/lists/person/identify.ts';
import type { RecommendationRequest } from '../../ranking/lists/recommendation-request.ts';
import type { ActiveConfiguration, ActiveConfigurations } from '../../ranking/rules/active-configuration.ts';
import type { Slicer } from '../../ranking/runtime/slices.ts';
import type { Database } from '../../repository/database.ts';
import { findHistories } from '../../repository/events/histories.ts';
import type { PendingEvents } from '../../repository/events/pending-events.ts';
import { type Answered, answeredList, personOf } from './answered.ts';
import type { SubjectSource } from './gather-subjects.ts';

export type BatchPlan = {
  environment: string;
  configurationIds: readonly string[];
  /** Undefined when the request names the subjects. */
  source: SubjectSource | undefined;
  /** Returns the request of one subject, without a deadline. */
  requestOf(person: { userId?: string; deviceId?: string }): RecommendationRequest;
};

export type Answerer = {
  /** Reads histories; the map is by subject. */
  read(plan: BatchPlan, subjects: readonly string[]): Promise<ReadonlyMap<string, History>>;
  answer(plan: BatchPlan, subject: string, history: History): Answered;
  /** Throws a DomainError when no list can be made for the plan. */
  check(plan: BatchPlan): void;
};

export type AnswererOptions = {
  db: Database;
  /** The latest events that this node has stored. */
  pending: PendingEvents;
  environments: ReadonlyMap<string, ServingEnvironment>;
  configurations: Pick<ActiveConfigurations, 'find'>;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

export function createAnswerer(options: AnswererOptions): Answerer {
  const { db, pending, environments, configurations, clock } = options;
  const makeLists = createListMaker();
  const activeOf = ({ configurationIds, environment }: BatchPlan): ActiveConfiguration[] =>
    configurationIds.map((id) => configurations.find(id, environment) ?? refuseConfiguration(id));

  const answer: Answerer['answer'] = (plan, subject, history) => {
    const environment = environments.get(plan.environment)!;
    const person = personOf(subject);
    const request = plan.requestOf(person);
    /** The device on which a user reads the answer is not known. */
    const deviceId = person.deviceId ?? person.userId!;
    const identity = identify({ ...request, deviceId }, environment.settings);
    const requestId = newAnswerId();
    const made = makeLists({
      /** Only stored lists are explored. */
      request: { ...request, doNotStore: true },
      environment,
      identity,
      active: activeOf(plan),
      history: identity.lists === 'recommended' ? history : noHistory,
      requestId,
      nowMs: clock(),
    });
    return [subject, requestId, identity.userGroup, identity.version, made.map(answeredList)];
  };

  return {
    async read(plan, subjects) {
      const { environment } = plan;
      const lookups = subjects.map((subject) => ({
        environment,
        ...personOf(subject),
        withImpressions: true,
      }));
      const histories = await findHistories(db, lookups, pending);
      return new Map(subjects.map((subject, i) => [subject, histories[i]]));
    },
    answer,
    check: (plan) => void answer(plan, 'u:', noHistory),
  };
}

export type AnswerPartOptions = {
  histories: ReadonlyMap<string, History>;
  yieldSlice: Slicer;
  signal: AbortSignal;
};

/** Answers the subjects of a part in their order; null stays for a deleted subject. */
export async function answerAll(
  { answer }: Pick<Answerer, 'answer'>,
  plan: BatchPlan,
  subjects: readonly (string | null)[],
  { histories, yieldSlice, signal }: AnswerPartOptions,
): Promise<(Answered | null)[]> {
  const answers: (Answered | null)[] = [];
  for (const subject of subjects) {
    signal.throwIfAborted();
    answers.push(subject === null ? null : answer(plan, subject, histories.get(subject)!));
    await yieldSlice();
  }
  return answers;
}

function refuseConfiguration(configurationId: string): never {
  throw new DomainError(
    'CONFIGURATION_UNKNOWN',
    `There is no configuration ${JSON.stringify(configurationId)}.`,
    { metadata: { configuration_id: configurationId } },
  );
}
