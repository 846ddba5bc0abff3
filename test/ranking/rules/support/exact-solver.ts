/**
 * The best list of an instance by an exact solver (HiGHS), level by level: minimums in order of
 * declaration and length, unmet minimums as far as possible, total weight, and relevance.
 */
import loadHighs from 'highs';
import { createRelevance } from '../../../../src/ranking/rules/relevance.ts';
import { type Case, eligible, has, matches, placedOf, slotsOf, weightOf } from './lists.ts';

export type Judged = {
  /** For each rule with a minimum, in order: the items that count, up to the minimum. */
  got: number[];
  met: boolean[];
  length: number;
  weight: number;
  relevance: number;
};

const relevanceOf = createRelevance({ items: [], count: 0 });

const minimums = ({ rules }: Case) =>
  rules.flatMap((rule) =>
    rule.kind === 'constraint' && rule.min !== undefined ? [{ query: rule.query, min: rule.min }] : [],
  );

/** The value of a list on each level. */
export function judge(one: Case, picked: readonly number[]): Judged {
  const all = [...placedOf(one), ...picked].map((itemIndex) => one.products[itemIndex]);
  const got = minimums(one).map(({ query, min }) =>
    Math.min(min, all.filter((product) => matches(query, product)).length),
  );
  return {
    got,
    met: minimums(one).map(({ min }, k) => got[k] >= min),
    length: picked.length,
    weight: picked.reduce((sum, itemIndex) => sum + weightOf(one, one.products[itemIndex]), 0),
    relevance: picked.reduce((sum, itemIndex) => sum + relevanceOf(itemIndex), 0),
  };
}

type Row = { uses: (itemIndex: number) => boolean; max: number };

/** Every max and diversify limit, less what injected products use. */
function limitsOf(one: Case): Row[] {
  const placed = placedOf(one);
  const row = (max: number, uses: Row['uses']): Row => ({
    uses,
    max: Math.max(0, max - placed.filter(uses).length),
  });
  return one.rules.flatMap((rule) => {
    if (rule.kind === 'constraint')
      return rule.max === undefined ? [] : [row(rule.max, (i) => matches(rule.query, one.products[i]))];
    if (rule.kind === 'apart') throw new Error('not linear');
    const letters = [...(rule.key === 'brand' ? 'abcd' : 'xyz')];
    return letters.map((letter) => row(rule.max, (i) => matches(has(rule.key, letter), one.products[i])));
  });
}

const sum = (terms: string[]): string => (terms.length > 0 ? terms.join(' + ') : '0 x_none');

export async function createExactSolver(): Promise<(one: Case) => Judged & { picked: number[] }> {
  /* Declared as a CommonJS module, but Node loads the ES module, whose default export is the loader itself. */
  const load = loadHighs as unknown as typeof loadHighs.default;
  const highs = await load();

  const solve = (candidates: number[], objective: string, rows: string[], extra: string[]): number[] => {
    const names = [...candidates.map((i) => `x${i}`), ...extra];
    const text = `Maximize\n obj: ${objective}\nSubject To\n${rows.join('\n')}\nBounds\n x_none = 0\nBinary\n ${names.join(' ')}\nEnd`;
    const { Status, Columns } = highs.solve(text, { mip_rel_gap: 0, mip_abs_gap: 1e-7, output_flag: false });
    if (Status !== 'Optimal') throw new Error(`${Status}: ${text}`);
    return candidates.filter((i) => Math.round(Columns[`x${i}`].Primal) === 1);
  };

  return (one) => {
    const candidates = eligible(one);
    const slots = slotsOf(one);
    const placed = placedOf(one);
    if (candidates.length === 0) return { ...judge(one, []), picked: [] };
    const terms = (uses: Row['uses']) => sum(candidates.filter(uses).map((i) => `x${i}`));
    const limits = limitsOf(one).map(({ uses, max }) => ` ${terms(uses)} + 0 x_none <= ${max}`);
    const mins = minimums(one).map(({ query, min }) => {
      const uses = (i: number) => matches(query, one.products[i]);
      return { uses, min: min - placed.filter(uses).length };
    });
    const all = terms(() => true);
    const metRows = mins.map(({ uses, min }, k) => ` ${terms(uses)} - ${Math.max(0, min)} y${k} >= 0`);
    const worth = mins.map((_, k) => `${20 * 2 ** (mins.length - 1 - k)} y${k}`);
    const first = solve(
      candidates,
      sum([...worth, all]),
      [...limits, ...metRows, ` ${all} + 0 x_none <= ${slots}`],
      mins.map((_, k) => `y${k}`),
    );
    const reached = judge(one, first);
    const fixed = [...limits, ` ${all} + 0 x_none = ${first.length}`];
    for (const [k, { uses, min }] of mins.entries())
      if (reached.met[k]) fixed.push(` ${terms(uses)} + 0 x_none >= ${Math.max(0, min)}`);
    let best = first;
    for (const [k, { uses }] of mins.entries()) {
      if (reached.met[k]) continue;
      best = solve(candidates, terms(uses), fixed, []);
      fixed.push(` ${terms(uses)} + 0 x_none >= ${best.filter(uses).length}`);
    }
    const value = candidates.map((i) => {
      const total = weightOf(one, one.products[i]) * 2 * (slots + 1) + relevanceOf(i);
      return `${total < 0 ? '-' : '+'} ${Math.abs(total)} x${i}`;
    });
    best = solve(candidates, value.join(' '), fixed, []);
    return { ...judge(one, best), picked: best };
  };
}
