/** Checks access to explanations, which reveal a person's actions and purchases. */

import { permits } from '../../security/scopes.ts';
import type { Call } from './call.ts';

export function mayExplain({ caller }: Pick<Call, 'caller'>, environment: string): boolean {
  if (caller?.kind !== 'confidential') return false;
  return permits(caller.scopes, 'explanations', environment, 'read');
}

export function wantsMore(call: Pick<Call, 'caller' | 'prefersExtensions'>, environment: string): boolean {
  return call.prefersExtensions === true && mayExplain(call, environment);
}
