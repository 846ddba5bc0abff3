import { GuaranteeService } from '../../../gen/es/personalisation/v1/guarantee_service_pb.js';
import type { Database } from '../../repository/database.ts';
import { type GuaranteeState, listGuarantees } from '../../repository/guarantees/guarantees.ts';
import { implement } from '../chain/implement.ts';

export function createGuaranteeHandlers({ db }: { db: Database }) {
  return implement(GuaranteeService, {
    async listGuarantees({ environment }) {
      const states = await listGuarantees(db, environment);
      return { guarantees: states.map((state) => ({ ...state, clicksForgone: clicksForgone(state) })) };
    },
  });
}

/** Returns the clicks that other items would have had in the places of the delivered impressions. */
function clicksForgone({ delivered, total, clicks = 0, totalClicks = 0 }: GuaranteeState): number {
  const others = total - delivered;
  return others > 0 ? (delivered * (totalClicks - clicks)) / others - clicks : 0;
}
