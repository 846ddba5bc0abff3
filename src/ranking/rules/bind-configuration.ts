/** Binds a configuration to one request, as composing a list needs it. */
import type { Column } from '../catalog/typed-columns.ts';
import { type BindContext, bindQuery } from './bind.ts';
import type { ItemSet, MatchSets } from './match-sets.ts';
import type { Configuration, Query, Rule } from './types.ts';
import type { ValueCodes } from './value-codes.ts';

export type BoundRule =
  /**
   * Every picked item is in the set. With `groups`, of which a list holds at most one, composing
   * narrows the set (apart.ts).
   */
  | { kind: 'must'; set: ItemSet; groups?: readonly ItemSet[] }
  /** At least `min` and at most `max` items of the list are in the set. */
  | { kind: 'quota'; set: ItemSet; min: number; max: number }
  /**
   * At most `max` items of the list share a value; an unknown key limits nothing. `codes` returns
   * the values by item, for scans of many items.
   */
  | { kind: 'diversify'; column: Column | undefined; max: number; codes: () => ValueCodes | undefined }
  /** Ignored in this request; keeps its place, because an index identifies each rule. */
  | { kind: 'dropped' };

export type BoundPreference = {
  /** Index in the configuration. */
  preferenceIndex: number;
  set: ItemSet;
  weight: number;
};

type ConfigurationBinding =
  | {
      outcome: 'bound';
      rules: BoundRule[];
      preferences: BoundPreference[];
      /** Whether any condition depends on the current time. */
      dependsOnNow: boolean;
    }
  /** The variables that the request lacks, each once. */
  | { outcome: 'missing'; variables: string[] };

type BindConfigurationContext = BindContext & { matchSets: MatchSets };

/** Side results of binding conditions. */
type Findings = { missing: Set<string>; dependsOnNow: boolean };

/** Returns the set of a query, undefined when dropped; records missing variables. */
function bindSet(query: Query, context: BindConfigurationContext, findings: Findings): ItemSet | undefined {
  const binding = bindQuery(query, context);
  if (binding.outcome === 'missing') findings.missing.add(binding.variable);
  if (binding.outcome !== 'bound') return undefined;
  findings.dependsOnNow ||= binding.query.dependsOnNow === true;
  return context.matchSets.get(binding.query);
}

const everyItem: ItemSet = { has: () => true, count: Number.POSITIVE_INFINITY, isExact: false };

function bindRule(rule: Rule, context: BindConfigurationContext, findings: Findings): BoundRule {
  if (rule.kind === 'diversify') {
    const { key, max } = rule;
    const codes = () => context.matchSets.valuesOf(key);
    return { kind: 'diversify', column: context.catalog.column(key), max, codes };
  }
  if (rule.kind === 'apart') {
    const groups = rule.queries.flatMap((query) => bindSet(query, context, findings) ?? []);
    const distinct = [...new Set(groups)];
    return distinct.length < 2 ? { kind: 'dropped' } : { kind: 'must', set: everyItem, groups: distinct };
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
