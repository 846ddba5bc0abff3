/** The replicas of a node: items with their indexes, configurations and environments. */

import {
  type ConfigurationReplica,
  createConfigurationReplica,
} from '../handlers/configurations/replica/configuration-replica.ts';
import { createDocumentReplica } from '../handlers/documents/document-replica.ts';
import {
  createExperimentReplica,
  type ExperimentReplica,
} from '../handlers/experiments/replica/experiment-replica.ts';
import { parseStored } from '../handlers/grammar/parse-stored.ts';
import { createItemReplica, type ItemReplica } from '../handlers/items/replica/item-replica.ts';
import { createPageReplica, type PageReplica } from '../handlers/pages/page-replica.ts';
import { createIndexUpkeep, type IndexUpkeep } from '../handlers/searches/replica/index-upkeep.ts';
import { type Arrivals, createArrivals } from '../ranking/environment/arrivals.ts';
import { createItemListener, type ItemListener } from '../ranking/environment/item-listener.ts';
import {
  createServingEnvironment,
  type ServingEnvironment,
} from '../ranking/environment/serving-environment.ts';
import { createListThreads, type ListThreads } from '../ranking/lists/threads/list-threads.ts';
import type { Follower } from '../ranking/runtime/follower.ts';
import type { Synonym } from '../ranking/search/search.ts';
import { synonyms as synonymKind } from '../repository/kept/documents.ts';
import type { Node } from './node.ts';

/** Interval at which replicas follow the changes of other nodes. */
export const followIntervalMs = 250;

export type Replicas = {
  items: ItemReplica;
  configurations: ConfigurationReplica;
  experiments: ExperimentReplica;
  environments: ReadonlyMap<string, ServingEnvironment>;
  /** Items added since the current models were trained. */
  arrivalsOf(environment: string): Arrivals;
  synonyms: Follower;
  pages: PageReplica;
  indexUpkeep: IndexUpkeep;
  listThreads: ListThreads;
};

/** @param threadCount Further threads that compute lists. */
export function createReplicas({ db, served, clock, logger, forgetting }: Node, threadCount = 0): Replicas {
  const settingsOf = [...served.values()];
  const arrivals = new Map(
    settingsOf.map(({ name }) => [
      name,
      createArrivals((...arrival) => listThreads.noteArrival(name, ...arrival)),
    ]),
  );
  const items = createItemReplica({
    db,
    environments: settingsOf,
    intervalMs: followIntervalMs,
    onChange: (row, itemIndex) => onItemChange(row, itemIndex),
    logger,
  });
  const following = { db, parse: parseStored, intervalMs: followIntervalMs, logger };
  const configurations = createConfigurationReplica({ ...following, clock });
  const experiments = createExperimentReplica(following);
  const environments = new Map(
    settingsOf.map((settings) => [
      settings.name,
      createServingEnvironment(settings, items.catalogOf(settings.name)),
    ]),
  );
  const documents = { db, environments: [...environments.keys()], intervalMs: followIntervalMs, logger };
  const pages = createPageReplica(documents);
  const synonyms = createDocumentReplica({
    ...documents,
    kind: synonymKind,
    put: (name, id, rule) => environments.get(name)!.searchIndex.synonyms.put(id, rule as Synonym),
  });
  const indexUpkeep = createIndexUpkeep({ db, environments, clock, logger });
  const arrivalsOf = (environment: string) => arrivals.get(environment)!;
  const listThreads = createListThreads({ environments, count: threadCount, forgetting, logger });
  const listen = createItemListener({
    ...{ indexUpkeep, arrivalsOf },
    vectorsOf: (environment) => environments.get(environment)!.vectors,
  });
  const onItemChange: ItemListener = (row, itemIndex) => {
    listen(row, itemIndex);
    listThreads.noteItem(row.environment, itemIndex);
  };
  const followed = { items, configurations, experiments, synonyms, pages };
  return { ...followed, environments, arrivalsOf, indexUpkeep, listThreads };
}
