/** Binds the rules of one list to its request. */

import { DomainError } from '../../errors.ts';
import type { ActiveConfiguration } from '../rules/active-configuration.ts';
import { type BoundPreference, type BoundRule, bindConfiguration } from '../rules/bind-configuration.ts';
import type { ConfigurationSettings } from '../rules/settings.ts';
import type { Configuration } from '../rules/types.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { contextIndexOf } from './page-context.ts';
import type { ListRequest } from './recommendation-request.ts';
import { createVariableLookup, variablesOf } from './variables.ts';

export type BoundList = {
  /** The configuration before binding. */
  declared: Configuration;
  rules: BoundRule[];
  preferences: BoundPreference[];
  settings: ConfigurationSettings;
  /** Whether any condition depends on the current time. */
  dependsOnNow: boolean;
};

/** @throws VARIABLE_MISSING when the request lacks a variable without default. */
export function bindList(
  list: ListRequest,
  { rules, settings }: ActiveConfiguration,
  { request, environment, history, nowMs }: ListIngredients,
): BoundList {
  const { catalog, matchSets } = environment;
  const contextIndex = contextIndexOf(request, environment);
  const readRequest = list.variables;
  const variables = createVariableLookup({ readRequest, catalog, contextIndex, history, nowMs });
  const binding = bindConfiguration(rules, { catalog, matchSets, variables, nowMs });
  if (binding.outcome === 'bound') return { ...binding, declared: rules, settings };
  const [variable] = binding.variables;
  throw new DomainError(
    'VARIABLE_MISSING',
    `List ${JSON.stringify(list.listName)} needs the variable ${JSON.stringify(variable)} of configuration ${JSON.stringify(list.configurationId)}.`,
    {
      metadata: { configuration_id: list.configurationId, list_name: list.listName, variable },
      violations: binding.variables.map((name) => ({
        pointer: pointerTo(name, rules),
        detail: `${JSON.stringify(name)} is a variable without default in configuration ${list.configurationId}, list ${list.listName}.`,
      })),
    },
  );
}

/** Points to the context item for its missing properties, else to the request's variables. */
function pointerTo(name: string, configuration: Configuration): string {
  const readers = variablesOf(configuration).filter((variable) => variable.name === name);
  if (readers.every(({ context }) => context === 'item')) return '/context_item';
  return `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
