/** Properties for conditions: the fields of every item, and those that the deployment declares. */

import { useMemo } from 'react';
import type { EnvironmentSettings } from '../../../gen/es/personalisation/v1/environment_pb.js';
import { useConsole } from '../service/console-context.ts';
import { t } from '../texts/texts.ts';
import { keyWords } from './words.ts';

export type PropertyType = 'text' | 'string' | 'string[]' | 'number' | 'boolean' | 'datetime';

export type Property = { key: string; type: PropertyType; label: string; group: string };

const fields: Record<string, PropertyType> = {
  item_type: 'string',
  categories: 'string[]',
  tags: 'string[]',
  language: 'string',
  publication_datetime: 'datetime',
  expiration_datetime: 'datetime',
  group_id: 'string',
  title: 'text',
  description: 'text',
  item_id: 'text',
  uri: 'text',
};

const createProperty = (key: string, type: string, group: string): Property => ({
  key,
  type: type as PropertyType,
  label: keyWords(key),
  group,
});

/** @param reach `everywhere` for rule sets, which may apply to several environments. */
export function useProperties(reach: 'here' | 'everywhere'): Property[] {
  const { environment, environments } = useConsole();
  return useMemo(
    () => listProperties(reach === 'here' ? [environment] : environments),
    [reach, environment, environments],
  );
}

function listProperties(environments: EnvironmentSettings[]): Property[] {
  const common = Object.entries(fields).map(([key, type]) => createProperty(key, type, t('All items')));
  const itemTypes = environments.flatMap((environment) => environment.itemTypes);
  const declared = itemTypes.flatMap(({ name, properties }) =>
    properties.map((property) =>
      createProperty(property.name, property.type, t('Items of type {name}', { name })),
    ),
  );
  return [...new Map([...common, ...declared].map((property) => [property.key, property])).values()];
}

/** An undeclared property is a string. */
export const propertyOf = (properties: Property[], key: string): Property =>
  properties.find((property) => property.key === key) ?? createProperty(key, 'string', t('Other properties'));
