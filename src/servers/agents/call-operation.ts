/** Calls operations for tools, as the transports do for their callers. */

import type { ServerResponse } from 'node:http';
import { create, type DescMessage, type DescMethodUnary, type Message } from '@bufbuild/protobuf';
import { type Call, type Observer, unobserved } from '../../handlers/chain/call.ts';
import { toDomainError } from '../../handlers/chain/errors.ts';
import type { Operations } from '../../handlers/chain/operation.ts';
import type { CallOperation } from '../../handlers/chain/tool.ts';
import type { Turns } from '../../ranking/runtime/slices.ts';
import { beginWork, createCallLifetime, endAnswer, endWork, turnOf } from '../call-lifetime.ts';
import type { FailureLog } from '../failure-log.ts';
import type { UnreadAnswers } from '../unread-answers.ts';

export type OperationCallerOptions = {
  operations: Operations;
  observer?: Observer;
  logFailure: FailureLog;
  turns: Turns;
  unread: UnreadAnswers;
};

/** For each operation. */
const timeoutMs = 30_000;

export function createOperationCaller(options: OperationCallerOptions) {
  const { operations, observer = unobserved, logFailure, turns } = options;
  return (base: Call, response: ServerResponse): CallOperation =>
    async <Input extends DescMessage, Output extends DescMessage>(
      method: DescMethodUnary<Input, Output>,
      request: Parameters<typeof create<Input>>[1],
    ) => {
      const operation = operations.get(`${method.parent.typeName}/${method.name}`)!;
      if (operation.kind !== 'unary') throw new Error(`${operation.name} is a stream.`);
      const observation = observer.begin(base);
      const lifetime = createCallLifetime();
      const { signal } = lifetime.controller;
      const call: Call = { ...base, observation, signal, deadlineMs: performance.now() + timeoutMs };
      lifetime.call = call;
      const leave = () => endAnswer(lifetime);
      response.once('close', leave);
      const timer = setTimeout(() => lifetime.controller.abort(), timeoutMs);
      beginWork(lifetime);
      const handle = async () => {
        await operation.admit(call);
        const message: Message = create(method.input, request);
        operation.enter(call, (message as Message & { environment?: string }).environment);
        return turns.run(turnOf(call, 0), () => operation.handle(message, call));
      };
      try {
        const answer = await observation.run(handle);
        observation.end(operation.name);
        return answer as never;
      } catch (thrown) {
        const error = toDomainError(thrown, signal);
        logFailure(error, { operation: operation.name, call });
        observation.end(operation.name, error.reason);
        throw error;
      } finally {
        clearTimeout(timer);
        response.off('close', leave);
        endWork(lifetime);
        endAnswer(lifetime);
      }
    };
}
