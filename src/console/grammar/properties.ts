/** What conditions may be about: the fields of every item, and what the deployment declares. */

import { useMemo } from 'react';
import type { EnvironmentSettings } from '../../../gen/es/personalisation/v1/environment_pb.js';
import { useConsole } from '../service/console-context.ts';
import { keyWords } from './words.ts';

export type PropertyType = 'text' | 'string' | 'string[]' | 'number' | 'boolean' | 'datetime';

export type Property = { key: string; type: PropertyType; label: string; group: string };

const fields: [key: string, type: PropertyType][] = [
  ['item_type', 'string'],
  ['categories', 'string[]'],
  ['tags', 'string[]'],
  ['language', 'string'],
  ['publication_datetime', 'datetime'],
  ['expiration_datetime', 'datetime'],
  ['group_id', 'string'],
  ['title', 'text'],
  ['description', 'text'],
  ['item_id', 'text'],
  ['uri', 'text'],
];

export function useProperties(): Property[] {
  const { environments } = useConsole();
  return useMemo(() => listProperties(environments), [environments]);
}

/** Configurations hold for all environments, so what any of them declares may be used. */
function listProperties(environments: EnvironmentSettings[]): Property[] {
  const declared = environments.flatMap(({ itemTypes }) =>
    itemTypes.flatMap(({ name, properties }) =>
      properties.map((property) => ({
        key: property.name,
        type: property.type as PropertyType,
        label: keyWords(property.name),
        group: `Of ${name}`,
      })),
    ),
  );
  const known = fields.map(([key, type]) => ({ key, type, label: keyWords(key), group: 'Of every item' }));
  const distinct = new Map([...known, ...declared].map((property) => [property.key, property]));
  return [...distinct.values()];
}

/** A further fact of items is a text. */
export function propertyOf(properties: Property[], key: string): Property {
  const known = properties.find((property) => property.key === key);
  return known ?? { key, type: 'string', label: keyWords(key), group: 'Further facts' };
}
