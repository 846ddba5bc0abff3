import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt';
import {
  type Configuration,
  ConfigurationSchema,
} from '../../../gen/es/personalisation/v1/configuration_pb.js';
import {
  ConfigurationService,
  ConfigurationSummarySchema,
  ConfigurationVersionSchema,
  type EvaluatePolicyRequest,
  type EvaluatePolicyResponseSchema,
  type PutConfigurationRequest,
  type SimulateConfigurationRequest,
  type SimulateConfigurationResponseSchema,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Deployment } from '../../deployment/deployment.ts';
import { DomainError } from '../../errors.ts';
import { decodeJson } from '../../formats/codec.ts';
import { diffDocuments } from '../../formats/diff.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';
import {
  type ConfigurationHead,
  type ConfigurationRow,
  type ConfigurationVersionRow,
  deleteConfiguration,
  findConfiguration,
  findConfigurationVersion,
  listConfigurationHeads,
  listConfigurationIds,
  listConfigurationVersions,
  restoreConfiguration,
  saveConfigurations,
} from '../../repository/configurations/configurations.ts';
import type { Database } from '../../repository/database.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { refuse } from '../chain/refuse.ts';
import { parseStored } from '../grammar/parse-stored.ts';
import { actorOf } from '../messages/actor.ts';
import { documentOf } from '../messages/documents.ts';
import { type PageRequest, readMessages } from '../messages/pages.ts';
import { createConfigurationCheck } from './configuration-check.ts';
import { type Linted, lintConfiguration, type Warning } from './lint.ts';
import type {
  ConfigurationPeriod,
  ConfigurationReplica,
  ParsedConfiguration,
} from './replica/configuration-replica.ts';
import type { Scheduled } from './replica/schedule.ts';
import { scheduledDocuments } from './replica/scheduled-versions.ts';

const versionPages = { usual: 100, most: 1_000 };
const summaryPages = { usual: 1_000, most: 1_000 };

export type CheckedDraft = { parsed: ParsedConfiguration; warnings: Warning[] };

export type SimulateDraft = (
  request: SimulateConfigurationRequest,
  draft: CheckedDraft,
) => Promise<MessageInitShape<typeof SimulateConfigurationResponseSchema>>;

/** Estimates what the sides would have earned; version 0 is a draft. */
export type EvaluateSides = (
  request: EvaluatePolicyRequest,
  sides: { policy: ActiveConfiguration; against: ActiveConfiguration },
) => Promise<MessageInitShape<typeof EvaluatePolicyResponseSchema>>;

export type ConfigurationHandlersOptions = {
  db: Database;
  deployment: Deployment;
  replica: ConfigurationReplica;
  environments: ReadonlyMap<string, ServingEnvironment>;
  simulate: SimulateDraft;
  evaluate: EvaluateSides;
  clock: () => number;
};

export function createConfigurationHandlers(options: ConfigurationHandlersOptions) {
  const { db, deployment, replica, simulate, evaluate, clock } = options;
  const check = createConfigurationCheck(deployment);
  const draftOf = (draft: Configuration) => ({
    ...check(draft, documentOf(ConfigurationSchema, draft)),
    version: 0,
  });
  const lint = (parsed: Linted) => lintConfiguration(parsed, [...options.environments.values()], clock());

  const store = createStoring(options, check, lint);

  return implement(ConfigurationService, {
    async listConfigurations({ withSummaries, ...page }, call) {
      if (!withSummaries) return { configurationIds: await listConfigurationIds(db) };
      const { messages: summaries, nextPageToken } = await readSummaries(db, replica, page, call);
      const configurationIds = summaries.map(({ configurationId }) => configurationId);
      return { configurationIds, summaries, nextPageToken };
    },
    async getConfiguration({ configurationId, version }, call) {
      call.holdsOneElement = true;
      const row = await findRow(db, configurationId, version);
      if (!row?.document) throw unknownConfiguration(configurationId, version);
      return { configuration: messageOf(row) };
    },
    async createConfiguration({ configuration, comment }, call) {
      if (!configuration!.configurationId) refuse([{ pointer: '/configuration_id', detail: 'Is required.' }]);
      return await store(configuration!, { comment }, call);
    },
    async putConfiguration({ configurationId, configuration, ...request }, call) {
      takeIdOfPath(configuration!, configurationId);
      const { expectedVersion, comment } = request;
      const follow = keepScheduled(request, check, clock);
      return await store(configuration!, { expectedVersion, comment }, call, follow);
    },
    async deleteConfiguration({ configurationId, expectedVersion, comment }, call) {
      const write = { configurationId, expectedVersion, comment, ...actorOf(call) };
      const version = await deleteConfiguration(db, write);
      if (version === undefined) throw unknownConfiguration(configurationId);
      replica.apply({ configurationId, version });
      return {};
    },
    async diffConfigurationVersions({ configurationId, fromVersion, toVersion }) {
      const before = await findDocument(db, configurationId, fromVersion);
      const after = await findDocument(db, configurationId, toVersion);
      return { changes: listChanges(before, after) };
    },
    async rollBackConfiguration({ configurationId, version, expectedVersion, comment }, call) {
      const document = await findDocument(db, configurationId, version);
      checkStored(check, document);
      const write = { configurationId, version, expectedVersion, comment, ...actorOf(call) };
      const written = await restoreConfiguration(db, write);
      if (written === undefined) throw unknownConfiguration(configurationId, version);
      replica.apply({ configurationId, version: written, document });
      return { version: written };
    },
    async lintConfiguration({ configuration }) {
      return { warnings: await lint(draftOf(configuration!)) };
    },
    async simulateConfiguration(request) {
      const parsed = draftOf(request.draft!);
      return simulate(request, { parsed, warnings: await lint(parsed) });
    },
    async evaluatePolicy(request) {
      const { configurationId, draft, version, againstVersion } = request;
      const policy = draft ? draftOf(draft) : await findActive(options, configurationId, version);
      const against = await findActive(options, configurationId, againstVersion);
      return evaluate(request, { policy, against });
    },
    async listConfigurationVersions({ configurationId, ...page }, call) {
      const { messages: versions, nextPageToken } = await readVersions(db, configurationId, page, call);
      if (versions.length === 0) throw unknownConfiguration(configurationId);
      return { versions, nextPageToken };
    },
  });
}

/** Returns a function that checks a configuration, stores a version and serves it. */
function createStoring(
  { db, replica }: ConfigurationHandlersOptions,
  check: ReturnType<typeof createConfigurationCheck>,
  lint: (parsed: Linted) => ReturnType<typeof lintConfiguration>,
) {
  return async (configuration: Configuration, write: Write, call: Call, follow?: Follow) => {
    const configurationId = configuration.configurationId!;
    const document = { ...documentOf(ConfigurationSchema, configuration), configuration_id: configurationId };
    const parsed = check(configuration, document);
    const whole = { configurationId, document, ...actorOf(call), ...write };
    const { version, followers } = await saveConfigurations(
      db,
      whole,
      follow && ((former) => follow(former, parsed)),
    );
    for (const [place, one] of [document, ...followers].entries())
      replica.apply({ configurationId, version: version + place, document: one });
    return { version, warnings: await lint(parsed) };
  };
}

/** Finds a version, or the one in force. */
async function findActive(
  { db, replica }: Pick<ConfigurationHandlersOptions, 'db' | 'replica'>,
  configurationId: string,
  version?: number,
): Promise<ActiveConfiguration> {
  const inForce = version === undefined ? replica.find(configurationId) : undefined;
  if (inForce) return inForce;
  const document = await findDocument(db, configurationId, version);
  return { ...parseStored(document), version: version ?? 0 };
}

/** Keeps scheduled versions, if the request wants it. */
function keepScheduled(
  { keepScheduled, scheduledStart: start }: Pick<PutConfigurationRequest, 'keepScheduled' | 'scheduledStart'>,
  check: ReturnType<typeof createConfigurationCheck>,
  clock: () => number,
): Follow | undefined {
  if (start !== undefined && !keepScheduled)
    refuse([{ pointer: 'query:scheduled_start', detail: 'Requires keep_scheduled.' }]);
  if (!keepScheduled) return undefined;
  return (former, added) => {
    const documents = scheduledDocuments(former, added, { nowMs: clock(), start });
    for (const document of documents) checkStored(check, document);
    return documents;
  };
}

/** Checks a stored document against the current deployment, before it is served again. */
function checkStored(check: ReturnType<typeof createConfigurationCheck>, document: unknown): void {
  const { message, violations } = decodeJson(ConfigurationSchema, document);
  refuse(violations);
  check(message, document);
}

/** Sets the ID of the path, which the body may repeat. */
function takeIdOfPath(configuration: Configuration, configurationId: string): void {
  const given = configuration.configurationId;
  if (given !== undefined && given !== configurationId) {
    const detail = `Must be ${JSON.stringify(configurationId)}, as in the path, or absent.`;
    refuse([{ pointer: '/configuration_id', detail }]);
  }
  configuration.configurationId = configurationId;
}

function listChanges(before: unknown, after: unknown) {
  return diffDocuments(before, after).map(({ pointer, ...values }) => ({
    pointer,
    beforeJson: JSON.stringify(values.before),
    afterJson: JSON.stringify(values.after),
  }));
}

type SummariesRequest = PageRequest & { configurationId?: string };

function readSummaries(
  db: Database,
  replica: ConfigurationReplica,
  { configurationId: onlyId, ...page }: SummariesRequest,
  call: Call,
) {
  return readMessages(page, call, {
    kinds: ['string'],
    list: (limit, after) => listConfigurationHeads(db, { limit, afterId: after?.[0], onlyId }),
    keyOf: ({ configurationId }) => [configurationId],
    chosen: ['summaries', onlyId ?? ''],
    limits: summaryPages,
    schema: ConfigurationSummarySchema,
    messageOf: ({ updatedAt, ...head }: ConfigurationHead) => ({
      ...head,
      ...replica.content(head.configurationId),
      updateTime: timestampFromDate(updatedAt),
      periods: replica.periods(head.configurationId).map(periodMessage),
    }),
  });
}

function readVersions(db: Database, configurationId: string, page: PageRequest, call: Call) {
  return readMessages(page, call, {
    kinds: ['number'],
    list: (limit, after) =>
      listConfigurationVersions(db, configurationId, { limit, beforeVersion: after?.[0] }),
    keyOf: ({ version }) => [version],
    chosen: ['versions', configurationId],
    limits: versionPages,
    schema: ConfigurationVersionSchema,
    messageOf: versionMessage,
  });
}

function versionMessage(row: ConfigurationVersionRow) {
  return {
    version: row.version,
    deletion: row.document === undefined,
    createTime: timestampFromDate(row.createdAt),
    clientId: row.clientId ?? '',
    comment: row.comment ?? '',
  };
}

const periodMessage = ({ version, live, activeFromMs, activeUntilMs }: ConfigurationPeriod) => ({
  version,
  live,
  activeFrom: activeFromMs === undefined ? undefined : timestampFromMs(activeFromMs),
  activeUntil: activeUntilMs === undefined ? undefined : timestampFromMs(activeUntilMs),
});

/** Returns documents of versions to write after a new one. @param former Newest first. */
type Follow = (former: ConfigurationVersionRow[], added: Omit<Scheduled, 'version'>) => unknown[];

type Write = { expectedVersion?: number; comment?: string };

/** Returns the document of a version [the newest]. @throws CONFIGURATION_UNKNOWN without one */
async function findDocument(db: Database, configurationId: string, version?: number): Promise<unknown> {
  const row = await findRow(db, configurationId, version);
  if (row?.document === undefined) throw unknownConfiguration(configurationId, version);
  return row.document;
}

/** Returns a version of a configuration [the newest]. */
async function findRow(
  db: Database,
  configurationId: string,
  version?: number,
): Promise<ConfigurationRow | undefined> {
  if (version === undefined) return findConfiguration(db, configurationId);
  const row = await findConfigurationVersion(db, configurationId, version);
  return row && { ...row, deleted: row.document === undefined, updatedAt: row.createdAt };
}

function messageOf(row: ConfigurationRow): Configuration {
  const { message } = decodeJson(ConfigurationSchema, row.document);
  message.version = row.version;
  message.updateTime = timestampFromDate(row.updatedAt);
  return message;
}

function unknownConfiguration(configurationId: string, version?: number): DomainError {
  const which = version === undefined ? '' : ` version ${version}`;
  return new DomainError(
    'CONFIGURATION_UNKNOWN',
    `There is no configuration ${JSON.stringify(configurationId)}${which}.`,
    { metadata: { configuration_id: configurationId } },
  );
}
