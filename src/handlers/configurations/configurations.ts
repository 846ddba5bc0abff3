import type { MessageInitShape } from '@bufbuild/protobuf';
import {
  type Configuration,
  ConfigurationSchema,
} from '../../../gen/es/personalisation/v1/configuration_pb.js';
import {
  ConfigurationService,
  type EvaluatePolicyRequest,
  type EvaluatePolicyResponseSchema,
  type PutConfigurationRequest,
  type SimulateConfigurationRequest,
  type SimulateConfigurationResponseSchema,
} from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import type { Deployment } from '../../deployment/deployment.ts';
import { decodeJson } from '../../formats/codec.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { ActiveConfiguration } from '../../ranking/rules/active-configuration.ts';
import {
  type ConfigurationVersionRow,
  deleteConfiguration,
  restoreConfiguration,
  saveConfigurations,
} from '../../repository/configurations/configurations.ts';
import type { Database } from '../../repository/database.ts';
import type { Call } from '../chain/call.ts';
import { implement } from '../chain/implement.ts';
import { checkId, refuse } from '../chain/refuse.ts';
import { parseStored } from '../grammar/parse-stored.ts';
import { actorOf } from '../messages/actor.ts';
import { documentOf } from '../messages/documents.ts';
import { environmentsOf } from '../messages/environments-of.ts';
import { createConfigurationCheck } from './configuration-check.ts';
import { createConfigurationReads, findDocument, unknownConfiguration } from './configuration-reads.ts';
import { createDraftCommentHandlers, createDraftHandlers, type DraftHandlersOptions } from './drafts.ts';
import { type Linted, lintConfiguration, type Warning } from './lint.ts';
import { activeDraft } from './previewed-drafts.ts';
import { isReached, requireWrite } from './reach.ts';
import type { ConfigurationReplica, ParsedConfiguration } from './replica/configuration-replica.ts';
import type { Scheduled } from './replica/schedule.ts';
import { scheduledDocuments } from './replica/scheduled-versions.ts';

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
  previewTokens: DraftHandlersOptions['previewTokens'];
  clock: () => number;
};

export function createConfigurationHandlers(options: ConfigurationHandlersOptions) {
  const { db, deployment, replica, simulate, evaluate, clock } = options;
  const check = createConfigurationCheck(deployment);
  const draftOf = (draft: Configuration) => activeDraft(draft, check);
  /** Judges by the environments that the caller reaches. */
  const lint: Lint = (parsed, reached) => {
    const environments = [...options.environments.values()].filter(({ settings }) => reached(settings.name));
    return lintConfiguration(parsed, environments, clock());
  };
  const requireChange = createChangeCheck(options);
  const store = createStoring(options, check, lint);

  return implement(ConfigurationService, {
    ...createConfigurationReads({ db, replica }),
    ...createDraftHandlers(options, check),
    ...createDraftCommentHandlers(options),
    async createConfiguration({ configuration, comment }, call) {
      if (!configuration!.configurationId) refuse([{ pointer: '/configuration_id', detail: 'Is required.' }]);
      return await store(configuration!, { comment }, call);
    },
    async putConfiguration({ configurationId, configuration, ...request }, call) {
      refuse(checkId(configuration!.configurationId, configurationId, '/configuration_id'));
      configuration!.configurationId = configurationId;
      const { expectedVersion, comment } = request;
      const follow = keepScheduled(request, check, clock, call);
      return await store(configuration!, { expectedVersion, comment }, call, follow);
    },
    async deleteConfiguration({ configurationId, expectedVersion, comment }, call) {
      requireChange(call, configurationId);
      const write = { configurationId, expectedVersion, comment, ...actorOf(call) };
      const version = await deleteConfiguration(db, write);
      if (version === undefined) throw unknownConfiguration(configurationId);
      replica.apply({ configurationId, version });
      return {};
    },
    async rollBackConfiguration({ configurationId, version, expectedVersion, comment }, call) {
      const document = await findDocument(db, call, configurationId, version);
      requireChange(call, configurationId);
      requireWrite(call, environmentsOf(document));
      checkStored(check, document);
      const write = { configurationId, version, expectedVersion, comment, ...actorOf(call) };
      const written = await restoreConfiguration(db, write);
      if (written === undefined) throw unknownConfiguration(configurationId, version);
      replica.apply({ configurationId, version: written, document });
      return { version: written };
    },
    async lintConfiguration({ configuration }, call) {
      return { warnings: await lint(draftOf(configuration!), (name) => isReached(call, name)) };
    },
    async simulateConfiguration(request) {
      const parsed = draftOf(request.draft!);
      const warnings = await lint(parsed, (name) => name === request.environment);
      return simulate(request, { parsed, warnings });
    },
    async evaluatePolicy(request, call) {
      const { draft, version, againstVersion } = request;
      const policy = draft ? draftOf(draft) : await findActive(options, request, call, version);
      const against = await findActive(options, request, call, againstVersion);
      return evaluate(request, { policy, against });
    },
  });
}

type Lint = (
  parsed: Linted,
  reached: (environment: string) => boolean,
) => ReturnType<typeof lintConfiguration>;

/** Returns a function that checks the rights to the versions that a write replaces or may hide. */
function createChangeCheck({ replica }: ConfigurationHandlersOptions) {
  return (call: Call, configurationId: string) => {
    for (const environments of replica.reaches(configurationId)) requireWrite(call, environments);
  };
}

/** Returns a function that checks a configuration, stores a version and serves it. */
function createStoring(
  options: ConfigurationHandlersOptions,
  check: ReturnType<typeof createConfigurationCheck>,
  lint: Lint,
) {
  const { db, replica } = options;
  const requireChange = createChangeCheck(options);
  return async (configuration: Configuration, write: Write, call: Call, follow?: Follow) => {
    const configurationId = configuration.configurationId!;
    const document = { ...documentOf(ConfigurationSchema, configuration), configuration_id: configurationId };
    const parsed = check(configuration, document);
    requireChange(call, configurationId);
    requireWrite(call, configuration.environments);
    const whole = { configurationId, document, ...actorOf(call), ...write };
    const { version, followers } = await saveConfigurations(
      db,
      whole,
      follow && ((former) => follow(former, parsed)),
    );
    for (const [place, one] of [document, ...followers].entries())
      replica.apply({ configurationId, version: version + place, document: one });
    return { version, warnings: await lint(parsed, (name) => isReached(call, name)) };
  };
}

/** Finds a version, or the one in force. */
async function findActive(
  { db, replica }: ConfigurationHandlersOptions,
  { environment, configurationId }: EvaluatePolicyRequest,
  call: Call,
  version?: number,
): Promise<ActiveConfiguration> {
  const inForce = version === undefined ? replica.find(configurationId, environment) : undefined;
  if (inForce) return inForce;
  const within = { ...call, reach: [environment] };
  return { ...parseStored(await findDocument(db, within, configurationId, version)), version: version ?? 0 };
}

/** Keeps scheduled versions, if the request wants it. */
function keepScheduled(
  { keepScheduled, scheduledStart: start }: Pick<PutConfigurationRequest, 'keepScheduled' | 'scheduledStart'>,
  check: ReturnType<typeof createConfigurationCheck>,
  clock: () => number,
  call: Call,
): Follow | undefined {
  if (start !== undefined && !keepScheduled)
    refuse([{ pointer: 'query:scheduled_start', detail: 'Requires keep_scheduled.' }]);
  if (!keepScheduled) return undefined;
  return (former, added) => {
    const documents = scheduledDocuments(former, added, { nowMs: clock(), start });
    for (const document of documents) {
      /** The replica, by which the call was admitted, may not know all versions yet. */
      requireWrite(call, environmentsOf(document));
      checkStored(check, document);
    }
    return documents;
  };
}

/** Checks a stored document against the current deployment, before it is served again. */
function checkStored(check: ReturnType<typeof createConfigurationCheck>, document: unknown): void {
  const { message, violations } = decodeJson(ConfigurationSchema, document);
  refuse(violations);
  check(message, document);
}

/** Returns documents of versions to write after a new one. @param former Newest first. */
type Follow = (former: ConfigurationVersionRow[], added: Omit<Scheduled, 'version'>) => unknown[];

type Write = { expectedVersion?: number; comment?: string };
