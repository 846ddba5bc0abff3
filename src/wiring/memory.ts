/** What a node holds in memory and can always read again: items with their indexes, configurations, environments. */

import { createItemReplica, type ItemReplica } from '../catalog/item-replica.ts';
import {
  type ConfigurationReplica,
  createConfigurationReplica,
} from '../configurations/configuration-replica.ts';
import { parseStored } from '../configurations/grammar/parse-stored.ts';
import { type Arrivals, createArrivals } from '../serving/environment/arrivals.ts';
import { createIndexUpkeep, type IndexUpkeep } from '../serving/environment/index-upkeep.ts';
import { createItemListener, type ItemListener } from '../serving/environment/item-listener.ts';
import {
  createServingEnvironment,
  type ServingEnvironment,
} from '../serving/environment/serving-environment.ts';
import { createListThreads, type ListThreads } from '../serving/threads/list-threads.ts';
import type { Node } from './node.ts';

/** A change made on another node is seen after this long. */
export const followIntervalMs = 250;

export type Memory = {
  items: ItemReplica;
  configurations: ConfigurationReplica;
  environments: ReadonlyMap<string, ServingEnvironment>;
  /** Items that came since the models in use were trained. */
  arrivalsOf(environment: string): Arrivals;
  indexUpkeep: IndexUpkeep;
  listThreads: ListThreads;
};

/** @param threadCount Threads that make lists beside this one. */
export function createMemory({ db, served, clock, logger, forgetting }: Node, threadCount = 0): Memory {
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
  const configurations = createConfigurationReplica({
    db,
    parse: parseStored,
    intervalMs: followIntervalMs,
    clock,
    logger,
  });
  const environments = new Map(
    settingsOf.map((settings) => [
      settings.name,
      createServingEnvironment(settings, items.catalogOf(settings.name)),
    ]),
  );
  const indexUpkeep = createIndexUpkeep({ db, environments, clock, logger });
  const arrivalsOf = (environment: string) => arrivals.get(environment)!;
  const listThreads = createListThreads({ environments, count: threadCount, forgetting, logger });
  const listen = createItemListener({ indexUpkeep, arrivalsOf });
  const onItemChange: ItemListener = (row, itemIndex) => {
    listen(row, itemIndex);
    listThreads.noteItem(row.environment, itemIndex);
  };
  return { items, configurations, environments, arrivalsOf, indexUpkeep, listThreads };
}
