/** A whole configuration bound to one request: what composing a list works with. */
import type { Column } from '../catalog/typed-columns.ts';
import { type BindContext, bindQuery } from './bind.ts';
import type { ItemSet, MatchSets } from './match-sets.ts';
import type { Configuration, Query, Rule } from './types.ts';
import type { ValueCodes } from './value-codes.ts';

export type BoundRule =
  /** Every picked item is in the set. */
  | { kind: 'must'; set: ItemSet }
  /** At least `min` and at most `max` items of the list are in the set. */
  | { kind: 'quota'; set: ItemSet; min: number; max: number }
  /**
   * At most `max` items of the list share a value; a key that the catalogue does not know limits nothing.
   * `codes` are the values by item, for those who look at many items.
   */
  | { kind: 'diversify'; column: Column | undefined; max: number; codes: () => ValueCodes | undefined }
  /** Ignored in this request; keeps its place so that rules are known by their index in the configuration. */
  | { kind: 'dropped' };

export type BoundPreference = {
  /** Index in the configuration. */
  preferenceIndex: number;
  set: ItemSet;
  weight: number;
};

export type ConfigurationBinding =
  | { outcome: 'bound'; rules: BoundRule[]; preferences: BoundPreference[] }
  /** Variables that the request has to give, each named once. */
  | { outcome: 'missing'; variables: string[] };

export type BindConfigurationContext = BindContext & { matchSets: MatchSets };

/** The set of a query, undefined when it is dropped; a missing variable is added to `missing`. */
function bindSet(query: Query, context: BindConfigurationContext, missing: Set<string>): ItemSet | undefined {
  const binding = bindQuery(query, context);
  if (binding.outcome === 'missing') missing.add(binding.variable);
  return binding.outcome === 'bound' ? context.matchSets.get(binding.query) : undefined;
}

function bindRule(rule: Rule, context: BindConfigurationContext, missing: Set<string>): BoundRule {
  if (rule.kind === 'diversify') {
    const { key, max } = rule;
    const codes = () => context.matchSets.valuesOf(key);
    return { kind: 'diversify', column: context.catalog.column(key), max, codes };
  }
  const set = bindSet(rule.query, context, missing);
  if (!set) return { kind: 'dropped' };
  if (rule.min === undefined && rule.max === undefined) return { kind: 'must', set };
  return { kind: 'quota', set, min: rule.min ?? 0, max: rule.max ?? Number.POSITIVE_INFINITY };
}

export function bindConfiguration(
  configuration: Configuration,
  context: BindConfigurationContext,
): ConfigurationBinding {
  const missing = new Set<string>();
  const rules = configuration.rules.map((rule) => bindRule(rule, context, missing));
  const preferences = configuration.preferences.flatMap(({ query, weight }, preferenceIndex) => {
    const set = bindSet(query, context, missing);
    return set ? [{ preferenceIndex, set, weight }] : [];
  });
  if (missing.size > 0) return { outcome: 'missing', variables: [...missing] };
  return { outcome: 'bound', rules, preferences };
}
