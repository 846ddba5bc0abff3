/**
 * Item-item weights by ridge regression, each item on its own neighbourhood.
 *
 * EASE (Steck, "Embarrassingly Shallow Autoencoders for Sparse Data", WWW 2019) predicts each
 * item's column of the subject-item matrix from all others, which inverts an items × items matrix.
 * Here item i is predicted from its K nearest co-visited items, as in SLIM (Ning, Karypis, ICDM
 * 2011):
 *
 *   w = (G_NN + λ D_N)^-1 G_Ni     with G = XᵀWX, D its diagonal to the power ρ, and W weighing subjects by length^-γ
 *
 * The cost is items × K³ instead of items³, and memory does not grow with the catalogue. Two
 * neighbours met together count twice in co-visits, but once in the ridge.
 */

import { solveCholesky } from './arrays/cholesky.ts';
import { createRowsBuilder, groupBy, grow, type Rows, transposeRows } from './arrays/rows.ts';
import { beginTopN, createTopN, finishTopN, offer } from './arrays/top-n.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm } from './model.ts';
import { createNeighbourModel, scaleToUnitBest } from './neighbours.ts';
import { type RowStage, type RunRows, runRowsHere } from './row-stages.ts';
import { createSequences, type Sequences } from './sequences.ts';

export type ItemRidgeOptions = {
  /** Rows of nearest items that form the neighbourhoods; longer rows are cut. */
  neighbourhoods: Rows;
  /** K: items that predict one item [100]. */
  neighbourhoodSize?: number;
  /** Computes the rows [this thread]. */
  runRows?: RunRows;
};

/** λ, as a share of the weight of the average item. */
const regularisation = 3;
/** ρ: 1 penalises popular and rare items equally, 0 rare ones more. */
const popularityPower = 0.5;
/** γ: how much less each contact of a busy subject counts. */
const activityPower = 0.5;
/** Latest items used per subject. */
const maxItemsPerSubject = 500;
/** Items predicted from one: popular items predict half of a catalogue, which requests cannot read. */
const mostPredicted = 1_000;
/** Latest subjects used per item. */
const maxSubjectsPerItem = 1_000;

export const itemRidge: Algorithm<Interactions, ItemRidgeOptions, Rows> = {
  name: 'item_ridge',
  train(interactions, { neighbourhoods, neighbourhoodSize = 100, runRows = runRowsHere }) {
    const plan = planEquations(interactions, neighbourhoods, neighbourhoodSize);
    return scaleToUnitBest(
      transposeRows(runRows(itemRidgeRows, plan, interactions.itemCount), mostPredicted),
    );
  },
  serve: (tables, mapping) => createNeighbourModel('item_ridge', tables, mapping),
};

export const itemRidgeRows: RowStage<Plan> = {
  name: 'item_ridge',
  rows(plan, start, end) {
    const system = createSystem(plan);
    const top = createTopN(plan.neighbourhoodSize);
    const rows = createRowsBuilder(end - start);
    for (let item = start; item < end; item++) {
      const size = system.gather(item);
      beginTopN(top);
      if (size > 0) {
        const weights = system.gram.subarray(size * size, size * (size + 1));
        solveCholesky(system.gram, weights, size);
        for (let place = 0; place < size; place++) offer(top, system.members[place], weights[place]);
      }
      finishTopN(top);
      rows.appendRow(top);
    }
    return rows.finish();
  },
};

/** Multiplications per training: some ten seconds. */
const mostWork = 1.4e9;

/** Returns K such that items × K³ / 6 stays within the budget. */
export function neighbourhoodSizeFor(itemCount: number): number {
  return Math.max(16, Math.min(100, Math.floor(((mostWork * 6) / Math.max(1, itemCount)) ** (1 / 3))));
}

/** Items with the most contacts: products of two of them are computed once, in 4 MB. */
const mostPopular = 700;

/** Contacts by item: the subject, ascending, and its weight. */
type Contacts = { subjectCount: number; offsets: Int32Array; subject: Int32Array; value: Float32Array };

/** Input for the equations of all items. */
type Plan = {
  neighbourhoods: Rows;
  neighbourhoodSize: number;
  contacts: Contacts;
  /** Per item: the sum of its squared weights, and its penalty. */
  diagonal: Float64Array;
  /** Per item: its rank by contacts, -1 below the popular. */
  rank: Int32Array;
  /** Products of the popular by rank: lower triangle, row by row, `mostPopular` entries per row. */
  products: Float64Array;
};

function planEquations(interactions: Interactions, neighbourhoods: Rows, neighbourhoodSize: number): Plan {
  const { itemCount } = interactions;
  const sequences = createSequences(interactions, maxItemsPerSubject);
  const weighed = weighEntries(sequences);
  const { offsets, order } = groupBy(sequences.item, itemCount);
  const subject = Int32Array.from(order, (entry) => weighed.subject[entry]);
  const value = Float32Array.from(order, (entry) => weighed.value[entry]);
  const contacts = { subjectCount: sequences.offsets.length - 1, offsets, subject, value };
  const squares = (item: number, from: number): number =>
    value.subarray(from, offsets[item + 1]).reduce((sum, one) => sum + one ** 2, 0);
  const penalty = penaltyOf(
    Float64Array.from({ length: itemCount }, (_, item) => squares(item, offsets[item])),
  );
  const diagonal = penalty.map((one, item) => squares(item, firstOf(contacts, item)) + one);
  return { neighbourhoods, neighbourhoodSize, contacts, diagonal, ...multiplyPopular(contacts) };
}

function multiplyPopular(contacts: Contacts): Pick<Plan, 'rank' | 'products'> {
  const { offsets } = contacts;
  const countOf = (item: number) => offsets[item + 1] - offsets[item];
  const rank = new Int32Array(offsets.length - 1).fill(-1);
  const products = new Float64Array(mostPopular * mostPopular);
  const meetings = createMeetings(contacts);
  meetings.begin();
  const popular = Int32Array.from(rank.keys()).sort((a, b) => countOf(b) - countOf(a) || a - b);
  popular.subarray(0, mostPopular).forEach((item, place) => {
    rank[item] = place;
    meetings.multiply(item, place, products, mostPopular);
    meetings.keep(item, place);
  });
  return { rank, products };
}

function firstOf({ offsets }: Contacts, item: number): number {
  return Math.max(offsets[item], offsets[item + 1] - maxSubjectsPerItem);
}

/** Equations of one item, in reusable arrays. */
type System = {
  /** Lower triangle, row by row, `size` entries per row; then the target. */
  gram: Float64Array;
  /** The item itself follows. */
  members: Int32Array;
  /** Fills an item's equations and returns the number of members that predict it. */
  gather(item: number): number;
};

function createSystem(plan: Plan): System {
  const { neighbourhoods, neighbourhoodSize, contacts, diagonal, rank, products } = plan;
  const gram = new Float64Array(neighbourhoodSize * (neighbourhoodSize + 1));
  const members = new Int32Array(neighbourhoodSize + 1);
  const meetings = createMeetings(contacts);
  return {
    gram,
    members,
    gather(item) {
      const start = neighbourhoods.offsets[item];
      const size = Math.min(neighbourhoodSize, neighbourhoods.offsets[item + 1] - start);
      members.set(neighbourhoods.items.subarray(start, start + size));
      members[size] = item;
      gram.fill(0, 0, size * (size + 1));
      meetings.begin();
      for (let place = 0; place <= size; place++) {
        if (rank[members[place]] >= 0) continue;
        meetings.multiply(members[place], place, gram, size);
        meetings.keep(members[place], place);
      }
      // Popular items meet only the others, which have few contacts.
      for (let place = 0; place <= size; place++) {
        const row = rank[members[place]];
        if (row < 0) continue;
        meetings.multiply(members[place], place, gram, size);
        for (let before = 0; before < place; before++) {
          const column = rank[members[before]];
          if (column < 0) continue;
          gram[place * size + before] = products[Math.max(row, column) * mostPopular + Math.min(row, column)];
        }
      }
      for (let place = 0; place < size; place++) gram[place * size + place] = diagonal[members[place]];
      return size;
    },
  };
}

/** Returns λ D^ρ, scaled so that on every data set the average item gets λ times its diagonal. */
function penaltyOf(diagonal: Float64Array): Float64Array {
  const met = diagonal.filter((sum) => sum > 0);
  const mean = met.reduce((sum, one) => sum + one, 0) / Math.max(1, met.length);
  return diagonal.map((sum) => regularisation * mean * (sum / mean) ** popularityPower);
}

/** Returns per entry its subject, and √strength · length^(-γ/2). */
function weighEntries({ offsets, strength }: Sequences) {
  const subject = new Int32Array(strength.length);
  const value = new Float32Array(strength.length);
  for (let owner = 0; owner + 1 < offsets.length; owner++) {
    const scale = (offsets[owner + 1] - offsets[owner]) ** (-activityPower / 2);
    for (let entry = offsets[owner]; entry < offsets[owner + 1]; entry++) {
      subject[entry] = owner;
      value[entry] = Math.sqrt(strength[entry]) * scale;
    }
  }
  return { subject, value };
}

/** Reached by the first contact of an item, all numbers of contacts begin again. */
const mostContacts = 2 ** 30;

/** Tracks the members that each subject met: linked lists of contacts, numbered on, so that earlier items' are older. */
function createMeetings(contacts: Contacts) {
  const { subject, value, offsets } = contacts;
  /** Per subject: number of its latest contact. */
  const head = new Int32Array(contacts.subjectCount).fill(-1);
  let next = new Int32Array(1024);
  let places = new Int32Array(1024);
  let values = new Float32Array(1024);
  let first = 0;
  let used = 0;
  return {
    begin() {
      first += used;
      used = 0;
      if (first < mostContacts) return;
      head.fill(-1);
      first = 0;
    },
    /** Adds the products of an item's contacts with those of the kept members. */
    multiply(item: number, place: number, gram: Float64Array, size: number): void {
      for (let contact = firstOf(contacts, item); contact < offsets[item + 1]; contact++) {
        for (let at = head[subject[contact]] - first; at >= 0; at = next[at]) {
          const row = Math.max(place, places[at]);
          gram[row * size + Math.min(place, places[at])] += value[contact] * values[at];
        }
      }
    },
    /** Keeps a member's contacts to meet those of further items. */
    keep(item: number, place: number): void {
      for (let contact = firstOf(contacts, item); contact < offsets[item + 1]; contact++) {
        if (used === next.length) {
          next = grow(next, used + 1);
          places = grow(places, used + 1);
          values = grow(values, used + 1);
        }
        next[used] = head[subject[contact]] - first;
        places[used] = place;
        values[used] = value[contact];
        head[subject[contact]] = first + used++;
      }
    },
  };
}
