/** Reads configuration variables for one list: from the request or the context item's metadata. */

import type { Catalog } from '../catalog/catalog.ts';
import type { VariableLookup } from '../rules/bind.ts';
import type { Configuration, Scalar, Variable } from '../rules/types.ts';
import type { VariableReader } from './recommendation-request.ts';

export function createVariableLookup(
  readRequest: VariableReader,
  catalog: Catalog,
  contextIndex: number | undefined,
): VariableLookup {
  return ({ name, context }) => {
    if (context === 'request_body') return readRequest(name);
    if (contextIndex === undefined) return undefined;
    const values = catalog.column(name)?.valuesAt(contextIndex) ?? [];
    return values.length > 0 ? values : undefined;
  };
}

/** Returns scalars and arrays of scalars; any other value is absent. */
export function toVariable(value: unknown): Scalar | Scalar[] | undefined {
  if (isScalar(value)) return value;
  return Array.isArray(value) && value.every(isScalar) ? value : undefined;
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

/** Returns the variables that the configuration's conditions read. */
export function variablesOf({ rules, preferences }: Configuration): Variable[] {
  const queries = [...rules, ...preferences].flatMap((each) => ('query' in each ? [each.query] : []));
  const operands = queries.flatMap(({ tests }) =>
    tests.flatMap((one) => ('operands' in one ? one.operands : [])),
  );
  return operands.flatMap((operand) => ('variable' in operand ? [operand.variable] : []));
}
