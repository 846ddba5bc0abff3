/** Changes of model weights by experiments and versions. */

import type { EnvironmentSettings } from '../../deployment/deployment.ts';

/** Factors on the weights of models, by name [1]. */
export type ModelFactors = Readonly<Record<string, number>>;

/** Decides the weights: the A/B version, and the factors of experiments beside its own. */
export type Weighting = { version: string; factors?: ModelFactors };

export type Factors = ReadonlyMap<string, number>;

/** Blends for the factors of experiments that are kept; more are made again. */
const mostWeightings = 100;

/** Makes a value for each version at once, and for each combination with factors when it is needed. */
export function byWeighting<Value>({ versions }: EnvironmentSettings, make: (factors: Factors) => Value) {
  const declared = new Map(versions.map(({ name, models }) => [name, { models, made: make(models) }]));
  const standard = { models: new Map() as Factors, made: make(new Map()) };
  const others = new Map<string, Value>();
  return ({ version, factors }: Weighting): Value => {
    const { models, made } = declared.get(version) ?? standard;
    if (!factors) return made;
    const key = JSON.stringify([version, factors]);
    const known = others.get(key);
    if (known !== undefined) return known;
    const own = Object.entries(factors).map(([name, by]) => [name, by * (models.get(name) ?? 1)] as const);
    const value = make(new Map([...models, ...own]));
    if (others.size >= mostWeightings) others.clear();
    others.set(key, value);
    return value;
  };
}
