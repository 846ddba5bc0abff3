/** Loads the demo's data through the public handlers. */

import { isDeepStrictEqual } from 'node:util';
import { create, type Message } from '@bufbuild/protobuf';
import { CreateAudienceRequestSchema } from '../../../gen/es/personalisation/v1/audience_service_pb.js';
import { ConfigurationSchema } from '../../../gen/es/personalisation/v1/configuration_pb.js';
import {
  CreateConfigurationRequestSchema,
  DeleteConfigurationRequestSchema,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { ImportEventsRequestSchema } from '../../../gen/es/personalisation/v1/event_service_pb.js';
import { ImportItemsRequestSchema } from '../../../gen/es/personalisation/v1/item_service_pb.js';
import demoConfigurations from '../../deployment/demo/configurations.json' with { type: 'json' };
import { demoEnvironment } from '../../deployment/demo/deployment.ts';
import { demoItems } from '../../deployment/demo/items.ts';
import { type Shown, shownDays, shownLists } from '../../deployment/demo/shown-lists.ts';
import demoTrainings from '../../deployment/demo/trainings.json' with { type: 'json' };
import { demoEvents } from '../../deployment/demo/visitors.ts';
import { decodeJson } from '../../formats/codec.ts';
import { exposureOf } from '../../ranking/lists/person/treatment.ts';
import { fingerprintOf, foldQuery, requestIdOf } from '../../ranking/search/serving/query-fingerprint.ts';
import { listAudiences } from '../../repository/audiences/audiences.ts';
import { findConfiguration } from '../../repository/configurations/configurations.ts';
import type { Database } from '../../repository/database.ts';
import {
  type ExperimentDefinition,
  findExperiment,
  saveExperiment,
} from '../../repository/experiments/experiments.ts';
import { findLastLocalNumber } from '../../repository/feeds.ts';
import { addExposures } from '../../repository/metrics/metric-served.ts';
import { findSetting, upsertSetting } from '../../repository/settings.ts';
import { insertPastTrainings } from '../../repository/training/training-history.ts';
import type { Call } from '../chain/call.ts';
import type { Implementation } from '../chain/chain.ts';
import type { StreamHandler, UnaryHandler } from '../chain/operation.ts';

const setting = 'demo_loaded';
export const demoSeed = 1;
const eventsPerBatch = 2_000;
const dayMs = 86_400_000;
const trainingMs = 4_000;
/** Products of the demo's audience. */
const promoted = ['baseplate-compass-with-slope-gauge', 'waterproof-map-case-folded-a4'];

export type DemoOptions = {
  db: Database;
  items: Implementation;
  configurations: Implementation;
  events: Implementation;
  audiences: Implementation;
  /** Counts a search of the demo's visitors, `ageDays` days ago. */
  recordSearch(query: string, search: { ageDays: number; isFound: boolean }): void;
  clock: () => number;
};

/** Stored when the demo has been loaded. */
type Loaded = { at: string; seed: number; isLeft?: boolean };

/** Loads the demo once. An interrupted load starts again without storing anything twice. */
export async function loadDemo(options: DemoOptions): Promise<void> {
  const { db, items, configurations, events, recordSearch, clock } = options;
  const loaded = (await findSetting(db, setting)) as Loaded | undefined;
  if (loaded?.isLeft) {
    await createConfigurations({ db, configurations });
    await upsertSetting(db, setting, { ...loaded, isLeft: false });
  }
  if (loaded !== undefined) return;
  const now = new Date(clock());
  const documents = demoItems({ now });
  await drain(items.handlers.importItems as StreamHandler, [
    create(ImportItemsRequestSchema, { environment: demoEnvironment, items: documents.map(toRecord) }),
  ]);
  await createConfigurations({ db, configurations });
  const visited = demoEvents({ now, items: documents, seed: demoSeed });
  const shown = shownLists({
    ...{ visits: visited, items: documents, nowMs: now.getTime() },
    searchIdOf: (query) => requestIdOf(fingerprintOf(foldQuery(query))),
  });
  const visits = [...visited, ...shown.events].sort((a, b) => a.timestamp - b.timestamp).map(toRecord);
  for (let start = 0; start < visits.length; start += eventsPerBatch) {
    const batch = { environment: demoEnvironment, events: visits.slice(start, start + eventsPerBatch) };
    await drain(events.handlers.importEvents as StreamHandler, [create(ImportEventsRequestSchema, batch)]);
  }
  await addExperiment(db, shown, now.getTime());
  await addTrainings(db, now.getTime());
  for (const { query, ageDays, isFound } of shown.searches) recordSearch(query, { ageDays, isFound });
  await upsertSetting(db, setting, { at: now.toISOString(), seed: demoSeed });
}

/** A stopped experiment, so that it changes no list, with two weeks of results. */
async function addExperiment(db: Database, { assignments }: Shown, nowMs: number): Promise<void> {
  const experimentId = 'more-trends';
  const name = { environment: demoEnvironment, experimentId };
  if (await findExperiment(db, demoEnvironment, experimentId)) return;
  const startedAtMs = nowMs - (shownDays - 1) * dayMs;
  const definition: ExperimentDefinition = {
    hypothesis: 'More weight on the trends of the week raises clicks.',
    variants: [
      { name: 'control', share: 1, configurations: {}, models: {} },
      { name: 'trends', share: 1, configurations: {}, models: { trending: 2 } },
    ],
    ...{ traffic: 1, audience: {}, guardrails: [], ramp: [{ share: 1, hours: 0 }] },
    metric: 'click_through_rate',
  };
  await saveExperiment(
    db,
    { ...name, since: await findLastLocalNumber(db, 'experiments'), action: 'experiments.put' },
    {
      state: 'stopped',
      definition,
      progress: { share: 1, from: 0, startedAtMs, endedAtMs: nowMs },
    },
  );
  const exposures = assignments.map(({ device_id, variant }) => ({
    ...{ environment: demoEnvironment, day: Math.floor(startedAtMs / dayMs), device_id, user_group: '' },
    version: exposureOf(experimentId, variant),
  }));
  await addExposures(db, exposures);
}

/** Adds past trainings, with figures measured on the demo's events of their time. */
async function addTrainings(db: Database, nowMs: number): Promise<void> {
  const trainings = demoTrainings.map(({ age_days: ageDays, ...training }) => {
    const startedAt = new Date(nowMs - ageDays * dayMs);
    const endedAt = new Date(startedAt.getTime() + trainingMs);
    const times = { requested_at: startedAt, started_at: startedAt, ended_at: endedAt };
    return { ...training, ...times, progress: 1, attempts: 1 };
  });
  await insertPastTrainings(db, demoEnvironment, trainings);
}

/** Requests an audience unless there is one. */
export async function addDemoAudience({ db, audiences }: Pick<DemoOptions, 'db' | 'audiences'>) {
  if ((await listAudiences(db, demoEnvironment, 1)).length > 0) return;
  const createAudience = audiences.handlers.createAudience as UnaryHandler;
  const promotion = promoted.map((id) => ({ id, itemType: 'item' }));
  const audience = { audienceName: 'Hikers', audienceSize: 50, integrationType: 'email', promotion };
  await createAudience(create(CreateAudienceRequestSchema, { environment: demoEnvironment, audience }), call);
}

/** Deletes the demo's configurations for another deployment, except those that were changed. */
export async function leaveDemo({ db, configurations }: Pick<DemoOptions, 'db' | 'configurations'>) {
  const loaded = (await findSetting(db, setting)) as Loaded | undefined;
  if (loaded === undefined || loaded.isLeft) return;
  const deleteConfiguration = configurations.handlers.deleteConfiguration as UnaryHandler;
  for (const document of demoConfigurations) {
    const { configuration_id: configurationId } = document;
    const stored = await findConfiguration(db, configurationId);
    if (!isDeepStrictEqual(stored?.document, document)) continue;
    const comment = 'The deployment is no longer the demo.';
    await deleteConfiguration(create(DeleteConfigurationRequestSchema, { configurationId, comment }), call);
  }
  await upsertSetting(db, setting, { ...loaded, isLeft: true });
}

/** Leaves existing configurations with the same IDs. */
async function createConfigurations({ db, configurations }: Pick<DemoOptions, 'db' | 'configurations'>) {
  const createConfiguration = configurations.handlers.createConfiguration as UnaryHandler;
  for (const document of demoConfigurations) {
    if (await findConfiguration(db, document.configuration_id)) continue;
    const { message: configuration } = decodeJson(ConfigurationSchema, document);
    await createConfiguration(
      create(CreateConfigurationRequestSchema, { configuration, comment: 'The built-in demo.' }),
      call,
    );
  }
}

/** The service itself, without a caller. */
const call: Call = { transport: 'grpc', requestId: 'demo', peer: '', reach: 'everywhere' };

function toRecord(document: unknown, index: number) {
  return { line: BigInt(index + 1), form: { case: 'json' as const, value: JSON.stringify(document) } };
}

/** The demo's data is part of the program, so a refused record is an internal error. */
async function drain(handler: StreamHandler, requests: Message[]): Promise<void> {
  for await (const response of handler(toStream(requests), call)) {
    const { refused } = response as Message & {
      refused: { line: bigint; details: { pointer: string; detail: string }[] }[];
    };
    if (refused.length === 0) continue;
    const [{ line, details }] = refused;
    throw new Error(`Record ${line} of the demo is refused: ${details[0].pointer}: ${details[0].detail}`);
  }
}

async function* toStream(requests: Message[]): AsyncIterable<Message> {
  yield* requests;
}
