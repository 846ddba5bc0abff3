/** Who may be told why: an explanation says what a person did, or that they have consumed what a rule wants. */

import { permits } from '../../security/scopes.ts';
import type { Call } from './call.ts';

export function mayExplain({ caller }: Pick<Call, 'caller'>, environment: string): boolean {
  if (caller?.kind !== 'confidential') return false;
  return permits(caller.scopes, 'explanations', environment);
}

/** Whether a caller who prefers to see more is explained to. */
export function wantsMore(call: Pick<Call, 'caller' | 'prefersExtensions'>, environment: string): boolean {
  return call.prefersExtensions === true && mayExplain(call, environment);
}
