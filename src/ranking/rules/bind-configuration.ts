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
  | {
      outcome: 'bound';
      rules: BoundRule[];
      preferences: BoundPreference[];
      /** Whether any condition speaks of now, so that the same request may bind it otherwise later. */
      dependsOnNow: boolean;
    }
  /** Variables that the request has to give, each named once. */
  | { outcome: 'missing'; variables: string[] };

export type BindConfigurationContext = BindContext & { matchSets: MatchSets };

/** What comes out of binding besides the conditions. */
type Findings = { missing: Set<string>; dependsOnNow: boolean };

/** The set of a query, undefined when it is dropped; a missing variable is added to the findings. */
function bindSet(query: Query, context: BindConfigurationContext, findings: Findings): ItemSet | undefined {
  const binding = bindQuery(query, context);
  if (binding.outcome === 'missing') findings.missing.add(binding.variable);
  if (binding.outcome !== 'bound') return undefined;
  findings.dependsOnNow ||= binding.query.dependsOnNow === true;
  return context.matchSets.get(binding.query);
}

function bindRule(rule: Rule, context: BindConfigurationContext, findings: Findings): BoundRule {
  if (rule.kind === 'diversify') {
    const { key, max } = rule;
    const codes = () => context.matchSets.valuesOf(key);
    return { kind: 'diversify', column: context.catalog.column(key), max, codes };
  }
  const set = bindSet(rule.query, context, findings);
  if (!set) return { kind: 'dropped' };
  if (rule.min === undefined && rule.max === undefined) return { kind: 'must', set };
  return { kind: 'quota', set, min: rule.min ?? 0, max: rule.max ?? Number.POSITIVE_INFINITY };
}

export function bindConfiguration(
  configuration: Configuration,
  context: BindConfigurationContext,
): ConfigurationBinding {
  const findings: Findings = { missing: new Set(), dependsOnNow: false };
  const rules = configuration.rules.map((rule) => bindRule(rule, context, findings));
  const preferences = configuration.preferences.flatMap(({ query, weight }, preferenceIndex) => {
    const set = bindSet(query, context, findings);
    return set ? [{ preferenceIndex, set, weight }] : [];
  });
  const { missing, dependsOnNow } = findings;
  if (missing.size > 0) return { outcome: 'missing', variables: [...missing] };
  return { outcome: 'bound', rules, preferences, dependsOnNow };
}
