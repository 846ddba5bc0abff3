/** Finds likely mistakes in a configuration, by its rules and the items of the catalogues. */

import { type EnvironmentSettings, itemFields } from '../../deployment/deployment.ts';
import type { Catalog } from '../../ranking/catalog/catalog.ts';
import { bindQuery } from '../../ranking/rules/bind.ts';
import type { MatchSets } from '../../ranking/rules/match-sets.ts';
import type { NamedItem, SearchRules } from '../../ranking/rules/search-rules.ts';
import type { ConfigurationSettings } from '../../ranking/rules/settings.ts';
import { type Configuration, type Query, queriesOf, type Rule } from '../../ranking/rules/types.ts';
import { nextTurn } from '../../ranking/runtime/slices.ts';
import { findContradictions } from './contradictions.ts';
import type { ConfigurationContent } from './replica/content.ts';

export type Warning = {
  /** RFC 6901 pointer into the configuration. */
  pointer: string;
  kind:
    | 'all_environments'
    | 'contradiction'
    | 'dead_condition'
    | 'duplicate_rule'
    | 'many_hides'
    | 'unbounded_preference'
    | 'unknown_item';
  detail: string;
};

export type LintedEnvironment = { settings: EnvironmentSettings; catalog: Catalog; matchSets: MatchSets };

/** Conditions that are counted; each costs up to 10 ms per 100,000 items the first time. */
const mostCounted = 100;

/** A preference for fewer items cannot fill a list. */
const crowdSize = 100;

export type Linted = {
  rules: Configuration;
  settings: Pick<ConfigurationSettings, 'pins' | 'hides'>;
  content: Pick<ConfigurationContent, 'environments'>;
  search?: SearchRules;
};

export async function lintConfiguration(
  { rules: { rules, preferences }, settings, content, search }: Linted,
  environments: readonly LintedEnvironment[],
  nowMs: number,
): Promise<Warning[]> {
  const warnings = [
    ...warnOfContradictions(rules, environments),
    ...findDuplicates(rules),
    ...findUnknownItems(
      search ?? { ...settings, environments: content.environments },
      search ? '/search' : '',
      environments,
    ),
    ...warnOfManyHides(search ?? settings, search ? '/search' : ''),
    ...warnOfAllEnvironments(search, environments),
  ];
  let countedCount = 0;
  const count = async (query: Query): Promise<number | undefined> => {
    if (dependsOnRequest(query) || countedCount >= mostCounted) return undefined;
    countedCount += 1;
    await nextTurn();
    return countMatches(query, environments, nowMs);
  };
  for (const [i, rule] of rules.entries()) {
    for (const [k, query] of queriesOf(rule).entries())
      if ((await count(query)) === 0)
        warnings.push(dead(`/constraints/${i}/${rule.kind === 'apart' ? `never_together/${k}` : 'query'}`));
  }
  for (const [i, { query, weight }] of preferences.entries()) {
    const matchCount = await count(query);
    if (matchCount === 0) warnings.push(dead(`/preferences/${i}/query`));
    const isCrowd = matchCount !== undefined && matchCount >= crowdSize;
    if (isCrowd && !search && weight > 0 && !isBounded(query, rules)) {
      warnings.push(unbounded(`/preferences/${i}`, matchCount));
    }
  }
  return warnings;
}

/** Warns of contradictions that leave lists possible; others are errors. */
function warnOfContradictions(rules: readonly Rule[], environments: readonly LintedEnvironment[]): Warning[] {
  const isSingle = (key: string) => environments.every(({ settings }) => isSingleValued(key, settings));
  return findContradictions({ rules, isSingle })
    .filter(({ isFatal }) => !isFatal)
    .map(({ ruleIndex, detail }) => ({
      pointer: `/constraints/${ruleIndex}`,
      kind: 'contradiction',
      detail,
    }));
}

const severalValued = new Set(['categories', 'tags']);

/** Returns whether an item has at most one value of the key; undeclared properties have none. */
export function isSingleValued(key: string, { properties }: EnvironmentSettings): boolean {
  if (itemFields.has(key)) return !severalValued.has(key);
  return properties.get(key)?.type !== 'string[]' && !key.startsWith('item_attributes.');
}

function findDuplicates(rules: readonly Rule[]): Warning[] {
  const seen = new Map<string, number>();
  return rules.flatMap((rule, i): Warning[] => {
    const key = rule.kind === 'diversify' ? `diversify ${rule.key}` : JSON.stringify(rule);
    const first = seen.get(key);
    if (first === undefined) {
      seen.set(key, i);
      return [];
    }
    const what =
      rule.kind === 'diversify' ? `The key ${rule.key} is diversified` : 'The same constraint is present';
    return [
      { pointer: `/constraints/${i}`, kind: 'duplicate_rule', detail: `${what} already in rule ${first}.` },
    ];
  });
}

/** Finds pins and hides of items that are in none of the configuration's environments. */
function findUnknownItems(
  { pins, hides, environments: named }: Pick<SearchRules, 'pins' | 'hides' | 'environments'>,
  parent: string,
  environments: readonly LintedEnvironment[],
): Warning[] {
  const steered = environments.filter(({ settings }) => named.length === 0 || named.includes(settings.name));
  const isKnown = ({ itemId, itemType }: NamedItem) =>
    steered.some(({ catalog }) => catalog.indexOfId(itemId, itemType) !== undefined);
  const warn = (items: readonly NamedItem[], name: string): Warning[] =>
    items.flatMap((item, i) =>
      isKnown(item)
        ? []
        : [
            {
              pointer: `${parent}/${name}/${i}`,
              kind: 'unknown_item',
              detail: `The item ${JSON.stringify(item.itemId)} is in no environment of this configuration.`,
            },
          ],
    );
  return [...warn(pins, 'pins'), ...warn(hides, 'hides')];
}

/** Hidden items of a configuration, as in the proto, and the number that a warning begins at. */
const hideLimits = { most: 500, near: 450 };

function warnOfManyHides({ hides }: Pick<SearchRules, 'hides'>, parent: string): Warning[] {
  if (hides.length < hideLimits.near) return [];
  const detail = `${hides.length} of at most ${hideLimits.most} items are hidden; a constraint with max 0 hides any number.`;
  return [{ pointer: `${parent}/hides`, kind: 'many_hides', detail }];
}

/** Search rules without environments steer the searches of every site. */
function warnOfAllEnvironments(
  search: SearchRules | undefined,
  environments: readonly LintedEnvironment[],
): Warning[] {
  if (!search || search.environments.length > 0 || environments.length < 2) return [];
  const detail = `Applies to the searches of all ${environments.length} environments; name those that it is for.`;
  return [{ pointer: '/search/environments', kind: 'all_environments', detail }];
}

function dependsOnRequest({ tests }: Query): boolean {
  return tests.some((test) => 'operands' in test && test.operands.some((operand) => 'variable' in operand));
}

function countMatches(query: Query, environments: readonly LintedEnvironment[], nowMs: number): number {
  let matchCount = 0;
  for (const { catalog, matchSets } of environments) {
    const binding = bindQuery(query, { catalog, variables: () => undefined, nowMs });
    if (binding.outcome !== 'bound') continue;
    const { count, has } = matchSets.get(binding.query);
    if (Number.isFinite(count)) matchCount += count;
    else
      for (let itemIndex = 0; itemIndex < catalog.itemCount; itemIndex++) if (has(itemIndex)) matchCount += 1;
  }
  return matchCount;
}

/** Returns whether a rule limits how many of these items a list contains. */
function isBounded({ key }: Query, rules: readonly Rule[]): boolean {
  return rules.some((rule) =>
    rule.kind === 'constraint'
      ? rule.max !== undefined && rule.query.key === key
      : rule.kind === 'diversify' && rule.key === key,
  );
}

function dead(pointer: string): Warning {
  return {
    pointer,
    kind: 'dead_condition',
    detail: 'No item of any environment satisfies this condition now.',
  };
}

function unbounded(pointer: string, matchCount: number): Warning {
  const detail = `${matchCount} items match, and no rule limits their number in a list: it may consist of them alone.`;
  return { pointer, kind: 'unbounded_preference', detail };
}
