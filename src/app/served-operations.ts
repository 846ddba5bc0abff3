/** The operations of the service with their handlers. */

import { demoEnvironment } from '../deployment/demo/deployment.ts';
import { DomainError, type Violation } from '../errors.ts';
import { type Agents, createAgents } from '../events/agents.ts';
import { createRefusals } from '../events/refusals.ts';
import { createVisitorNetworks, type VisitorNetworks } from '../events/visitor-networks.ts';
import { createAccountHandlers } from '../handlers/administration/account.ts';
import { createAuditHandlers } from '../handlers/administration/audit.ts';
import { createClientHandlers } from '../handlers/administration/clients.ts';
import { createDiagnosisHandlers } from '../handlers/administration/diagnosis.ts';
import { createEnvironmentHandlers } from '../handlers/administration/environments.ts';
import {
  addDemoAudience,
  type DemoOptions,
  leaveDemo,
  loadDemo,
} from '../handlers/administration/load-demo.ts';
import { createPersonHandlers } from '../handlers/administration/people.ts';
import { createTokenHandlers } from '../handlers/administration/tokens.ts';
import { createTrainingHandlers } from '../handlers/administration/trainings.ts';
import { createAudienceHandlers } from '../handlers/audiences/audiences.ts';
import { createBatchHandlers } from '../handlers/batches/batches.ts';
import { createOperations } from '../handlers/chain/chain.ts';
import type { Operations } from '../handlers/chain/operation.ts';
import { createConfigurationHandlers } from '../handlers/configurations/configurations.ts';
import { createPreviewedDrafts } from '../handlers/configurations/previewed-drafts.ts';
import { createEventHandlers } from '../handlers/events/events.ts';
import { createEventReceiver } from '../handlers/events/receive-events.ts';
import { createVisitorHandlers } from '../handlers/events/visitor-controls.ts';
import { createExperimentHandlers } from '../handlers/experiments/experiments.ts';
import { createImportHandlers } from '../handlers/imports/imports.ts';
import { createCatalogueHandlers } from '../handlers/items/catalogue.ts';
import { createFeedHandlers } from '../handlers/items/feeds.ts';
import { createItemHandlers } from '../handlers/items/items.ts';
import { createItemReceiver } from '../handlers/items/receive-items.ts';
import { createAlertHandlers } from '../handlers/metrics/alerts.ts';
import { createGuaranteeHandlers } from '../handlers/metrics/guarantees.ts';
import { createMetricHandlers } from '../handlers/metrics/metrics.ts';
import { createPerformanceHandlers } from '../handlers/metrics/performance/performance.ts';
import { createViewHandlers } from '../handlers/metrics/views.ts';
import { createPageHandlers } from '../handlers/pages/pages.ts';
import { createPreviewHandlers } from '../handlers/previews/previews.ts';
import { createRecommendationHandlers } from '../handlers/recommendations/recommendations.ts';
import { createBlockedQueryHandlers } from '../handlers/searches/blocked-queries.ts';
import { createSearchHandlers } from '../handlers/searches/searches.ts';
import { createSynonymHandlers } from '../handlers/searches/synonyms.ts';
import { estimatePolicies, readQuestion } from '../handlers/simulations/policy-evaluation.ts';
import { simulateDraft } from '../handlers/simulations/simulations.ts';
import { createStatementHandlers } from '../handlers/statements/statements.ts';
import { createUserHandlers } from '../handlers/users/users.ts';
import { createChangeHandlers } from '../handlers/webhooks/changes.ts';
import { createInterestHandlers } from '../handlers/webhooks/interests.ts';
import { createWebhookHandlers } from '../handlers/webhooks/webhooks.ts';
import { createDoctor } from '../jobs/diagnostics/doctor.ts';
import { createSingleFlight } from '../ranking/runtime/single-flight.ts';
import { localDayOf } from '../ranking/runtime/time-zones.ts';
import { withinTime } from '../ranking/runtime/within-time.ts';
import { foldQuery } from '../ranking/search/serving/query-fingerprint.ts';
import { createBatcher } from '../repository/batcher.ts';
import { bucketOf } from '../repository/buckets.ts';
import { type ItemUpdate, type ItemUpdated, updateItems } from '../repository/items/item-updates.ts';
import { type ItemKey, type ItemRow, type ItemWrite, upsertItems } from '../repository/items/items.ts';
import type { Authenticator } from '../security/authenticate.ts';
import type { Security } from '../security/security.ts';
import { validateRequest } from '../servers/gateway/validate-request.ts';
import { findProblemsOf } from './deployment-fit.ts';
import type { Receivers } from './kafka.ts';
import type { Node } from './node.ts';
import type { Replicas } from './replicas.ts';
import type { Serving } from './serving.ts';
import type { NodeWebhooks } from './webhooks.ts';

const itemsPerTransaction = 200;
const itemsWaiting = 20_000;
/** Longest time that a reader of daily counts waits for pending events. */
const daysPatienceMs = 5_000;

export type ServedOperations = {
  operations: Operations;
  /** Writes the demo's items, configurations and events, once. */
  loadDemo(): Promise<void>;
  leaveDemo(): Promise<void>;
  /** Requests the demo's audience, with models in use; never rejects. */
  addDemoAudience(): Promise<void>;
  /** Store the records of streams. */
  receivers: Receivers;
};

export type OperationParts = {
  replicas: Replicas;
  serving: Serving;
  security: Security;
  webhooks: NodeWebhooks;
  /** Calls are refused until it returns true. */
  hasStarted: () => boolean;
};

export function createServedOperations(node: Node, parts: OperationParts): ServedOperations {
  const { db, deployment, clock, logger } = node;
  const { replicas, serving, security } = parts;
  const { environments } = replicas;
  const { listStore, servedCalls, queryCounts, recorder, completeCounts, readHistory } = serving;
  const agents = createAgents(clock);
  const visitorNetworks = createVisitorNetworks(clock);
  const items = createItemHandlers({
    db,
    deployment,
    replica: replicas.items,
    ...createItemStatements(node),
  });
  const configurations = createConfigurations(node, parts);
  const eventOptions = { ...eventOptionsOf(node, parts), agents, visitorNetworks };
  const events = createEventHandlers(eventOptions);
  const common = { listStore, environments, limits: deployment.limits, agents, servedCalls, logger, clock };
  const shared = { ...common, ...createSteering(node, parts) };
  const audiences = createAudienceHandlers({ ...shared, db, audiences: serving.audiences });
  const operations = createOperations({
    implementations: [
      items,
      configurations,
      events,
      createVisitorHandlers(eventOptions),
      createRecommendationHandlers({ ...shared, pipeline: serving.recommendations, recorder }),
      createPageHandlers({ ...shared, db, pipeline: serving.recommendations, readHistory }),
      createSearchHandlers({ ...shared, visitorNetworks, db, pipeline: serving.searches, queryCounts }),
      createStatementHandlers(shared),
      createSynonymHandlers({ ...serving, synonyms: replicas.synonyms, db, environments, clock }),
      createBlockedQueryHandlers({ db, popularQueries: serving.popularQueries }),
      audiences,
      createBatchHandlers({ ...shared, db, batches: serving.batches }),
      createImportHandlers({ db, imports: serving.imports }),
      createFeedHandlers({
        ...{ db, deployment, clock, catalogOf: replicas.items.catalogOf },
        require: security.authenticator.require,
      }),
      createMetricHandlers({ db, deployment, completeCounts, clock }),
      createPerformance(node, parts),
      ...createWatchHandlers(node),
      createExperimentHandlers({ db, deployment, completeCounts, clock, replica: replicas.experiments }),
      createDiagnosis(node, parts, visitorNetworks, agents),
      createTrainingHandlers({ db, trainer: serving.trainer }),
      createEnvironmentHandlers(replicas.environments),
      createCatalogueHandlers({ db, deployment, replica: replicas.items, environments, clock }),
      createPreviewHandlers({ ...serving, ...shared, deployment }),
      ...createAccessHandlers(security),
      createUserHandlers({ db, people: serving.people }),
      createAuditHandlers({ db, clock }),
      createWebhookHandlers({ db, clock, secrets: security.webhookSecrets, ...parts.webhooks }),
      createInterestHandlers({ db, deployment, environments, clock }),
      createChangeHandlers({ db, stopping: parts.webhooks.stopping }),
    ],
    authenticator: createLateAuthenticator(parts),
    limitRate: security.rateLimits.take,
    hasEnvironment: (name) => deployment.environments.has(name),
    servesEnvironment: (name) => node.served.has(name),
    validate: validateRequest,
  });
  return {
    operations,
    ...createDemo(node, queryCounts, { items, configurations, events, audiences }),
    receivers: {
      events: createEventReceiver(eventOptions),
      items: createItemReceiver({ db, deployment, replica: replicas.items }),
    },
  };
}

function createDemo(
  node: Node,
  queryCounts: Serving['queryCounts'],
  handlers: Omit<DemoOptions, 'db' | 'recordSearch' | 'clock'>,
) {
  const { db, clock, logger } = node;
  return {
    loadDemo: () => loadDemo({ ...handlers, db, clock, recordSearch: demoSearches(node, queryCounts) }),
    leaveDemo: () => leaveDemo({ ...handlers, db }),
    addDemoAudience: () =>
      addDemoAudience({ ...handlers, db }).catch((error) =>
        logger.warn({ err: error }, 'The audience of the demo could not be computed.'),
      ),
  };
}

/** Parts that decide on the lists of requests. */
const createSteering = ({ db, deployment }: Node, { replicas, security }: OperationParts) => ({
  applyPreview: createPreviewedDrafts({ db, deployment, tokens: security.previewTokens }),
  ...{ configurations: replicas.configurations, pages: replicas.pages },
});

/** Returns the function that counts searches of the demo's visitors. */
const demoSearches =
  ({ deployment, clock }: Node, queryCounts: Serving['queryCounts']): DemoOptions['recordSearch'] =>
  (typed, { ageDays, isFound }) => {
    const day = localDayOf(clock(), deployment.environments.get(demoEnvironment)!.timeZone) - ageDays;
    const query = { typed, folded: foldQuery(typed) };
    queryCounts.record(demoEnvironment, query, { day, isFound, isCorrected: false });
  };

const eventOptionsOf = ({ db, deployment, clock, logger }: Node, { replicas, serving }: OperationParts) => ({
  ...{ db, deployment, clock, logger },
  ...{ replica: replicas.items, intake: serving.intake, refusals: createRefusals(clock) },
});

function createPerformance({ db, deployment, clock }: Node, { replicas, serving }: OperationParts) {
  const { queryCounts, dayCounting, completeCounts } = serving;
  const count = createSingleFlight(async () => {
    await queryCounts.flush();
    await dayCounting.run();
  });
  const completeDays = async () => void (await withinTime(daysPatienceMs, count()));
  const { environments } = replicas;
  return createPerformanceHandlers({ db, deployment, environments, completeCounts, completeDays, clock });
}

const createAccessHandlers = (security: Security) => [
  createTokenHandlers(security),
  createClientHandlers(security),
  createAccountHandlers(security),
  createPersonHandlers(security),
];

const createWatchHandlers = ({ db }: Node) => [
  createViewHandlers({ db }),
  createAlertHandlers({ db }),
  createGuaranteeHandlers({ db }),
];

function createConfigurations(
  { db, deployment, clock }: Node,
  { replicas, serving, security: { previewTokens } }: OperationParts,
) {
  const { environments, configurations: replica, listThreads } = replicas;
  const { recorder, queryCounts, pending } = serving;
  const simulations = {
    ...{ db, environments, replica, recorder, queryCounts, clock, pending },
    makeLists: listThreads.makeLists,
  };
  return createConfigurationHandlers({
    ...{ db, deployment, replica, environments, previewTokens, clock },
    simulate: (request, draft) => simulateDraft(request, draft, simulations),
    evaluate: (request, sides) => estimatePolicies(readQuestion(request, sides, clock()), simulations),
  });
}

/** Refuses all calls before the service has started. */
function createLateAuthenticator({ security, hasStarted }: OperationParts): Authenticator {
  const { authenticator } = security;
  return {
    ...authenticator,
    admit(call, need) {
      if (!hasStarted()) throw new DomainError('UNAVAILABLE', 'The service is starting. Retry in a moment.');
      return authenticator.admit(call, need);
    },
  };
}

function createDiagnosis(
  node: Node,
  { replicas, serving }: OperationParts,
  { sharesOf }: Pick<VisitorNetworks, 'sharesOf'>,
  { countsOf: agentsOf }: Pick<Agents, 'countsOf'>,
) {
  const { db, deployment, clock } = node;
  const { excess: excessNames } = serving.nameLimits;
  const findProblems = findProblemsOf(node);
  const memory = { networksOf: sharesOf, agentsOf, excessNames };
  const doctor = createDoctor({ db, clock, ...memory, findProblems });
  return createDiagnosisHandlers({ doctor, deployment, replica: replicas.items });
}

/** Concurrent writes of items share a transaction; concurrent changes of an item keep their order. */
function createItemStatements({ db, bucketCount, queues }: Node) {
  const limits = { maxBatch: itemsPerTransaction, maxQueued: itemsWaiting };
  const partOf = ({ environment, itemType, itemId }: ItemKey) =>
    bucketOf(bucketCount, environment, itemType, itemId);
  return {
    upsert: createBatcher<ItemWrite, ItemRow>({
      ...{ ...limits, partOf },
      queue: { name: 'items', lengths: queues },
      run: (items) => upsertItems(db, items),
    }),
    update: createBatcher<ItemUpdate<Violation[]>, ItemUpdated<Violation[]>>({
      ...{ ...limits, partOf },
      queue: { name: 'item changes', lengths: queues },
      run: (updates) => updateItems(db, updates),
    }),
  };
}
