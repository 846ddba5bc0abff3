/** Fields that tell more than their operation does need a scope of their own from whoever sets them. */

import { type DescMethod, isFieldSet, type Message } from '@bufbuild/protobuf';
import { shapeOf } from '../../formats/codec.ts';
import type { Call } from './call.ts';

export type FieldScopeOptions = {
  /** Rejects an admitted caller without the scope that a field of the request needs. */
  requireScope(call: Call, scope: { area: string; subject: string }, environment: string): void;
};

export function createFieldScopes({ input }: DescMethod, { requireScope }: FieldScopeOptions) {
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
