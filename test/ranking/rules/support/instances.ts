/**
 * Random small instances with all kinds of rules: overlapping minimums and maximums, two
 * diversity keys, preferences and injected items over a few dozen products.
 */
import type { Preference, Rule } from '../../../../src/ranking/rules/types.ts';
import { type Chance, createChance } from './chance.ts';
import { type Case, has, type Product } from './lists.ts';

const brands = [...'abcd'];
const tags = [...'xyz'];

const randomQuery = (chance: Chance) =>
  chance.happens(0.5)
    ? has('brand', chance.pick(brands), chance.happens(0.2))
    : has('tags', chance.pick(tags));

function randomProduct(chance: Chance): Product {
  return {
    brand: chance.pick(brands),
    tags: tags.filter(() => chance.happens(0.35)),
    enabled: chance.happens(0.95),
  };
}

/** A minimum, a maximum, both or (rarely) a must. */
function randomConstraint(chance: Chance, size: number): Rule {
  const query = randomQuery(chance);
  if (chance.happens(0.05)) return { kind: 'constraint', query };
  const min = chance.between(1, Math.max(1, Math.ceil(size / 2)));
  const max = chance.between(1, size);
  if (chance.happens(0.45)) return { kind: 'constraint', query, min };
  if (chance.happens(0.6)) return { kind: 'constraint', query, max };
  return { kind: 'constraint', query, min: Math.min(min, max), max: Math.max(min, max) };
}

function randomRules(chance: Chance, size: number): Rule[] {
  const rules = Array.from({ length: chance.between(1, 6) }, () => randomConstraint(chance, size));
  for (const key of ['brand', 'tags']) {
    if (!chance.happens(0.7)) continue;
    const rule: Rule = { kind: 'diversify', key, max: chance.between(1, Math.max(1, Math.ceil(size / 2))) };
    rules.splice(chance.between(0, rules.length), 0, rule);
  }
  return rules;
}

function randomPreferences(chance: Chance): Preference[] {
  const count = chance.happens(0.5) ? 0 : chance.between(1, 3);
  return Array.from({ length: count }, () => ({
    query: randomQuery(chance),
    weight: chance.pick([-1, 0.5, 1, 2, 2.5]),
  }));
}

function randomInjected(chance: Chance, size: number, productCount: number): Case['injected'] {
  const injected: Case['injected'] = new Map();
  const count = chance.happens(0.6) ? 0 : chance.between(1, 3);
  for (let k = 0; k < count; k++) {
    const [rank, product] = [chance.between(1, size), chance.between(0, productCount)];
    if (injected.has(rank) || [...injected.values()].includes(product)) continue;
    injected.set(rank, product < productCount ? product : undefined);
  }
  return injected;
}

export function randomInstance(seed: number): Case {
  const chance = createChance(seed);
  const size = chance.between(2, 12);
  const products = Array.from({ length: chance.between(8, 50) }, () => randomProduct(chance));
  return {
    products,
    size,
    rules: randomRules(chance, size),
    preferences: randomPreferences(chance),
    injected: randomInjected(chance, size, products.length),
    excluded: chance.happens(0.3) ? [chance.between(0, products.length - 1)] : [],
    known: chance.between(0, products.length),
    directAccess: chance.happens(0.5),
  };
}
