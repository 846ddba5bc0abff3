import type { Actor } from '../../repository/audit/audit-entries.ts';

type Calling = { caller?: { clientId: string }; requestId: string };

/** Who acts by a call, for the record of changes. */
export function actorOf({ caller, requestId }: Calling): Actor {
  return { clientId: caller?.clientId, requestId };
}
