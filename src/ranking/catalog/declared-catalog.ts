/** Creates the empty catalogue of an environment from its settings. */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';
import { type Catalog, createCatalog } from './catalog.ts';

export function createDeclaredCatalog(settings: EnvironmentSettings): Catalog {
  const { name, timeZone, properties, itemTypes, returnedFields } = settings;
  return createCatalog({
    environment: name,
    timeZone,
    properties: [...properties.values()],
    itemTypes: [...itemTypes.keys()],
    groupOrders: groupOrdersOf(itemTypes),
    holdsImages: returnedFields.has('images'),
  });
}

function groupOrdersOf(itemTypes: EnvironmentSettings['itemTypes']): Map<string, readonly string[]> {
  const ordered = [...itemTypes.values()].filter(({ groupOrder }) => groupOrder.length > 0);
  return new Map(ordered.map(({ name, groupOrder }) => [name, groupOrder]));
}
