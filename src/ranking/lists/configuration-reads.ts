/** Identifies a configuration and what its conditions read of a request, as cache keys. */

import type { Configuration, Scalar, Variable } from '../rules/types.ts';
import type { VariableReader } from './recommendation-request.ts';
import { variablesOf } from './variables.ts';

export type Reads = {
  /** Unique for each configuration. */
  number: number;
  /** Whether any condition reads the context item. */
  item: boolean;
  /** Request variables that conditions read. */
  names: readonly string[];
  /** Variables of the subject's history that conditions read. */
  ofHistory: readonly Variable[];
};

/** Remembers the result for the lifetime of each configuration. */
export function createConfigurationReads(): (configuration: Configuration) => Reads {
  const known = new WeakMap<Configuration, Reads>();
  let count = 0;
  return (configuration) => {
    const found = known.get(configuration);
    if (found) return found;
    const variables = variablesOf(configuration);
    const reads = {
      number: count++,
      item: variables.some(({ context }) => context === 'item'),
      ofHistory: variables.filter(({ context }) => context === 'history'),
      names: variables.flatMap(({ name, context }) => (context === 'request_body' ? [name] : [])),
    };
    known.set(configuration, reads);
    return reads;
  };
}

export function valuesRead({ names }: Reads, read: VariableReader): (Scalar | Scalar[] | undefined)[] {
  return names.map(read);
}
