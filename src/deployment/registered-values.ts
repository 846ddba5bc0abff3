/** Registered values of a deployment, and the consequence of other values in events, requests and batches. */

import type { RequestList } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import type { Violation } from '../errors.ts';
import type { EnvironmentSettings, Registry } from './deployment.ts';

export type Registries = Pick<EnvironmentSettings, 'pageTypes' | 'channels' | 'listNames'>;

/** Facts that a deployment may have a registry of. */
export type RegisteredFacts = {
  pageType?: string;
  channel?: string;
  listName?: string;
};

/** A value outside its registry. */
export type RegistryFinding = {
  pointer: string;
  field: string;
  value: string;
  onUnknown: Registry['onUnknown'];
};

/** Returns the values outside the environment's registries. */
export function findUnregistered(facts: RegisteredFacts, registries: Registries): RegistryFinding[] {
  return [
    ...findIn('page_type', facts.pageType, registries.pageTypes),
    ...findIn('channel', facts.channel, registries.channels),
    ...findIn('list_name', facts.listName, registries.listNames),
  ];
}

function findIn(field: string, value: string | undefined, registry: Registry | undefined): RegistryFinding[] {
  if (!registry || value === undefined || registry.onUnknown === 'accept' || registry.values.has(value))
    return [];
  return [{ pointer: `/${field}`, field, value, onUnknown: registry.onUnknown }];
}

/** Returns the violations of rejected values, and passes others to `warn` unless the request must not be stored. */
export function checkRegistered(
  facts: RegisteredFacts & { doNotStore?: boolean },
  settings: Registries & Pick<EnvironmentSettings, 'name'>,
  warn: (finding: object) => void,
): Violation[] {
  const violations: Violation[] = [];
  for (const { pointer, field, value, onUnknown } of findUnregistered(facts, settings)) {
    if (onUnknown === 'reject')
      violations.push({ pointer, detail: `${JSON.stringify(value)} is not registered.` });
    else if (!facts.doNotStore) warn({ environment: settings.name, field, value });
  }
  return violations;
}

/** Checks a request with its list names; violations have the pointers of the values. */
export function checkRegistries(
  {
    pageType,
    channel,
    lists,
    doNotStore,
  }: Omit<RegisteredFacts, 'listName'> & { lists: readonly RequestList[]; doNotStore?: boolean },
  settings: Parameters<typeof checkRegistered>[1],
  warn: (finding: object) => void,
): Violation[] {
  const ofLists = lists.flatMap(({ listName }, i) =>
    checkRegistered({ listName, doNotStore }, settings, warn).map(({ pointer, detail }) => ({
      pointer: `/lists/${i}${pointer}`,
      detail,
    })),
  );
  return [...checkRegistered({ pageType, channel, doNotStore }, settings, warn), ...ofLists];
}
