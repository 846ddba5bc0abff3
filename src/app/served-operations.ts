/** The service's operations, each with the handler that answers it. */

import { DomainError, type Violation } from '../errors.ts';
import { createRefusals } from '../events/refusals.ts';
import { createRobotCheck } from '../events/robots.ts';
import { createVisitorNetworks, type VisitorNetworks } from '../events/visitor-networks.ts';
import { createAuditHandlers } from '../handlers/administration/audit.ts';
import { createClientHandlers } from '../handlers/administration/clients.ts';
import { createDiagnosisHandlers } from '../handlers/administration/diagnosis.ts';
import { createEnvironmentHandlers } from '../handlers/administration/environments.ts';
import { leaveDemo, loadDemo } from '../handlers/administration/load-demo.ts';
import { createTokenHandlers } from '../handlers/administration/tokens.ts';
import { createTrainingHandlers } from '../handlers/administration/trainings.ts';
import { createAudienceHandlers } from '../handlers/audiences/audiences.ts';
import { createBatchHandlers } from '../handlers/batches/batches.ts';
import { createOperations } from '../handlers/chain/chain.ts';
import type { Operations } from '../handlers/chain/operation.ts';
import { createConfigurationHandlers } from '../handlers/configurations/configurations.ts';
import { createEventHandlers } from '../handlers/events/events.ts';
import { createCatalogueHandlers } from '../handlers/items/catalogue.ts';
import { createItemHandlers } from '../handlers/items/items.ts';
import { createExperimentHandlers } from '../handlers/metrics/experiments.ts';
import { createMetricHandlers } from '../handlers/metrics/metrics.ts';
import { createPreviewHandlers } from '../handlers/previews/previews.ts';
import { createRecommendationHandlers } from '../handlers/recommendations/recommendations.ts';
import { createBlockedQueryHandlers } from '../handlers/searches/blocked-queries.ts';
import { createSearchHandlers } from '../handlers/searches/searches.ts';
import { createSynonymHandlers } from '../handlers/searches/synonyms.ts';
import { simulateDraft } from '../handlers/simulations/simulations.ts';
import { createUserHandlers } from '../handlers/users/users.ts';
import { createDoctor } from '../jobs/diagnostics/doctor.ts';
import { createBatcher } from '../repository/batcher.ts';
import { bucketOf } from '../repository/buckets.ts';
import { type ItemUpdate, type ItemUpdated, updateItems } from '../repository/items/item-updates.ts';
import { type ItemKey, type ItemRow, type ItemWrite, upsertItems } from '../repository/items/items.ts';
import type { Security } from '../security/security.ts';
import { validateRequest } from '../servers/gateway/validate-request.ts';
import type { Engine } from './engine.ts';
import type { Memory } from './memory.ts';
import type { Node } from './node.ts';

const itemsPerTransaction = 200;
const itemsWaiting = 20_000;

export type ServedOperations = {
  operations: Operations;
  /** Writes the demo's items, configurations and events, once. */
  loadDemo(): Promise<void>;
  leaveDemo(): Promise<void>;
};

export type OperationParts = {
  memory: Memory;
  engine: Engine;
  security: Security;
  /** Until then every call is refused. */
  hasStarted: () => boolean;
};

export function createServedOperations(node: Node, parts: OperationParts): ServedOperations {
  const { db, deployment, clock, logger } = node;
  const { memory, engine, security, hasStarted } = parts;
  const { environments } = memory;
  const { listStore, servedCalls, queryCounts, recorder } = engine;
  const isRobot = createRobotCheck();
  const visitorNetworks = createVisitorNetworks(clock);
  const items = createItemHandlers({ db, deployment, replica: memory.items, ...createItemStatements(node) });
  const simulations = {
    ...{ db, environments, replica: memory.configurations, recorder, queryCounts, clock },
    unfolded: engine.unfolded,
    makeLists: memory.listThreads.makeLists,
  };
  const configurations = createConfigurationHandlers({
    ...{ db, deployment, replica: memory.configurations, environments, clock },
    simulate: (request, draft) => simulateDraft(request, draft, simulations),
  });
  const events = createEventHandlers({
    db,
    deployment,
    ...{ replica: memory.items, intake: engine.intake },
    refusals: createRefusals(clock),
    ...{ isRobot, visitorNetworks },
    clock,
    logger,
  });
  const { limits } = deployment;
  const serving = { listStore, environments, limits, isRobot, servedCalls, logger, clock };
  const operations = createOperations({
    implementations: [
      items,
      configurations,
      events,
      createRecommendationHandlers({ ...serving, pipeline: engine.recommendations, recorder }),
      createSearchHandlers({ ...serving, visitorNetworks, db, pipeline: engine.searches, queryCounts }),
      createSynonymHandlers({ ...engine, db, environments, clock }),
      createBlockedQueryHandlers({ db, popularQueries: engine.popularQueries }),
      createAudienceHandlers({
        ...serving,
        db,
        audiences: engine.audiences,
        configurations: memory.configurations,
      }),
      createBatchHandlers({ ...serving, db, batches: engine.batches }),
      createMetricHandlers({ db, deployment, completeCounts: engine.completeCounts, clock }),
      createExperimentHandlers({ db, deployment, completeCounts: engine.completeCounts, clock }),
      createDiagnosis(node, parts, visitorNetworks),
      createTrainingHandlers({ db, trainer: engine.trainer }),
      createEnvironmentHandlers({ served: node.served, replica: memory.items }),
      createCatalogueHandlers({ db, deployment, replica: memory.items, environments, clock }),
      createPreviewHandlers({ ...engine, deployment, environments }),
      createTokenHandlers(security),
      createClientHandlers(security),
      createUserHandlers({ db, people: engine.people }),
      createAuditHandlers({ db }),
    ],
    authenticator: {
      ...security.authenticator,
      admit(call, need) {
        if (!hasStarted())
          throw new DomainError('UNAVAILABLE', 'The service is starting; try again in a moment.');
        return security.authenticator.admit(call, need);
      },
    },
    limitRate: security.rateLimits.take,
    hasEnvironment: (name) => deployment.environments.has(name),
    servesEnvironment: (name) => node.served.has(name),
    validate: validateRequest,
  });
  return {
    operations,
    loadDemo: () => loadDemo({ db, items, configurations, events, clock }),
    leaveDemo: () => leaveDemo({ db, configurations }),
  };
}

function createDiagnosis(
  { db, deployment, clock }: Node,
  { memory, engine }: OperationParts,
  { sharesOf }: Pick<VisitorNetworks, 'sharesOf'>,
) {
  const doctor = createDoctor({ db, clock, networksOf: sharesOf, excessNames: engine.nameLimits.excess });
  return createDiagnosisHandlers({ doctor, deployment, replica: memory.items });
}

/** Concurrent writes of items share a transaction, and concurrent changes do not overtake each other. */
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
