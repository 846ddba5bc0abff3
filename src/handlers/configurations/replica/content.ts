/** Summary of a document in a list of configurations. */

import type { Configuration } from '../../../../gen/es/personalisation/v1/configuration_pb.js';

export type ConfigurationContent = {
  name: string;
  description: string;
  /** Empty for all. */
  environments: readonly string[];
  /** Whether it is a configuration of searches. */
  search: boolean;
  redirect: boolean;
  constraints: number;
  preferences: number;
  pins: number;
  hides: number;
  promotedContent: number;
};

export function contentOf(message: Configuration): ConfigurationContent {
  const { search, constraints, preferences, environments, name = '', description = '' } = message;
  return {
    name,
    description,
    environments,
    search: search !== undefined,
    redirect: Boolean(search?.redirect),
    constraints: constraints.length,
    preferences: preferences.length,
    pins: (search ?? message).pins.length,
    hides: (search ?? message).hides.length,
    promotedContent: search?.promotedContent.length ?? 0,
  };
}
