/**
 * Session nearest neighbours: items of the sessions most similar to the current one.
 *
 * Like VMIS-kNN (Kersbergen, Sprangers, Schelter, "Serenade", SIGMOD 2022) the index holds the last
 * sessions of each item, newest first; like STAN (Garg et al., SIGIR 2019) an item counts more the
 * nearer it is to the shared items:
 *
 *   similarity(s) = Σ_{seed ∈ s} seed weight · idf(seed) / √|s|           over the newest `depth` seeds
 *   score(j)      = Σ_{s ∈ k nearest} similarity(s) · 2^(-|place of j - place of the newest shared item| / reach) · idf(j)
 *                   divided by Σ similarity(s) · greatest idf, so scores lie in 0…1
 *
 * Flat arrays: sessions are numbered by time, so the order of numbers is that of recency.
 */

import { type Accumulator, add, addEach, begin, createAccumulator } from './arrays/accumulator.ts';
import { groupBy } from './arrays/rows.ts';
import { beginTopN, createTopN, offerTouched, type TopN } from './arrays/top-n.ts';
import type { Interactions } from './interactions.ts';
import type { Algorithm, IndexMapping, Model, Query, Reason } from './model.ts';
import { createSessions, maxSessionItems } from './sessions.ts';

export type SessionKnnOptions = {
  /** k: neighbours that vote. */
  neighbourCount?: number;
  /** Places after which an item's vote halves; infinite where order is meaningless. */
  reach?: number;
  /** Newest seeds looked up; the profile gives older ones little weight. */
  depth?: number;
};

export type SessionKnnTables = {
  /** Length: sessions + 1; sessions ordered by their end. */
  sessionOffsets: Int32Array;
  /** Distinct items of each session in order of last contact. */
  sessionItems: Int32Array;
  /** Length: items + 1. */
  itemOffsets: Int32Array;
  /** Sessions of each item, newest first. */
  itemSessions: Int32Array;
  /** Per local item, 0…1. */
  idf: Float32Array;
  /** [k, reach, depth] */
  voting: Float64Array;
};

/** m: newest sessions kept per item. */
const sessionsPerItem = 1_000;

const defaultSessionKnnOptions: Required<SessionKnnOptions> = {
  neighbourCount: 200,
  reach: 6,
  depth: 10,
};

export const sessionKnn: Algorithm<Interactions, SessionKnnOptions, SessionKnnTables> = {
  name: 'session_knn',
  train(interactions, options) {
    const settings = { ...defaultSessionKnnOptions, ...options };
    const { offsets, item: items } = createSessions(interactions);
    const sessionCount = offsets.length - 1;
    const sessionOf = new Int32Array(items.length);
    for (let session = 0; session < sessionCount; session++) {
      sessionOf.fill(session, offsets[session], offsets[session + 1]);
    }
    const byItem = groupBy(items, interactions.itemCount);
    const newest = newestSessions(byItem, sessionOf);
    const rarest = Math.log1p(sessionCount);
    const idf = Float32Array.from({ length: interactions.itemCount }, (_, item) => {
      const count = byItem.offsets[item + 1] - byItem.offsets[item];
      return count === 0 ? 1 : Math.log1p(sessionCount / count) / rarest;
    });
    const voting = Float64Array.of(settings.neighbourCount, settings.reach, settings.depth);
    return { sessionOffsets: offsets, sessionItems: items, ...newest, idf, voting };
  },
  serve: (tables, mapping) => createSessionModel(tables, mapping),
};

function newestSessions(
  { offsets, order }: { offsets: Int32Array; order: Int32Array },
  sessionOf: Int32Array,
) {
  const itemOffsets = new Int32Array(offsets.length);
  const itemSessions = new Int32Array(order.length);
  let used = 0;
  for (let item = 0; item + 1 < offsets.length; item++) {
    const oldest = Math.max(offsets[item], offsets[item + 1] - sessionsPerItem);
    for (let visit = offsets[item + 1] - 1; visit >= oldest; visit--) {
      itemSessions[used++] = sessionOf[order[visit]];
    }
    itemOffsets[item + 1] = used;
  }
  return { itemOffsets, itemSessions: itemSessions.slice(0, used) };
}

/** Scratch memory for the nearest sessions of a query. */
type Neighbourhood = {
  similarities: Accumulator;
  /** Unordered. */
  nearest: TopN;
  /** Per session: damping of a shared item by the session's length. */
  damping: Float32Array;
  /** Per matching session: the shared item that the current session met last. */
  newestShared: Int32Array;
  /** Seed position by local item, newest 0; valid where `seedStamps` holds `epoch`. */
  seedPlace: Int32Array;
  seedStamps: Int32Array;
  /** Weight by distance from the shared item, which is in the middle. */
  nearness: Float32Array;
  epoch: number;
  /** Σ similarity of the nearest, or 0 without any. */
  total: number;
};

function createSessionModel(tables: SessionKnnTables, mapping: IndexMapping): Model {
  const itemCount = tables.idf.length;
  const [neighbourCount, reach] = tables.voting;
  const scratch: Neighbourhood = {
    similarities: createAccumulator(tables.sessionOffsets.length - 1),
    nearest: createTopN(neighbourCount),
    damping: dampingOf(tables.sessionOffsets),
    newestShared: new Int32Array(tables.sessionOffsets.length - 1),
    seedPlace: new Int32Array(itemCount),
    seedStamps: new Int32Array(itemCount),
    nearness: nearnessTable(reach),
    epoch: 0,
    total: 0,
  };
  const { sessionOffsets, sessionItems, idf } = tables;
  return {
    name: 'session_knn',
    role: 'proposes',
    accumulate(query, weight, accumulator) {
      findNearest(query, tables, scratch);
      const { nearest } = scratch;
      // Fully decayed seeds, such as last year's for a model of the visit, do not vote.
      if (scratch.total === 0) return;
      for (let rank = 0; rank < nearest.size; rank++) {
        const session = nearest.items[rank];
        const shared = placeOfShared(session, tables, scratch);
        const scale = (weight * nearest.scores[rank]) / scratch.total;
        for (let at = sessionOffsets[session]; at < sessionOffsets[session + 1]; at++) {
          const item = sessionItems[at];
          if (at === shared) continue;
          add(accumulator, item, scale * scratch.nearness[at - shared + maxSessionItems] * idf[item]);
        }
      }
    },
    explain(query, weight, itemIndex) {
      const candidate = mapping.localOf[itemIndex] ?? -1;
      if (candidate < 0) return [];
      findNearest(query, tables, scratch);
      if (scratch.total === 0) return [];
      return explainVotes(query, weight, candidate, tables, scratch);
    },
  };
}

function dampingOf(sessionOffsets: Int32Array): Float32Array {
  const damping = new Float32Array(sessionOffsets.length - 1);
  for (let session = 0; session < damping.length; session++)
    damping[session] = 1 / Math.sqrt(sessionOffsets[session + 1] - sessionOffsets[session]);
  return damping;
}

function nearnessTable(reach: number): Float32Array {
  return Float32Array.from(
    { length: 2 * maxSessionItems + 1 },
    (_, place) => 2 ** (-Math.abs(place - maxSessionItems) / reach),
  );
}

/** Returns the seeds newest first, starting with the item on display. */
function seedAt(query: Query, place: number): number {
  if (!query.hasContext) return place;
  return place === 0 ? query.seedCount - 1 : place - 1;
}

function findNearest(query: Query, tables: SessionKnnTables, scratch: Neighbourhood): void {
  const { similarities, nearest, seedPlace, seedStamps } = scratch;
  const depth = Math.min(query.seedCount, tables.voting[2] ?? defaultSessionKnnOptions.depth);
  begin(similarities);
  scratch.epoch += 1;
  for (let place = 0; place < depth; place++) {
    const seed = seedAt(query, place);
    const local = query.seedLocal[seed];
    if (local < 0 || seedStamps[local] === scratch.epoch) continue;
    seedStamps[local] = scratch.epoch;
    seedPlace[local] = seed;
  }
  /** The newest seed comes last, so that it is the one recorded. */
  for (let place = depth - 1; place >= 0; place--) {
    const seed = seedAt(query, place);
    const local = query.seedLocal[seed];
    if (local >= 0 && seedPlace[local] === seed)
      addSessionsOf(local, query.seedWeight[seed], tables, scratch);
  }
  beginTopN(nearest);
  offerTouched(nearest, similarities);
  scratch.total = 0;
  for (let rank = 0; rank < nearest.size; rank++) scratch.total += nearest.scores[rank];
}

/** Adds an item's share to the similarity of its sessions. */
function addSessionsOf(
  local: number,
  seedWeight: number,
  { itemOffsets, itemSessions, idf }: SessionKnnTables,
  { similarities, damping, newestShared }: Neighbourhood,
): void {
  const [start, end] = [itemOffsets[local], itemOffsets[local + 1]];
  addEach(similarities, itemSessions, start, end, { values: damping, scale: seedWeight * idf[local] });
  for (let at = start; at < end; at++) newestShared[itemSessions[at]] = local;
}

/** Returns the position of the shared item that the current session met last. */
function placeOfShared(
  session: number,
  { sessionOffsets, sessionItems }: SessionKnnTables,
  { newestShared }: Neighbourhood,
): number {
  const item = newestShared[session];
  let at = sessionOffsets[session];
  while (sessionItems[at] !== item) at += 1;
  return at;
}

/** Splits each session's vote among its shared seeds. */
function explainVotes(
  query: Query,
  weight: number,
  candidate: number,
  tables: SessionKnnTables,
  scratch: Neighbourhood,
): Reason[] {
  const { sessionOffsets, sessionItems, idf } = tables;
  const { nearest } = scratch;
  const votes = new Float64Array(query.seedCount);
  for (let rank = 0; rank < nearest.size; rank++) {
    const session = nearest.items[rank];
    const start = sessionOffsets[session];
    const end = sessionOffsets[session + 1];
    const at = sessionItems.subarray(start, end).indexOf(candidate) + start;
    const shared = placeOfShared(session, tables, scratch);
    if (at < start || at === shared) continue;
    const vote =
      (weight * scratch.nearness[at - shared + maxSessionItems] * idf[candidate]) /
      scratch.total /
      Math.sqrt(end - start);
    for (let other = start; other < end; other++) {
      const item = sessionItems[other];
      if (scratch.seedStamps[item] !== scratch.epoch) continue;
      const seed = scratch.seedPlace[item];
      votes[seed] += vote * query.seedWeight[seed] * idf[item];
    }
  }
  return Array.from(votes, (score, seed) => ({
    seedItemIndex: query.seedItemIndex[seed],
    seedLocal: query.seedLocal[seed],
    score,
  })).filter(({ score }) => score !== 0);
}
