/** The chain's first half: who calls, whether they may, how often they may, and in which environment. */

import type { DescMethod } from '@bufbuild/protobuf';
import type { Operation as OperationOptions } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { DomainError } from '../../errors.ts';
import type { Call } from './call.ts';
import type { Operation } from './operation.ts';

export type AdmissionOptions = {
  /** By the headers alone: rejects a caller who may not, else sets `call.caller`. */
  authenticate(call: Call, access: Access): Promise<void>;
  /** Rejects when an admitted caller is one no more; asked between the messages of a stream. */
  remain(call: Call): Promise<void>;
  /** Throws unless an admitted caller has the scope there; undefined is the whole deployment. */
  authorise(call: Call, access: Access, environment: string | undefined): void;
  /** Counts the call, or throws RATE_LIMITED. `name` is without the package, e.g. `ItemService/PutItem`. */
  limitRate(call: Call, operation: { name: string; scope: string }): void;
  hasEnvironment(name: string): boolean;
  /** Whether this node does; others may serve the rest. */
  servesEnvironment(name: string): boolean;
};

/** `neverPublic`: needs a token whatever operations the deployment makes public. */
export type Access = { scope: string; writeKeyAllowed: boolean; neverPublic: boolean };

export type Admission = Pick<Operation, 'admit' | 'enter'>;

export function createAdmission(
  { parent, name }: DescMethod,
  settings: OperationOptions,
  options: AdmissionOptions,
): Admission {
  const counted = { name: `${parent.name}/${name}`, scope: settings.scope };
  const { scope, writeKey: writeKeyAllowed, neverPublic } = settings;
  const access: Access = { scope, writeKeyAllowed, neverPublic };
  return {
    async admit(call) {
      await options.authenticate(call, access);
      options.limitRate(call, counted);
    },
    enter(call, environment) {
      options.authorise(call, access, environment || undefined);
      if (!environment) return;
      if (!options.hasEnvironment(environment)) throw unknownEnvironment(environment);
      if (!options.servesEnvironment(environment)) throw servedElsewhere(environment);
      call.observation?.enter(environment);
    },
  };
}

function unknownEnvironment(environment: string): DomainError {
  const message = `There is no environment ${JSON.stringify(environment)}.`;
  return new DomainError('ENVIRONMENT_UNKNOWN', message, { metadata: { environment } });
}

function servedElsewhere(environment: string): DomainError {
  const message = `This node does not serve the environment ${JSON.stringify(environment)}; ask one that does.`;
  return new DomainError('UNAVAILABLE', message, { metadata: { environment } });
}
