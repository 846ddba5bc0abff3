import type { VisitorNetworks } from '../../events/visitor-networks.ts';
import type { EventRow } from '../../repository/event-row.ts';
import type { Call } from '../chain/call.ts';
import { networkOfPublic, visitorOf } from '../chain/public-visitor.ts';

/** Marks an event as a robot's if its network has implausibly many visitors. */
export function judgeVisitor(row: EventRow, call: Call, networks: Pick<VisitorNetworks, 'admit'>): EventRow {
  const network = networkOfPublic(call);
  const visitor = visitorOf(row);
  if (network === undefined || visitor === undefined) return row;
  return networks.admit(row.environment, visitor, network) ? row : { ...row, robot: true };
}
