/** Fields that tell more than their operation does need a scope of their own from whoever sets them. */

import { type DescMethod, getOption, hasOption, isFieldSet, type Message } from '@bufbuild/protobuf';
import { field as fieldOption } from '../../../gen/es/personalisation/rest/v1/options_pb.js';
import type { Call } from './call.ts';

export type FieldScopeOptions = {
  /** Rejects an admitted caller without the scope that a field of the request needs. */
  requireScope(call: Call, scope: { area: string; subject: string }, environment: string): void;
};

export function createFieldScopes({ input }: DescMethod, { requireScope }: FieldScopeOptions) {
  const fields = input.fields.flatMap((field) => {
    const area = hasOption(field, fieldOption) ? getOption(field, fieldOption).scope : '';
    return area === '' ? [] : [{ field, area, subject: `\`${field.name}\`` }];
  });
  return (request: Message, call: Call): void => {
    for (const { field, ...scope } of fields) {
      const { environment } = request as Message & { environment: string };
      if (isFieldSet(request, field)) requireScope(call, scope, environment);
    }
  };
}
