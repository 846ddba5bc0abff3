/**
 * Matrix factors for implicit feedback by alternating least squares (iALS: Hu, Koren, Volinsky,
 * ICDM 2008), with the frequency-scaled regularisation of Rendle, Krichene, Zhang, Koren
 * ("Revisiting the Performance of iALS", RecSys 2022):
 *
 *   L = Σ_observed c (1 - x_u·y_i)² + α Σ_all (x_u·y_i)² + Σ_u λ_u |x_u|² + Σ_i λ_i |y_i|²,  λ_u = λ (n_u + α · items)
 *
 * Each row is solved by a few steps of conjugate gradients (Takács, Pilászy, Tikk, RecSys 2011),
 * see arrays/fold-in.ts. Subjects are not stored: the same solver folds in a request's factors from
 * its seeds, so a new subject is served as well as one present at training.
 */

import type { Accumulator } from './arrays/accumulator.ts';
import { createDotProducts } from './arrays/dot-products.ts';
import { createFoldIn, type FoldIn, rotate } from './arrays/fold-in.ts';
import { groupBy } from './arrays/rows.ts';
import { floorOfBest } from './arrays/score-floor.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm, IndexMapping, Model, Query } from './model.ts';
import { createSequences, type Sequences } from './sequences.ts';

export type IalsOptions = {
  /** d, a multiple of 4. */
  dimensions?: number;
  /** Times that both sides are solved. */
  epochs?: number;
};

export type IalsTables = {
  /** d floats per local item, in a basis that makes their Gram matrix diagonal. */
  factors: Float32Array;
  /** α · that diagonal. */
  diagonal: Float64Array;
  /** [λ · α · items, λ]: further inputs of folding in. */
  regularisation: Float64Array;
};

const defaultIalsOptions: Required<IalsOptions> = { dimensions: 64, epochs: 7 };

/** λ */
const regularisation = 0.005;

/** Latest items used per subject. */
const maxItemsPerSubject = 500;

/** Conjugate gradient steps per row: within 1 % of the exact solution. */
const stepsPerRow = 6;

export const ials: Algorithm<Interactions, IalsOptions, IalsTables> = {
  name: 'ials',
  train(interactions, options) {
    const { dimensions, epochs } = { ...defaultIalsOptions, ...options };
    const sequences = createSequences(interactions, maxItemsPerSubject);
    const unobservedWeight = unobservedWeightFor(sequences, interactions.itemCount);
    const sides = createSides(sequences, interactions.itemCount, dimensions);
    const strengths = Float32Array.from(sequences.strength, (strength) => Math.sqrt(strength));
    const solving: Solving = { dimensions, unobservedWeight, foldIn: createFoldIn(dimensions) };
    for (let epoch = 0; epoch < epochs; epoch++) {
      solveSide(sides.subjects, sides.items, strengths, solving);
      solveSide(sides.items, sides.subjects, strengths, solving);
    }
    const diagonal = rotate(sides.items.factors, dimensions);
    return {
      factors: sides.items.factors,
      diagonal: diagonal.map((value) => unobservedWeight * value),
      regularisation: Float64Array.of(
        regularisation * unobservedWeight * interactions.itemCount,
        regularisation,
      ),
    };
  },
  serve: (tables, mapping) => createFactorModel(tables, mapping),
};

/** Multiplications per training: some ten seconds. */
const mostWork = 8e9;

/** Returns fewer epochs, then fewer dimensions, for more rows and events. */
export function factorsFor({ subjectCount, itemCount, item }: Interactions): IalsOptions {
  for (const [dimensions, epochs] of [
    [64, 7],
    [64, 4],
    [32, 5],
    [32, 3],
  ]) {
    const perEpoch = 2 * dimensions ** 2 * (subjectCount + itemCount) + 24 * dimensions * item.length;
    if (epochs * perEpoch <= mostWork) return { dimensions, epochs };
  }
  return { dimensions: 16, epochs: 3 };
}

/**
 * Returns α, the weight of unobserved pairs. Together they weigh ten times the average subject's
 * observations, near the best on sparse (Gowalla, 27 of 41,000 items) and dense data (MovieLens,
 * 165 of 9,700).
 */
function unobservedWeightFor({ offsets, item }: Sequences, itemCount: number): number {
  return (10 * item.length) / Math.max(1, offsets.length - 1) / Math.max(1, itemCount);
}

/** One side of the matrix: factors, and for each row its entries and rows of the other side. */
type Side = {
  count: number;
  factors: Float32Array;
  offsets: Int32Array;
  /** Entry per visit, which gives its strength. */
  entries: Int32Array;
  /** Row of the other side per visit. */
  others: Int32Array;
};

function createSides({ offsets, item }: Sequences, itemCount: number, dimensions: number) {
  const subjectCount = offsets.length - 1;
  const subject = new Int32Array(item.length);
  for (let owner = 0; owner < subjectCount; owner++) subject.fill(owner, offsets[owner], offsets[owner + 1]);
  const byItem = groupBy(item, itemCount);
  const subjects: Side = {
    count: subjectCount,
    factors: new Float32Array(subjectCount * dimensions),
    offsets,
    entries: Int32Array.from(item.keys()),
    others: item,
  };
  const items: Side = {
    count: itemCount,
    factors: initialFactors(byItem.offsets, dimensions),
    offsets: byItem.offsets,
    entries: byItem.order,
    others: byItem.order.map((entry) => subject[entry]),
  };
  return { subjects, items };
}

/** Returns small factors, reproducible for a number of items; zeros without contacts. */
function initialFactors(offsets: Int32Array, dimensions: number): Float32Array {
  const factors = new Float32Array((offsets.length - 1) * dimensions);
  let state = 0x2545f491;
  for (let item = 0; item + 1 < offsets.length; item++) {
    if (offsets[item] === offsets[item + 1]) continue;
    for (let at = item * dimensions; at < (item + 1) * dimensions; at++) {
      state = (Math.imul(state, 1664525) + 1013904223) | 0;
      factors[at] = (state / 2 ** 31) * (0.17 / Math.sqrt(dimensions));
    }
  }
  return factors;
}

type Solving = { dimensions: number; unobservedWeight: number; foldIn: FoldIn };

function solveSide(
  side: Side,
  other: Side,
  strengths: Float32Array,
  { dimensions, unobservedWeight, foldIn }: Solving,
): void {
  const diagonal = rotate(other.factors, dimensions);
  foldIn.begin(
    other.factors,
    diagonal.map((value) => unobservedWeight * value),
  );
  const constant = regularisation * unobservedWeight * other.count;
  for (let row = 0; row < side.count; row++) {
    const start = side.offsets[row];
    const count = side.offsets[row + 1] - start;
    if (count === 0) continue;
    foldIn.clear();
    for (let visit = start; visit < start + count; visit++) {
      foldIn.observe(side.others[visit], strengths[side.entries[visit]]);
    }
    foldIn.solve(side.factors, row * dimensions, constant + regularisation * count, stepsPerRow);
  }
}

/** Best candidates lifted: five times a usual list's. More changes no data set's figures. */
// Choosing 512 before popularity and trend count costs MovieLens 6 % of its NDCG@20.
const usualMostLifted = 512;
const liftedPerPlace = 5;

/** Products computed at a time, so that their data stay in the nearest cache. */
const liftedAtOnce = 512;

/**
 * Lifts proposed items: candidates × d multiplications instead of items × d.
 * @param mostLifted Approximate limit; further candidates get no score.
 */
export function createFactorModel(
  { factors, diagonal, regularisation: [constant, regularisation] }: IalsTables,
  mapping: IndexMapping,
  mostLifted = usualMostLifted,
): Model {
  const dimensions = diagonal.length;
  const foldIn = createFoldIn(dimensions);
  foldIn.begin(factors, diagonal);
  const user = new Float32Array(dimensions);
  const lifting = createLifting(factors, mapping, dimensions);
  return {
    name: 'ials',
    role: 'lifts',
    prepare: lifting.prepare,
    accumulate(query, weight, accumulator) {
      lifting.begin();
      if (!foldInSeeds(query, foldIn, user, { constant, regularisation })) return;
      const most = Math.max(mostLifted, liftedPerPlace * query.listSize);
      lifting.lift(user, accumulator, { weight, most });
    },
    /** Explains the request accumulated last. */
    explain(_query, weight, itemIndex) {
      const score = weight * lifting.liftOf(itemIndex);
      return score === 0 ? [] : [{ score }];
    },
  };
}

/** Tracks the candidates that the last request lifted, and by how much. */
function createLifting(factors: Float32Array, mapping: IndexMapping, dimensions: number) {
  const dots = createDotProducts(factors, dimensions, liftedAtOnce);
  /** Last request that lifted each local item. */
  const liftedIn = new Uint32Array(factors.length / dimensions);
  let request = 0;

  const liftChosen = ({ scores }: Accumulator, count: number, weight: number): void => {
    dots.compute(count);
    for (let place = 0; place < count; place++) scores[dots.rows[place]] += weight * dots.products[place];
  };

  return {
    prepare: dots.copyOn,
    begin() {
      request += 1;
    },
    /** Lifts the best candidates known at training. */
    lift(user: Float32Array, accumulator: Accumulator, { weight, most }: { weight: number; most: number }) {
      const { touched, touchedCount, scores } = accumulator;
      const floor = floorOfBest(accumulator, most);
      let count = 0;
      dots.vector.set(user);
      for (let place = 0; place < touchedCount; place++) {
        const local = touched[place];
        if (scores[local] < floor || local >= liftedIn.length) continue;
        liftedIn[local] = request;
        dots.rows[count++] = local;
        if (count < liftedAtOnce) continue;
        liftChosen(accumulator, count, weight);
        count = 0;
      }
      liftChosen(accumulator, count, weight);
    },
    liftOf(itemIndex: number): number {
      const local = mapping.localOf[itemIndex] ?? -1;
      if (local < 0 || liftedIn[local] !== request) return 0;
      dots.rows[0] = local;
      dots.compute(1);
      return dots.products[0];
    },
  };
}

/** Returns false without a known seed. Seeds weigh relative to the average, as in training. */
function foldInSeeds(
  query: Query,
  foldIn: FoldIn,
  user: Float32Array,
  { constant, regularisation }: { constant: number; regularisation: number },
): boolean {
  foldIn.clear();
  user.fill(0);
  let count = 0;
  for (let seed = 0; seed < query.seedCount; seed++) {
    const local = query.seedLocal[seed];
    if (local < 0) continue;
    foldIn.observe(local, query.seedWeight[seed] * query.seedCount);
    count += 1;
  }
  if (count > 0) foldIn.solve(user, 0, constant + regularisation * count, stepsPerRow);
  return count > 0;
}
