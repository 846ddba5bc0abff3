/** What a node holds in memory and can always read again: items with their indexes, configurations, environments. */

import { createItemReplica, type ItemReplica } from '../catalog/item-replica.ts';
import {
  type ConfigurationReplica,
  createConfigurationReplica,
} from '../configurations/configuration-replica.ts';
import { parseStored } from '../handlers/configuration-check.ts';
import { featuresOf } from '../models/features.ts';
import { type Arrivals, createArrivals } from '../recommend/arrivals.ts';
import { createIndexUpkeep, type IndexUpkeep } from '../recommend/index-upkeep.ts';
import { createServingEnvironment, type ServingEnvironment } from '../recommend/serving-environment.ts';
import { contentOf } from '../training/item-content.ts';
import type { Node } from './node.ts';

/** A change made on another node is seen after this long. */
const followIntervalMs = 250;

export type Memory = {
  items: ItemReplica;
  configurations: ConfigurationReplica;
  environments: ReadonlyMap<string, ServingEnvironment>;
  /** Items that came since the models in use were trained. */
  arrivalsOf(environment: string): Arrivals;
  indexUpkeep: IndexUpkeep;
};

export function createMemory({ db, deployment, clock, logger }: Node): Memory {
  const settingsOf = [...deployment.environments.values()];
  const arrivals = new Map(settingsOf.map(({ name }) => [name, createArrivals()]));
  const items = createItemReplica({
    db,
    environments: settingsOf,
    intervalMs: followIntervalMs,
    onChange({ environment, document }, itemIndex) {
      const item = document as Record<string, unknown>;
      indexUpkeep.apply(environment, itemIndex, item);
      arrivals.get(environment)!.add(itemIndex, () => featuresOf(contentOf(item)));
    },
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
  return { items, configurations, environments, arrivalsOf, indexUpkeep };
}
