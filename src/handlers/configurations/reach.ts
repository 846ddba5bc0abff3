/** Rights to configurations: those of the environments that a configuration belongs to. */

import { DomainError } from '../../errors.ts';
import { nameScope } from '../../security/scopes.ts';
import type { Call } from '../chain/call.ts';
import type { Environments } from '../messages/environments-of.ts';

/** @throws SCOPE_MISSING unless the caller may write in each of the environments. */
export function requireWrite(call: Call, environments: Environments): void {
  const places = environments.length > 0 ? environments : [undefined];
  const lacking = places.filter((environment) => !isReached(call, environment));
  if (lacking.length === 0) return;
  const scope = nameScope('configurations', lacking[0]);
  throw new DomainError('SCOPE_MISSING', `This operation needs the scope ${scope}.`, {
    metadata: { client_id: call.caller?.clientId ?? '', scope },
  });
}

export const mayWrite = (call: Call, environments: Environments): boolean =>
  environments.length > 0
    ? environments.every((environment) => isReached(call, environment))
    : isReached(call, undefined);

/** Whether the caller may read what belongs to one of its environments, or to all. */
export const mayRead = (call: Call, environments: Environments): boolean =>
  environments.length === 0 || environments.some((environment) => isReached(call, environment));

/** @param environment Undefined for all. */
export const isReached = ({ reach = [] }: Call, environment: string | undefined): boolean =>
  reach === 'everywhere' || (environment !== undefined && reach.includes(environment));
