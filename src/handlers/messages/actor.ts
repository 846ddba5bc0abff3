import type { Actor } from '../../repository/audit/audit-entries.ts';

type Calling = { caller?: { clientId: string }; requestId: string };

/** Returns the actor of a call for the audit log. */
export function actorOf({ caller, requestId }: Calling): Actor {
  return { clientId: caller?.clientId, requestId };
}
