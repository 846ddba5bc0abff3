/**
 * Runs all RPCs through one chain on every transport: authentication, rate limit, body,
 * environment, validation, handler.
 *
 * An RPC without a handler answers NOT_IMPLEMENTED after the same chain.
 */

import { type DescMethod, type DescService, getOption, type Message } from '@bufbuild/protobuf';
import {
  type Operation as OperationOptions,
  operation as operationOption,
} from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { DomainError, type Violation } from '../../errors.ts';
import { type AdmissionOptions, createAdmission, createFieldScopes } from './admission.ts';
import type { Call } from './call.ts';
import type { Operation, Operations, StreamHandler, UnaryHandler } from './operation.ts';
import { refuse } from './refuse.ts';

/** Handlers of one service by the RPC's name in lower camel case, for example `putItem`. */
export type Implementation = {
  service: DescService;
  handlers: Record<string, UnaryHandler | StreamHandler>;
};

export type OperationsOptions = AdmissionOptions & {
  implementations: Implementation[];
  /** Checks the limits of the contract, for messages that the JSON codec has not checked. */
  validate(operationName: string, message: Message): Violation[];
};

export function createOperations(options: OperationsOptions): Operations {
  const operations = new Map<string, Operation>();
  for (const { service, handlers } of options.implementations) {
    for (const method of service.methods) {
      const operation = createOperation(method, handlers[method.localName], options);
      operations.set(operation.name, operation);
    }
  }
  return operations;
}

function createOperation(
  method: DescMethod,
  handler: UnaryHandler | StreamHandler | undefined,
  options: OperationsOptions,
): Operation {
  const name = `${method.parent.typeName}/${method.name}`;
  const settings = getOption(method, operationOption);
  const admission = createAdmission(method, settings, options);
  const common = { name, method, options: settings, ...admission };
  if (method.methodKind === 'unary') {
    const unary = (handler as UnaryHandler | undefined) ?? notImplemented(name);
    const checkFields = createFieldScopes(method, settings, options);
    const handle = validated({ name, settings }, unary, options);
    return {
      ...common,
      kind: 'unary',
      handle: async (request, call) => {
        checkFields(request, call);
        return handle(request, call);
      },
    };
  }
  return {
    ...common,
    kind: 'stream',
    handle: validatedStream(name, handler as StreamHandler, admission.enter, options),
  };
}

/** Violations inside the elements of a list, for example `/events/3/page_type`. */
const elementPointer = /^\/[^/]+\/\d+(\/|$)/;

/**
 * Validates requests, except those that the gateway's codec has validated. If the handler checks
 * elements separately, their violations are passed on with the call, unless other violations refuse
 * the request.
 */
function validated(
  { name, settings }: { name: string; settings: OperationOptions },
  handler: UnaryHandler,
  options: OperationsOptions,
): UnaryHandler {
  return (request, call) => {
    if (call.transport === 'http') return handler(request, call);
    const violations = options.validate(name, request);
    const isLeft =
      settings.partialField !== '' && violations.every(({ pointer }) => elementPointer.test(pointer));
    if (!isLeft) refuse(violations);
    else if (violations.length > 0) call.violations = violations;
    return handler(request, call);
  };
}

/** Violations inside records, such as `/items/3/item/title`, which the handler reports. */
const recordPointer = /^\/[^/]+\/\d+\//;

/**
 * Validates the messages of a stream. Each message names its environment, so the caller enters when
 * it changes. Streams may last for hours, so the caller is checked again between messages.
 */
function validatedStream(
  name: string,
  handler: StreamHandler,
  enter: Operation['enter'],
  options: OperationsOptions,
): StreamHandler {
  async function* check(requests: AsyncIterable<Message>, call: Call) {
    let entered: string | undefined;
    for await (const request of requests) {
      if (entered !== undefined) await options.authenticator.remain(call);
      const { environment } = request as Message & { environment: string };
      if (environment !== entered) enter(call, environment);
      entered = environment;
      refuse(options.validate(name, request).filter(({ pointer }) => !recordPointer.test(pointer)));
      yield request;
    }
  }
  return async function* handle(requests, call) {
    for await (const response of handler(check(requests, call), call)) {
      yield response;
      await options.authenticator.remain(call);
    }
  };
}

function notImplemented(name: string): UnaryHandler {
  return async () => {
    throw new DomainError('NOT_IMPLEMENTED', `${name} is not implemented.`, {
      metadata: { operation: name },
    });
  };
}
