/**
 * Makes the rows of a page: orders the candidate rows by their expected gain, composes the best
 * ones without repeats, and leaves out rows with too few items.
 *
 * The gain of a row is the sum of the blend's scores of its first items, each divided by the binary
 * logarithm of its rank plus one, as in DCG (Järvelin and Kekäläinen 2002). All rows share one
 * scoring of the candidates; only a purpose with seeds of its own is scored beside it.
 */

import { bindQuery } from '../rules/bind.ts';
import type { BoundRule } from '../rules/bind-configuration.ts';
import type { ItemSet } from '../rules/match-sets.ts';
import type { BoundList } from './bind-list.ts';
import type { Candidates } from './candidates.ts';
import type { ListIngredients } from './list-ingredients.ts';
import { purposeOf } from './list-purpose.ts';
import type { List, PageRules, RowPlan } from './recommendation-request.ts';

export type PageParts = {
  bound: readonly BoundList[];
  score(listIndex: number): unknown;
  candidates: Candidates;
  /** Makes a list with one more rule. */
  makeAt(listIndex: number, rule?: BoundRule): List;
};

/** Items of a row that count in its gain. */
const countedItems = 5;

/** Candidates considered for the gain of a row. */
const mostConsidered = 500;

/** Candidates whose scores are traced to the items of the history, some 20 µs each. */
const mostTraced = 300;

/** Rows with too few items are replaced by the next ones this many times. */
const mostRounds = 3;

type Row = { place: number; plan: RowPlan; rule?: BoundRule; gain: number; group: number };

export function makePage(parts: PageParts, rules: PageRules, ingredients: ListIngredients): List[] {
  const rows = orderRows(describeRows(parts, ingredients));
  const count = createCounts(rules);
  const made: { row: Row; list: List }[] = [];
  for (let round = 0; round < mostRounds && made.length < rules.maximumRows; round++) {
    const chosen = takeRows(rows, rules.maximumRows - made.length, count);
    if (chosen.length === 0) break;
    for (const row of chosen.toSorted((a, b) => a.group - b.group)) {
      const list = parts.makeAt(row.place, row.rule);
      if (list.items.length < row.plan.minimumItems) count.drop(row);
      else made.push({ row, list: { ...list, row: { place: row.place, gain: finite(row.gain) } } });
    }
  }
  return arrange(made.sort((a, b) => compareRows(a.row, b.row)));
}

/** Rows that continue something come first. */
const finite = (gain: number): number => (Number.isFinite(gain) ? gain : 0);

function describeRows(parts: PageParts, ingredients: ListIngredients): Row[] {
  const { request, environment, active, nowMs } = ingredients;
  const groups = request.lists.map(({ row }, place) => {
    const purpose = purposeOf(request.lists[place], active[place].settings, ingredients);
    const ordered = { trending: 2, newest: 3 };
    if (row!.order) return ordered[row!.order];
    return purpose === 'continue' ? 0 : 1;
  });
  const personal = groups.indexOf(1);
  /** Without personal rows, too: the scores at hand are of another request. */
  if (groups.length > 0) parts.score(Math.max(0, personal));
  const head = personal < 0 ? new Int32Array(0) : parts.candidates.readScored().slice(0, mostConsidered);
  const trace = createTrace(head, parts.candidates);
  const heads = [
    head,
    head,
    environment.models.fallbackOrder.subarray(0, mostConsidered),
    newestOf(ingredients),
  ];
  return request.lists.map(({ row: plan }, place) => {
    const set = plan!.because === undefined ? segmentSet(plan!, ingredients) : trace(plan!.because);
    const musts = parts.bound[place].rules.flatMap((rule) => (rule.kind === 'must' ? [rule.set] : []));
    const passes = (itemIndex: number) =>
      [...musts, ...(set ? [set] : [])].every((must) => must.has(itemIndex)) &&
      environment.catalog.servable(itemIndex, nowMs);
    const group = groups[place];
    const gain =
      group === 0 ? Number.POSITIVE_INFINITY : gainOf(heads[group], passes, parts.candidates.scoreOf);
    return { place, plan: plan!, rule: set && { kind: 'must' as const, set }, gain, group };
  });
}

function gainOf(head: Int32Array, passes: (itemIndex: number) => boolean, scoreOf: Candidates['scoreOf']) {
  let gain = 0;
  let rank = 0;
  for (const itemIndex of head) {
    if (!passes(itemIndex)) continue;
    gain += Math.max(0, scoreOf(itemIndex)) / Math.log2(++rank + 1);
    if (rank === countedItems) break;
  }
  return gain;
}

function newestOf({ environment: { catalog } }: ListIngredients): Int32Array {
  const length = Math.min(mostConsidered, catalog.itemCount);
  return Int32Array.from({ length }, (_, place) => catalog.itemCount - 1 - place);
}

function segmentSet({ segment }: RowPlan, { environment, nowMs }: ListIngredients): ItemSet | undefined {
  if (!segment) return undefined;
  const { catalog, matchSets } = environment;
  const operands = [{ value: segment.value }];
  const test = { operator: 'equals', operands, quantifier: 'any', negated: false } as const;
  const context = { catalog, variables: () => undefined, nowMs };
  const binding = bindQuery({ key: segment.key, tests: [test] }, context);
  return binding.outcome === 'bound' ? matchSets.get(binding.query) : undefined;
}

/** Returns the items whose score owes most to one item of the history. */
function createTrace(head: Int32Array, candidates: Candidates): (because: number) => ItemSet {
  let strongest: Map<number, number> | undefined;
  const trace = () =>
    new Map(Array.from(head.subarray(0, mostTraced), (item) => [item, strongestSeed(item, candidates)]));
  return (because) => {
    strongest ??= trace();
    const seeds = strongest;
    return { has: (item) => seeds.get(item) === because, count: Number.POSITIVE_INFINITY, isExact: false };
  };
}

/** Returns the item of the history with the largest share in a score; -1 for none. */
function strongestSeed(itemIndex: number, candidates: Candidates): number {
  const shares = new Map<number, number>();
  for (const { reasons } of candidates.explain(itemIndex)?.parts ?? [])
    for (const { seedItemIndex = -1, score } of reasons)
      if (seedItemIndex >= 0) shares.set(seedItemIndex, (shares.get(seedItemIndex) ?? 0) + score);
  let best = -1;
  for (const [seed, share] of shares) if (share > (shares.get(best) ?? 0)) best = seed;
  return best;
}

/** Pinned rows are chosen before others. At equal gain the page's definition decides. */
function compareRows(a: Row, b: Row): number {
  return b.gain - a.gain || a.place - b.place;
}

function orderRows(rows: Row[]): Row[] {
  const isPinned = ({ plan }: Row) => (plan.pinned === undefined ? 1 : 0);
  return rows.sort((a, b) => isPinned(a) - isPinned(b) || compareRows(a, b));
}

type Counts = { admits(row: Row): boolean; add(row: Row): void; drop(row: Row): void };

function createCounts({ rowsPerSource, rowsPerSegment = Number.POSITIVE_INFINITY }: PageRules): Counts {
  const counts = new Map<string, number>();
  const keysOf = ({ plan: { source, segment } }: Row) => [
    { key: `${source}`, most: rowsPerSource[source] },
    ...(segment ? [{ key: `${segment.key}\t${segment.value}`, most: rowsPerSegment }] : []),
  ];
  const change = (row: Row, by: number) => {
    for (const { key } of keysOf(row)) counts.set(key, (counts.get(key) ?? 0) + by);
  };
  return {
    admits: (row) => keysOf(row).every(({ key, most }) => (counts.get(key) ?? 0) < most),
    add: (row) => change(row, 1),
    drop: (row) => change(row, -1),
  };
}

/** Removes and returns the next rows that the rules admit. */
function takeRows(rows: Row[], wanted: number, count: Counts): Row[] {
  const taken: Row[] = [];
  for (let at = 0; at < rows.length && taken.length < wanted; ) {
    if (!count.admits(rows[at])) {
      at++;
      continue;
    }
    count.add(rows[at]);
    taken.push(...rows.splice(at, 1));
  }
  return taken;
}

/** Places pinned rows at their positions, or after others pinned there, as far as the page is long enough. */
function arrange(made: readonly { row: Row; list: List }[]): List[] {
  const others = made.filter(({ row }) => row.plan.pinned === undefined);
  const pinned = made.filter(({ row }) => row.plan.pinned !== undefined);
  pinned.sort((a, b) => a.row.plan.pinned! - b.row.plan.pinned!);
  const page = others.map(({ list }) => list);
  let next = 0;
  for (const { row, list } of pinned) {
    const at = Math.max(next, row.plan.pinned! - 1);
    page.splice(at, 0, list);
    next = Math.min(at + 1, page.length);
  }
  return page;
}
