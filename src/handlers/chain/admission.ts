/** The chain's first half: who calls, whether they may, how often they may, and in which environment. */

import type { Operation as OperationOptions } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { DomainError } from '../../errors.ts';
import type { Call } from './call.ts';
import type { Operation } from './operation.ts';

export type AdmissionOptions = {
  /** Authentication and scopes: rejects a caller who may not, else sets `call.caller`. */
  authenticate(call: Call, access: Access, environment: string | undefined): Promise<void>;
  /** Throws RATE_LIMITED. */
  limitRate(call: Call): void;
  hasEnvironment(name: string): boolean;
};

export type Access = { scope: string; writeKeyAllowed: boolean };

export function createAdmission(settings: OperationOptions, options: AdmissionOptions): Operation['admit'] {
  const access: Access = { scope: settings.scope, writeKeyAllowed: settings.writeKey };
  return async (call, environment) => {
    await options.authenticate(call, access, environment || undefined);
    options.limitRate(call);
    if (environment && !options.hasEnvironment(environment)) {
      throw new DomainError(
        'ENVIRONMENT_UNKNOWN',
        `There is no environment ${JSON.stringify(environment)}.`,
        {
          metadata: { environment },
        },
      );
    }
    if (environment) call.observation?.enter(environment);
  };
}
