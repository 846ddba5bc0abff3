/**
 * Compares a deployment file with the stored configurations and items: conditions that it cannot
 * evaluate, values of items that it ignores, and environments and item types that it lacks.
 */

import { type Deployment, type PropertyType, reservedPropertyNames } from '../../deployment/deployment.ts';
import { findMisfits, type Misfit } from '../../ranking/rules/misfits.ts';
import type { SearchRules } from '../../ranking/rules/search-rules.ts';
import type { Configuration } from '../../ranking/rules/types.ts';
import { listDocuments } from '../../repository/configurations/configurations.ts';
import type { Database } from '../../repository/database.ts';
import { listStoredProperties, type StoredProperty } from '../../repository/doctor/content-queries.ts';

export type FitProblem = {
  /** Absent for a configuration, which belongs to no environment. */
  environment?: string;
  /** A configuration, a property or an item type. */
  subject: string;
  description: string;
  /** Items; 1 for a configuration. */
  count: number;
};

type Parsed = { rules: Configuration; search?: SearchRules };

export type FitOptions = {
  db: Database;
  deployment: Pick<Deployment, 'environments'>;
  parse(document: unknown): Parsed;
};

/** `isComplete` unless the items could not be counted in time. */
export type DeploymentFit = { problems: FitProblem[]; isComplete: boolean };

export async function findFitProblems(
  { db, deployment, parse }: FitOptions,
  timeoutMs: number,
): Promise<DeploymentFit> {
  const keys = new Map<string, Set<string>>();
  const ofConfigurations = (await listDocuments(db)).flatMap(({ configurationId, document }) => {
    try {
      return findBroken(configurationId, parse(document), deployment, keys);
    } catch (error) {
      return [broken(configurationId, `cannot be read: ${(error as Error).message}`)];
    }
  });
  const stored = await listStoredProperties(db, [...reservedPropertyNames], timeoutMs);
  const ofItems = stored?.flatMap((property) => findLost(property, deployment, keys)) ?? [];
  return { problems: [...ofConfigurations, ...ofItems], isComplete: stored !== undefined };
}

const broken = (configurationId: string, reason: string): FitProblem => ({
  subject: configurationId,
  description: `Configuration ${JSON.stringify(configurationId)} ${reason}`,
  count: 1,
});

/** @param keys Gets the configurations by the keys that an environment cannot evaluate. */
function findBroken(
  configurationId: string,
  { rules, search }: Parsed,
  { environments }: FitOptions['deployment'],
  keys: Map<string, Set<string>>,
): FitProblem[] {
  const named = search?.environments ?? [];
  const missing = named.filter((name) => !environments.has(name));
  const applied = [...environments.values()].filter(({ name }) => named.length === 0 || named.includes(name));
  const byEnvironment = applied.map(({ properties }) => findMisfits(rules, properties));
  for (const { key } of byEnvironment.flat())
    keys.set(key, (keys.get(key) ?? new Set()).add(configurationId));
  /** A key of another environment is no mistake, as a configuration may serve several. */
  const everywhere = (byEnvironment[0] ?? []).flatMap(({ pointer }) => {
    const found = byEnvironment.map((misfits) => misfits.find((other) => other.pointer === pointer));
    if (found.includes(undefined)) return [];
    return [found.find((misfit) => misfit!.reason === 'other_type') ?? found[0]!];
  });
  return [
    ...missing.map((name) =>
      broken(configurationId, `names the environment "${name}", which is not declared.`),
    ),
    ...everywhere.map((misfit) => broken(configurationId, describeMisfit(misfit))),
  ];
}

function describeMisfit({ pointer, key, reason }: Misfit): string {
  return reason === 'undeclared'
    ? `uses the property "${key}" (${pointer}), which no environment declares.`
    : `compares the property "${key}" (${pointer}) with values that its declared type cannot have.`;
}

/** Kinds of stored values that a property of the type can hold. */
const kindsOf: Record<PropertyType, readonly string[]> = {
  string: ['string', 'datetime', 'array'],
  'string[]': ['string', 'datetime', 'array'],
  number: ['number'],
  boolean: ['boolean'],
  datetime: ['datetime'],
};

function findLost(
  { environment, itemType, name, kind, count }: StoredProperty,
  { environments }: FitOptions['deployment'],
  keys: ReadonlyMap<string, ReadonlySet<string>>,
): FitProblem[] {
  const settings = environments.get(environment);
  const problem = (subject: string, description: string) => [{ environment, subject, description, count }];
  const items = `${count} ${count === 1 ? 'item' : 'items'} of type "${itemType}" in environment "${environment}"`;
  const isKnownType = settings?.itemTypes.has(itemType);
  if (name === '') {
    if (!settings) return problem(itemType, `${items} cannot be served: the environment is not declared.`);
    return isKnownType ? [] : problem(itemType, `${items} cannot be served: the type is not declared.`);
  }
  const type = settings?.properties.get(name)?.type;
  if (!isKnownType || settings?.vectors.has(name) || (type !== undefined && kindsOf[type].includes(kind)))
    return [];
  const users = [...(keys.get(name) ?? [])].map((id) => JSON.stringify(id)).join(', ');
  const uses = users === '' ? '' : ` Used by configuration ${users}.`;
  const held = `${items} have the property "${name}"`;
  return type === undefined
    ? problem(name, `${held}, which is not declared: its values are ignored.${uses}`)
    : problem(name, `${held} as ${kind}; it is declared as ${type}: these values are ignored.${uses}`);
}
