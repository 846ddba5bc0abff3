/** The audience operations: they check their input; computing audiences does not work yet. */

import { AudienceService } from '../../gen/es/personalisation/v1/audience_service_pb.js';
import type { ItemReplica } from '../catalog/item-replica.ts';
import type { Deployment } from '../deployment/deployment.ts';
import { DomainError, type Violation } from '../errors.ts';
import { implement } from './implement.ts';
import { refuse } from './operations.ts';

export type AudienceHandlersOptions = { deployment: Deployment; replica: ItemReplica };

export function createAudienceHandlers({ deployment, replica }: AudienceHandlersOptions) {
  return implement(AudienceService, {
    async createAudience({ environment, audience }) {
      const { integrationTypes } = deployment.environments.get(environment)!;
      const { integrationType, promotion, limit, audienceSize } = audience!;
      const violations: Violation[] = [];
      if (integrationTypes.size > 0 && !integrationTypes.has(integrationType)) {
        violations.push({
          pointer: '/audience/integration_type',
          detail: 'Is not an integration type of the environment.',
        });
      }
      if (limit !== undefined && limit > audienceSize!) {
        violations.push({ pointer: '/audience/limit', detail: 'Must not be above audience_size.' });
      }
      const catalog = replica.catalogOf(environment);
      for (const [i, { id, itemType }] of promotion.entries()) {
        if (catalog.indexOfId(id, itemType || undefined) !== undefined) continue;
        violations.push({
          pointer: `/audience/promotion/${i}`,
          detail: `The catalogue holds no item ${JSON.stringify(id)}.`,
        });
      }
      refuse(violations);
      throw new DomainError('NOT_IMPLEMENTED', 'Computing audiences does not work yet.');
    },
    async getAudience({ audienceId }) {
      throw new DomainError('AUDIENCE_UNKNOWN', `There is no audience ${JSON.stringify(audienceId)}.`, {
        metadata: { audience_id: audienceId },
      });
    },
  });
}
