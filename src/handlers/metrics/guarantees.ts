import { GuaranteeService } from '../../../gen/es/personalisation/v1/guarantee_service_pb.js';
import type { Database } from '../../repository/database.ts';
import { listGuarantees } from '../../repository/guarantees/guarantees.ts';
import { implement } from '../chain/implement.ts';

export function createGuaranteeHandlers({ db }: { db: Database }) {
  return implement(GuaranteeService, {
    async listGuarantees({ environment }) {
      return { guarantees: await listGuarantees(db, environment) };
    },
  });
}
