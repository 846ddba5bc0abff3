/** Simulates a draft of a configuration on recorded requests. Reports contain no personal IDs. */

import type { SimulateConfigurationRequest } from '../../../gen/es/personalisation/v1/configuration_service_pb.js';
import { itemFields } from '../../deployment/deployment.ts';
import type { RequestRecorder } from '../../events/request-recorder.ts';
import type { ServingEnvironment } from '../../ranking/environment/serving-environment.ts';
import type { RemoteListMaker } from '../../ranking/lists/list-maker.ts';
import { type ActiveConfigurations, activeOf } from '../../ranking/rules/active-configuration.ts';
import type { FoundItem } from '../../ranking/search/serving/served-search.ts';
import type { Database } from '../../repository/database.ts';
import { findHistories } from '../../repository/events/histories.ts';
import type { PendingEvents } from '../../repository/events/pending-events.ts';
import { listRecordedRequests } from '../../repository/kept/recorded-requests.ts';
import { listQueryCounts, mostQueries } from '../../repository/search/search-queries.ts';
import { refuse } from '../chain/refuse.ts';
import type { CheckedDraft } from '../configurations/configurations.ts';
import type { QueryCounts } from '../searches/queries/query-counts.ts';
import { type SimulationOptions, simulate } from './list-simulation.ts';
import { estimatePolicies } from './policy-evaluation.ts';
import { readRequest } from './recorded-request.ts';
import { type SearchSimulationOptions, simulateSearches } from './search-simulation.ts';

const defaultRequestCount = 200;
const mostQueriesTold = 100;
const estimatedRequests = 500;

export type SimulationsOptions = {
  db: Database;
  environments: ReadonlyMap<string, ServingEnvironment>;
  replica: ActiveConfigurations;
  recorder: RequestRecorder;
  queryCounts: Pick<QueryCounts, 'flush'>;
  /** Events that this node has stored recently. */
  pending?: PendingEvents;
  makeLists?: RemoteListMaker;
  clock: () => number;
};

export async function simulateDraft(
  { environment, draft, requestCount, shareKeys }: SimulateConfigurationRequest,
  { parsed, warnings }: CheckedDraft,
  options: SimulationsOptions,
) {
  const { db, environments, replica, recorder, pending, makeLists, clock } = options;
  const serving = environments.get(environment)!;
  const keys = shareKeys.length > 0 ? shareKeys : defaultShareKeys(serving);
  refuse(
    keys.flatMap((key, i) =>
      isKey(key, serving)
        ? []
        : [{ pointer: `/share_keys/${i}`, detail: 'Must be a metadata key of the environment.' }],
    ),
  );
  const count = requestCount ?? defaultRequestCount;
  const configurationId = draft!.configurationId ?? '';
  const drafted = { ...activeOf(0, parsed), configurationId };
  if (parsed.search) {
    const asked = { draft: { ...drafted, search: parsed.search }, queryCount: count, shareKeys: keys };
    return { ...(await simulateOnQueries(serving, asked, options)), warnings };
  }
  await recorder.flush();
  const bodies = await listRecordedRequests(db, environment, count);
  const report = await simulate({
    environment: serving,
    requests: bodies.flatMap((body) => readRequest(serving, body)),
    draft: drafted,
    findConfiguration: (id) => replica.find(id, environment),
    async readHistory({ deviceId, userId }) {
      const lookup = { environment, deviceId, userId, withImpressions: true };
      const [history] = await findHistories(db, [lookup], pending);
      return history;
    },
    makeLists,
    shareKeys: keys,
    nowMs: clock(),
  });
  const estimate = await estimateDraft(environment, drafted, options);
  return { ...report, warnings, estimate };
}

/** Estimates clicks with a draft beside the version in force, if there are explored lists. */
async function estimateDraft(
  environment: string,
  policy: SimulationOptions['draft'],
  options: SimulationsOptions,
) {
  const { configurationId } = policy;
  const against = options.replica.find(configurationId, environment);
  if (!against) return undefined;
  const toMs = options.clock();
  const fromMs = toMs - 30 * 86_400_000;
  const question = { environment, configurationId, fromMs, toMs, requestCount: estimatedRequests };
  const report = await estimatePolicies({ ...question, policy, against, metric: 'clicks' }, options);
  return report.listCount === 0 ? undefined : report;
}

async function simulateOnQueries(
  environment: ServingEnvironment,
  asked: Pick<SearchSimulationOptions, 'draft' | 'queryCount' | 'shareKeys'>,
  { db, replica, queryCounts, clock }: SimulationsOptions,
) {
  await queryCounts.flush();
  const listing = { environment: environment.settings.name, withoutResults: false, limit: mostQueries };
  const counts = await listQueryCounts(db, listing);
  const report = await simulateSearches({
    ...asked,
    environment,
    configurations: replica.searching(),
    queries: counts.map(({ query }) => query),
    nowMs: clock(),
  });
  const searchesOf = new Map(counts.map(({ query, searches }) => [query, searches]));
  const idsOf = (items: readonly FoundItem[]) => items.map(({ itemId }) => itemId);
  return {
    ...report,
    queries: report.queries.slice(0, mostQueriesTold).map(({ query, before, after, ...shown }) => ({
      ...shown,
      query,
      searches: searchesOf.get(query) ?? 0,
      beforeItemIds: idsOf(before),
      afterItemIds: idsOf(after),
    })),
  };
}

function defaultShareKeys({ settings }: ServingEnvironment): string[] {
  return settings.properties.has('brand') ? ['categories', 'brand'] : ['categories'];
}

function isKey(key: string, { settings }: ServingEnvironment): boolean {
  return itemFields.has(key) || settings.properties.has(key) || /^item_attributes\../.test(key);
}
