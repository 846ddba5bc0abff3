/** Selects a subject's treatment: by pin, robot detection, or the deployment's split. */

import type { EnvironmentSettings, GroupLists } from '../../../deployment/deployment.ts';
import { DomainError } from '../../../errors.ts';
import type { Weighting } from '../../environment/weightings.ts';
import type { RecommendationRequest } from '../recommendation-request.ts';
import { assign } from './assignment.ts';

export type Identity = Weighting & { userGroup: string; lists: GroupLists };

type Caller = Pick<RecommendationRequest, 'deviceId' | 'isRobot' | 'userGroup' | 'version'>;

export function identify(caller: Caller, settings: EnvironmentSettings): Identity {
  return { ...findGroup(caller, settings), version: findVersion(caller, settings) };
}

/** Identifies the subject of a past request; ignores pins that are no longer declared. */
export function identifyLater(caller: Caller, settings: EnvironmentSettings): Identity {
  const { userGroup = '', version = '' } = caller;
  return identify(
    {
      ...caller,
      userGroup: isGroup(userGroup, settings) ? userGroup : undefined,
      version: isVersion(version, settings) ? version : undefined,
    },
    settings,
  );
}

function findGroup(
  caller: Caller,
  { userGroups, salt }: EnvironmentSettings,
): Pick<Identity, 'userGroup' | 'lists'> {
  if (caller.isRobot) return { userGroup: 'blacklist', lists: 'baseline' };
  if (caller.userGroup !== undefined) {
    const pinned = userGroups.find(({ name }) => name === caller.userGroup);
    if (pinned) return { userGroup: pinned.name, lists: pinned.lists };
    if (caller.userGroup !== 'recommender') throw unknownPin('user_group', caller.userGroup);
  }
  const group =
    caller.userGroup === undefined ? assign(userGroups, `${salt}\u0000group`, caller.deviceId) : undefined;
  return group
    ? { userGroup: group.name, lists: group.lists }
    : { userGroup: 'recommender', lists: 'recommended' };
}

function findVersion(caller: Caller, settings: EnvironmentSettings): string {
  const { versions, salt } = settings;
  if (caller.version !== undefined) {
    if (!isVersion(caller.version, settings)) throw unknownPin('version', caller.version);
    return caller.version;
  }
  return assign(versions, `${salt}\u0000version`, caller.deviceId)?.name ?? 'default';
}

function isGroup(name: string, { userGroups }: EnvironmentSettings): boolean {
  return name === 'recommender' || userGroups.some((group) => group.name === name);
}

function isVersion(name: string, { versions }: EnvironmentSettings): boolean {
  return versions.length === 0 ? name === 'default' : versions.some((version) => version.name === name);
}

function unknownPin(field: string, value: string): DomainError {
  const detail = `The environment declares no ${field} ${JSON.stringify(value)}.`;
  return new DomainError('BODY_INVALID', detail, {
    metadata: { [field]: value },
    violations: [{ pointer: `/${field}`, detail }],
  });
}
