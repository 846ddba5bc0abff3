/** Admits calls: authentication, rate limit and environment. */

import { type DescMethod, isFieldSet, type Message } from '@bufbuild/protobuf';
import type { Operation as OperationOptions } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { DomainError } from '../../errors.ts';
import { shapeOf } from '../../formats/codec.ts';
import type { Call } from './call.ts';
import type { Operation } from './operation.ts';

export type AdmissionOptions = {
  /** Checks the headers and sets `call.caller`, or rejects. */
  authenticate(call: Call, access: Access): Promise<void>;
  /** Rejects if an admitted caller has lost access. Called between the messages of a stream. */
  remain(call: Call): Promise<void>;
  /** @throws unless an admitted caller has the scope in the environment, or in the whole deployment if undefined. */
  authorise(call: Call, access: Access, environment: string | undefined): void;
  /** Rejects an admitted caller without the scope that a field of the request needs. */
  requireScope(call: Call, scope: { area: string; subject: string }, environment: string): void;
  /** Counts the call. `name` has no package, for example `ItemService/PutItem`. @throws RATE_LIMITED */
  limitRate(call: Call, operation: { name: string; scope: string }): void;
  hasEnvironment(name: string): boolean;
  /** Whether this node serves the environment; other nodes may serve the rest. */
  servesEnvironment(name: string): boolean;
};

/** `neverPublic`: needs a token even if the deployment makes the scope public. */
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

/** Checks the scopes of fields that reveal more than their operation (`scope` of the field's option). */
export function createFieldScopes({ input }: DescMethod, { requireScope }: AdmissionOptions) {
  const fields = input.fields.flatMap((field) => {
    const area = shapeOf(field).scope;
    return area === '' ? [] : [{ field, area, subject: `\`${field.name}\`` }];
  });
  return (request: Message, call: Call): void => {
    for (const { field, ...scope } of fields) {
      const { environment } = request as Message & { environment: string };
      if (isFieldSet(request, field)) requireScope(call, scope, environment);
    }
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
