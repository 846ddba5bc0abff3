/** Environments of a configuration; empty for all. */
export type Environments = readonly string[];

/** Whether an environment may use a configuration of these environments. */
export const belongsTo = (environments: Environments, environment: string): boolean =>
  environments.length === 0 || environments.includes(environment);

export function environmentsOf(document: unknown): Environments {
  const { environments } = (document ?? {}) as { environments?: unknown };
  return Array.isArray(environments) ? environments.map(String) : [];
}
