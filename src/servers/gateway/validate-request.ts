/** Validates request messages; violations point to the place in an HTTP request. */

import type { Message } from '@bufbuild/protobuf';
import { routes } from '../../../gen/rest/routes.ts';
import { services } from '../../../gen/rest/services.ts';
import type { Violation } from '../../errors.ts';
import { createFindings, report } from '../../formats/codec/findings.ts';
import { presenceDetail } from '../../formats/codec/limits.ts';
import { validateField, validateFields } from '../../formats/codec/validate.ts';
import { partsOf, type RequestParts } from './endpoint.ts';

let partsByOperation: ReadonlyMap<string, RequestParts> | undefined;

/**
 * Returns all violations of an operation's request (`personalisation.v1.ItemService/PutItem`). Pointers are relative to the
 * HTTP body, or to the message of an rpc without a path; parameters are `path:NAME` and `query:NAME`.
 */
export function validateRequest(operation: string, message: Message): Violation[] {
  partsByOperation ??= collectParts();
  const parts = partsByOperation.get(operation);
  if (parts === undefined) throw new Error(`${operation}: there is no such operation`);
  return validateParts(parts, message);
}

function validateParts(parts: RequestParts, message: Message): Violation[] {
  const findings = createFindings('path');
  validateFields(parts.path, message, findings);
  findings.place = 'query';
  validateFields(parts.query, message, findings);
  findings.place = 'body';
  findings.perElement = parts.judgesElements;
  validateFields(parts.body, message, findings);
  const { bodyField } = parts;
  if (bodyField === undefined) return findings.violations;
  const body = (message as unknown as Record<string, unknown>)[bodyField.local];
  if (body !== undefined) validateField(bodyField, body, findings);
  else if (bodyField.required) report(findings, presenceDetail);
  return findings.violations;
}

function collectParts(): ReadonlyMap<string, RequestParts> {
  const routeOf = new Map(routes.map((route) => [route.operation, route]));
  const methods = services.flatMap((service) => service.methods);
  return new Map(
    methods.map((method) => {
      const name = `${method.parent.typeName}/${method.name}`;
      return [name, partsOf(method, routeOf.get(name))];
    }),
  );
}
