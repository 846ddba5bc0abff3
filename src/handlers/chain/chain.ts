/**
 * All rpcs of the service behind one chain, whatever the transport:
 * authentication → rate limit → body → environment → validation → handler.
 *
 * A service that lacks a handler for one of its rpcs has it answer NOT_IMPLEMENTED after the same chain.
 */

import { type DescMethod, type DescService, getOption, type Message } from '@bufbuild/protobuf';
import {
  type Operation as OperationOptions,
  operation as operationOption,
} from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import { DomainError, type Violation } from '../../errors.ts';
import { type AdmissionOptions, createAdmission } from './admission.ts';
import type { Call } from './call.ts';
import { createFieldScopes, type FieldScopeOptions } from './field-scopes.ts';
import type { Operation, Operations, StreamHandler, UnaryHandler } from './operation.ts';
import { refuse } from './refuse.ts';

/** Handlers of one service by the rpc's name in lower camel case, e.g. `putItem`. */
export type Implementation = {
  service: DescService;
  handlers: Record<string, UnaryHandler | StreamHandler>;
};

export type OperationsOptions = AdmissionOptions &
  FieldScopeOptions & {
    implementations: Implementation[];
    /** The contract's limits, for messages that did not come through the JSON codec. */
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
    const checkFields = createFieldScopes(method, options);
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

/** Faults inside the elements of a list, e.g. `/events/3/page_type`. */
const elementPointer = /^\/[^/]+\/\d+(\/|$)/;

/**
 * The gateway's codec has applied the contract's limits already. Faults inside elements that the handler judges one by one
 * go with the call, unless others refuse the request anyway.
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

/** Faults inside the records of an import, e.g. `/items/3/item/title`; the handler reports them record by record. */
const recordPointer = /^\/[^/]+\/\d+\//;

/**
 * The environment of a stream stands in its messages, so the caller enters when one names it. A stream may last for hours, so
 * whoever is admitted no more is neither heard nor told any further.
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
      if (entered !== undefined) await options.remain(call);
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
      await options.remain(call);
    }
  };
}

function notImplemented(name: string): UnaryHandler {
  return async () => {
    throw new DomainError('NOT_IMPLEMENTED', `${name} does not work yet.`, { metadata: { operation: name } });
  };
}
