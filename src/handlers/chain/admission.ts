/** Admits calls: authentication, rate limit and environment. */

import { type DescMethod, isFieldSet, type Message } from '@bufbuild/protobuf';
import type { Operation as OperationOptions } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { DomainError } from '../../errors.ts';
import { shapeOf } from '../../formats/codec.ts';
import type { Authenticator } from '../../security/authenticate.ts';
import type { RateLimits } from '../../security/rate-limits.ts';
import type { Access } from '../../security/scopes.ts';
import type { Call } from './call.ts';
import type { Operation } from './operation.ts';
import { notFound } from './refuse.ts';

export type AdmissionOptions = {
  authenticator: Authenticator;
  limitRate: RateLimits['take'];
  hasEnvironment(name: string): boolean;
  /** Whether this node serves the environment; other nodes may serve the rest. */
  servesEnvironment(name: string): boolean;
};

export type Admission = Pick<Operation, 'admit' | 'enter'>;

/** Names of operations that read. */
const reading =
  /^(Get|List|Count|Query|Read|Compare|Diff|Evaluate|Explain|Export|Lint|Plan|Preview|Simulate|Try)[A-Z]/;

export function accessOf(name: string, { reads, publishes }: OperationOptions): Access {
  if (publishes) return 'publish';
  return reads || reading.test(name) ? 'read' : 'edit';
}

export function createAdmission(
  { parent, name }: DescMethod,
  settings: OperationOptions,
  options: AdmissionOptions,
): Admission {
  const counted = { name: `${parent.name}/${name}`, scope: settings.scope };
  const { scope, writeKey: writeKeyAllowed, neverPublic, tokenOptional } = settings;
  const access = accessOf(name, settings);
  const need = { scope, access, writeKeyAllowed, neverPublic, tokenOptional };
  return {
    async admit(call) {
      await options.authenticator.admit(call, need);
      options.limitRate(call, counted);
    },
    enter(call, environment) {
      if (settings.anyEnvironment) {
        call.reach = options.authenticator.reachOf(call, need);
        if (!environment) return;
      }
      options.authenticator.enter(call, need, environment || undefined);
      if (!environment) return;
      if (!options.hasEnvironment(environment))
        throw notFound('ENVIRONMENT_UNKNOWN', 'environment', environment, { environment });
      if (!options.servesEnvironment(environment)) throw servedElsewhere(environment);
      call.observation?.enter(environment);
    },
  };
}

/** Checks the scopes of fields that reveal more than their operation (option `scope`). */
export function createFieldScopes(
  { input, name }: DescMethod,
  settings: OperationOptions,
  { authenticator }: AdmissionOptions,
) {
  const access = accessOf(name, settings);
  const fields = input.fields.flatMap((field) => {
    const area = shapeOf(field).scope;
    return area === '' ? [] : [{ field, area, access, subject: `\`${field.name}\`` }];
  });
  return (request: Message, call: Call): void => {
    for (const { field, ...scope } of fields) {
      const { environment } = request as Message & { environment: string };
      if (isFieldSet(request, field)) authenticator.require(call, scope, environment);
    }
  };
}

function servedElsewhere(environment: string): DomainError {
  const message = `This node does not serve the environment ${JSON.stringify(environment)}; call one that does.`;
  return new DomainError('UNAVAILABLE', message, { metadata: { environment } });
}
