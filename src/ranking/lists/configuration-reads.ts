/** What keeping anything made from a configuration goes by: which one it is, and what its conditions read of a request. */

import type { Configuration, Scalar } from '../rules/types.ts';
import type { VariableReader } from './recommendation-request.ts';
import { variablesOf } from './variables.ts';

export type Reads = {
  /** Another one for every configuration. */
  number: number;
  /** Whether any condition reads the item on display. */
  item: boolean;
  /** Variables of the request that conditions read. */
  names: readonly string[];
};

/** Remembers as long as the configuration is there. */
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
      names: variables.flatMap(({ name, context }) => (context === 'request_body' ? [name] : [])),
    };
    known.set(configuration, reads);
    return reads;
  };
}

export function valuesRead({ names }: Reads, read: VariableReader): (Scalar | Scalar[] | undefined)[] {
  return names.map(read);
}
