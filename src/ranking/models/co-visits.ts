/**
 * Items that the same subjects contact within a window of time, by a damped random walk.
 *
 * The walk goes from item i to a subject u and on to item j; its probability is raised to α and
 * divided by the popularity of j to the power of β (RP3beta: Paudel, Christoffel, Newell,
 * Bernstein, "Updatable, Accurate, Diverse, and Scalable Recommendations for Interactive
 * Applications", TiiS 2016):
 *
 *   score(i → j) = Σ_u (a_ui / d_i)^α · (a_uj / d_u)^α / d_j^β     with d the sums of strengths a
 *
 * Only pairs whose last contacts lie within the window count. One constant scales the scores so
 * that an item's best neighbour averages 1, which makes blend weights comparable between data sets.
 */

import { type Accumulator, add, begin, createAccumulator } from './arrays/accumulator.ts';
import { createRowsBuilder, groupBy, type Rows } from './arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offerTouched } from './arrays/top-n.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm } from './model.ts';
import { createNeighbourModel, scaleToUnitBest } from './neighbours.ts';
import { type RowStage, type RunRows, runRowsHere } from './row-stages.ts';
import { createSequences, type Sequences } from './sequences.ts';

export type CoVisitsOptions = {
  /** Longest time between two contacts of a subject that form a pair. */
  windowSeconds?: number;
  /** Neighbours kept per item. */
  neighbourCount?: number;
  /** α: values below 1 raise rare paths. */
  alpha?: number;
  /** β: 0 leaves popular neighbours unchanged, 1 removes popularity. */
  beta?: number;
  /** Per item: 1 for items that get a row, when only some are needed. */
  onlyItems?: Uint8Array;
  /** Computes the rows [this thread]. */
  runRows?: RunRows;
};

/** Latest items used per subject. */
const maxItemsPerSubject = 500;

/** α and β are mid-range of the best on sparse data (0.7–1, 0.2–0.5); 100 neighbours lose 1 %. */
const defaultCoVisitsOptions: Required<Omit<CoVisitsOptions, 'runRows' | 'onlyItems'>> = {
  windowSeconds: 90 * 86_400,
  neighbourCount: 100,
  alpha: 0.85,
  beta: 0.25,
};

export const coVisits: Algorithm<Interactions, CoVisitsOptions, Rows> = {
  name: 'co_visits',
  train(interactions, { runRows = runRowsHere, ...options }) {
    const settings = { ...defaultCoVisitsOptions, ...options };
    const { itemCount } = interactions;
    const sequences = createSequences(interactions, maxItemsPerSubject);
    return scaleToUnitBest(runRows(coVisitRows, createGraph(sequences, itemCount, settings), itemCount));
  },
  serve: (tables, mapping) => createNeighbourModel('co_visits', tables, mapping),
};

export const coVisitRows: RowStage<Graph> = {
  name: 'co_visits',
  rows(graph, start, end) {
    const accumulator = createAccumulator(graph.itemOffsets.length - 1);
    const top = createTopN(graph.neighbourCount);
    const rows = createRowsBuilder(end - start);
    for (let item = start; item < end; item++) {
      begin(accumulator);
      if (graph.onlyItems?.[item] !== 0) walkFrom(item, graph, accumulator);
      beginTopN(top);
      offerTouched(top, accumulator);
      finishTopN(top);
      rows.appendRow(top);
    }
    return rows.finish();
  },
};

/** Subject-item graph in both directions. An entry is a position of `sequences`. */
type Graph = {
  sequences: Sequences;
  windowSeconds: number;
  neighbourCount: number;
  onlyItems?: Uint8Array;
  /** Subject per entry. */
  subject: Int32Array;
  /** Per entry: (a_ui / d_i)^α, the step from the item to the subject. */
  stepToSubject: Float32Array;
  /** Per entry: (a_uj / d_u)^α / d_j^β, the step from the subject to the item. */
  stepToItem: Float32Array;
  /** Entries by item. */
  itemOffsets: Int32Array;
  entriesByItem: Int32Array;
};

type CoVisitsSettings = typeof defaultCoVisitsOptions & Pick<CoVisitsOptions, 'onlyItems'>;

function createGraph(
  sequences: Sequences,
  itemCount: number,
  { alpha, beta, windowSeconds, neighbourCount, onlyItems }: CoVisitsSettings,
): Graph {
  const { offsets, item, strength } = sequences;
  const subject = new Int32Array(item.length);
  const ofSubject = new Float64Array(offsets.length - 1);
  const ofItem = new Float64Array(itemCount);
  for (let owner = 0; owner + 1 < offsets.length; owner++) {
    for (let entry = offsets[owner]; entry < offsets[owner + 1]; entry++) {
      subject[entry] = owner;
      ofSubject[owner] += strength[entry];
      ofItem[item[entry]] += strength[entry];
    }
  }
  const damping = ofItem.map((sum) => sum ** -beta);
  const byItem = groupBy(item, itemCount);
  return {
    sequences,
    windowSeconds,
    neighbourCount,
    onlyItems,
    subject,
    stepToSubject: strength.map((a, entry) => (a / ofItem[item[entry]]) ** alpha),
    stepToItem: strength.map((a, entry) => (a / ofSubject[subject[entry]]) ** alpha * damping[item[entry]]),
    itemOffsets: byItem.offsets,
    entriesByItem: byItem.order,
  };
}

function walkFrom(start: number, graph: Graph, accumulator: Accumulator): void {
  const { windowSeconds, sequences, subject, stepToSubject, stepToItem, itemOffsets, entriesByItem } = graph;
  const { offsets, item, timeSeconds } = sequences;
  for (let visit = itemOffsets[start]; visit < itemOffsets[start + 1]; visit++) {
    const entry = entriesByItem[visit];
    const step = stepToSubject[entry];
    const time = timeSeconds[entry];
    const first = offsets[subject[entry]];
    const end = offsets[subject[entry] + 1];
    for (let other = entry - 1; other >= first && time - timeSeconds[other] <= windowSeconds; other--) {
      add(accumulator, item[other], step * stepToItem[other]);
    }
    for (let other = entry + 1; other < end && timeSeconds[other] - time <= windowSeconds; other++) {
      add(accumulator, item[other], step * stepToItem[other]);
    }
  }
}
