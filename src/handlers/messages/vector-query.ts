/** Reads the vectors of requests and items, and reports their violations. */

import type { VectorQuery as VectorQueryMessage } from '../../../gen/es/personalisation/v1/recommendation_pb.js';
import type { EnvironmentSettings, VectorDefinition } from '../../deployment/deployment.ts';
import type { Violation } from '../../errors.ts';
import type { VectorQuery } from '../../ranking/vectors/item-vectors.ts';

/** Absolute value; squares of all numbers of a vector stay far below the limits of a float. */
const greatest = 1_000_000;

const isNumber = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= greatest;

/** Returns why a value is not a vector of the definition; undefined if it is one. */
export function vectorFault({ dimensions, metric }: VectorDefinition, value: unknown): string | undefined {
  if (!Array.isArray(value) || value.length !== dimensions || !value.every(isNumber))
    return `Must be an array of ${dimensions} numbers from -${greatest} to ${greatest}.`;
  if (metric === 'cosine' && value.every((number) => number === 0))
    return 'Must not be all zeros, which have no direction.';
  return undefined;
}

export function checkVectorQuery(
  query: VectorQueryMessage | undefined,
  { name: environment, vectors }: Pick<EnvironmentSettings, 'name' | 'vectors'>,
): Violation[] {
  if (!query) return [];
  const { name, values, like, unlike, weight = 1 } = query;
  const violation = (field: string, detail: string) => [{ pointer: `/query_vector${field}`, detail }];
  const vector = vectors.get(name);
  if (!vector) {
    const expected = [...vectors.keys()].join(', ') || 'none, as it declares no vector';
    return violation('/name', `Is not a vector of the environment ${environment}. Expected ${expected}.`);
  }
  if (values.length + like.length + unlike.length === 0)
    return violation('', 'Must have values, like or unlike.');
  if (!(weight > 0 && weight <= 1)) return violation('/weight', 'Must be above 0 and at most 1.');
  const fault = values.length > 0 ? vectorFault({ ...vector, metric: 'cosine' }, values) : undefined;
  return fault === undefined ? [] : violation('/values', fault);
}

export function toVectorQuery(query: VectorQueryMessage | undefined): VectorQuery | undefined {
  if (!query) return undefined;
  const { name, values, like, unlike, weight } = query;
  return { name, values, like, unlike, weight };
}
