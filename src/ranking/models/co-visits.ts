/**
 * Items that the same subjects meet within a window of time, by a damped random walk.
 *
 * The walk goes from item i to a subject u and on to item j; its probability is raised to α and divided by the
 * popularity of j to the power of β (RP3beta: Paudel, Christoffel, Newell, Bernstein, "Updatable, Accurate, Diverse, and
 * Scalable Recommendations for Interactive Applications", TiiS 2016):
 *
 *   score(i → j) = Σ_u (a_ui / d_i)^α · (a_uj / d_u)^α / d_j^β     with d the sums of strengths a
 *
 * Only pairs whose last contacts lie within the window count. Scores are then scaled by one constant so that the
 * best neighbour of an item scores 1 on average, which makes the blend's weights mean the same on every data set.
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
  /** How far apart two contacts of a subject may lie to count as a pair. */
  windowSeconds?: number;
  /** Neighbours kept per item. */
  neighbourCount?: number;
  /** α: below 1 lifts rare paths. */
  alpha?: number;
  /** β: 0 leaves popular neighbours alone, 1 removes popularity altogether. */
  beta?: number;
  /** Per item, 1 for those that get a row, when not all are needed. */
  onlyItems?: Uint8Array;
  /** Who makes the rows [this thread]. */
  runRows?: RunRows;
};

/** The last so many items of a subject. */
const maxItemsPerSubject = 500;

/** α and β lie in the middle of what wins on sparse data (α 0.7–1, β 0.2–0.5); 100 neighbours lose about 1 %. */
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

/** The subject-item graph in both directions. An entry is one position of `sequences`. */
type Graph = {
  sequences: Sequences;
  windowSeconds: number;
  neighbourCount: number;
  onlyItems?: Uint8Array;
  /** Per entry: its subject. */
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
