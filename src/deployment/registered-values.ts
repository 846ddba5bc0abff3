/** Values that a deployment registers: what another one leads to, in events, in requests and in the deployment's own batches. */

import type { RequestList } from '../../gen/es/personalisation/v1/recommendation_pb.js';
import type { Violation } from '../errors.ts';
import type { EnvironmentSettings, Registry } from './deployment.ts';

export type Registries = Pick<EnvironmentSettings, 'pageTypes' | 'channels' | 'listNames'>;

/** What a deployment may have a registry of. */
export type RegisteredFacts = {
  pageType?: string;
  channel?: string;
  listName?: string;
};

/** Values outside their registry, once for each; the caller logs those to warn of. */
export type RegistryFinding = {
  pointer: string;
  field: string;
  value: string;
  onUnknown: Registry['onUnknown'];
};

/** Values that the environment's registries do not know. */
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

/** The faults of values that are to be rejected; those to warn of are told to `warn`, unless nothing of the request is to be kept. */
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

/** Names of lists too; what is rejected is reported where it stands. */
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
