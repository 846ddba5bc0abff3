/** Reading posting lists: forward by steps of doubling length, slot by slot. */

import type { TextIndex } from '../index/index.ts';
import type { PostingRange, Segment } from '../index/segment.ts';
import { impactMask, titleFlag } from '../index/weights.ts';
import { saturation } from '../settings.ts';
import type { Alternative, Slot } from '../slot.ts';

/** The documents docs[start] … docs[end - 1], ascending. */
export type PostingDocs = {
  docs: Int32Array;
  start: number;
  end: number;
  /** Next entry to read. */
  cursor: number;
};

export type ScanList = PostingRange & {
  /** Score of the highest possible impact. */
  weight: number;
  /** What one step of impact is worth, in parts of 1/1024. */
  scale: number;
  /** Next entry to read. */
  cursor: number;
};

/** The lists that fill one word of a query, the better ones first; of those that have a document the first counts. */
export type ScanSlot = {
  lists: ScanList[];
  /** No document gets more from the slot, in parts of 1/1024. */
  maxScore: number;
  postingCount: number;
};

/** Scores are counted in parts of 1/1024, so that a sum does not depend on the order of its parts. */
export const scoreUnits = 1_024;

export function scaleOf(weight: number): number {
  return (weight * scoreUnits) / impactMask;
}

/** What an impact adds to the score, in parts of 1/1024; never nothing, so that a sum says whether there was a match. */
export function scoreOfImpact(impact: number, weight: number): number {
  return (impact * scaleOf(weight) + 1) | 0;
}

/** First entry from `from` on whose document is not below `target`; looks ahead in doubling steps. */
export function seek(docs: Int32Array, from: number, end: number, target: number): number {
  if (from >= end || docs[from] >= target) return from;
  let step = 1;
  let low = from;
  while (low + step < end && docs[low + step] < target) {
    low += step;
    step *= 2;
  }
  let high = Math.min(end, low + step);
  while (low + 1 < high) {
    const middle = (low + high) >>> 1;
    if (docs[middle] < target) low = middle;
    else high = middle;
  }
  return high;
}

export function rewind(slots: readonly ScanSlot[]): void {
  for (const { lists } of slots) for (const list of lists) list.cursor = list.start;
}

/** Entry i: the most that the slots from i on can add. */
export function restsOf(slots: readonly ScanSlot[]): Float64Array {
  const rests = new Float64Array(slots.length + 1);
  for (let i = slots.length - 1; i >= 0; i--) rests[i] = rests[i + 1] + slots[i].maxScore;
  return rests;
}

/** A phrase whose rarer word is in more documents is not looked for: reading their streams would take too long. */
const mostPhraseDocuments = 1_000;
/** Documents that any of several terms may have; commoner terms than fit are left out. */
const mostAnyDocuments = 100_000;

/** One term, or several of an alternative. */
type Several = Pick<Alternative, 'terms' | 'match'>;

/** A slot with its rarity, which is that of all its alternatives together. */
export type WeightedSlot = Slot & { rarity: number };

/** How many items have an alternative, at most. */
function holdersOf({ documentFrequency }: TextIndex, { terms, match }: Alternative): number {
  const frequencies = terms.map(documentFrequency);
  return match === 'any' ? frequencies.reduce((sum, one) => sum + one, 0) : Math.min(...frequencies);
}

export function weighSlots(index: TextIndex, slots: readonly Slot[]): WeightedSlot[] {
  const total = Math.max(1, index.documentCount);
  return slots.map((slot) => {
    const holders = slot.alternatives.reduce((sum, alternative) => sum + holdersOf(index, alternative), 0);
    const frequency = Math.min(holders, total);
    return { ...slot, rarity: Math.log(1 + (total - frequency + 0.5) / (frequency + 0.5)) };
  });
}

/** Score of the highest impact under an alternative of a slot. */
export function topScore(slot: WeightedSlot, alternative: Alternative): number {
  return slot.rarity * alternative.weight * (saturation + 1);
}

function standSideBySide(
  index: TextIndex,
  segment: Segment,
  ordinal: number,
  terms: readonly number[],
): boolean {
  const { values } = segment.streams;
  let at = segment.streamStarts[ordinal];
  for (let field = 0; field < index.fields.length; field++) {
    const end = at + 1 + values[at];
    for (at += 1; at + terms.length <= end; at++)
      if (terms.every((term, i) => index.words.termAt(values[at + i]) === term)) return true;
    at = end;
  }
  return false;
}

function rangeOf(docs: readonly number[], payloads: readonly number[]): PostingRange {
  const maxImpact = payloads.reduce((max, payload) => Math.max(max, payload & impactMask), 0);
  return {
    docs: Int32Array.from(docs),
    payloads: Uint16Array.from(payloads),
    start: 0,
    end: docs.length,
    maxImpact,
  };
}

/** Documents with all terms, side by side or anywhere; the payloads are those of the rarest term. */
function readAll(index: TextIndex, segment: Segment, { terms, match }: Several): PostingRange | undefined {
  const ranges = terms.map((term) => segment.postings(term));
  if (ranges.includes(undefined)) return undefined;
  const [rarest, ...others] = (ranges as PostingRange[]).sort((a, b) => a.end - a.start - (b.end - b.start));
  if (rarest.end - rarest.start > mostPhraseDocuments) return undefined;
  const docs: number[] = [];
  const payloads: number[] = [];
  for (let at = rarest.start; at < rarest.end; at++) {
    const doc = rarest.docs[at];
    const places = others.map((other) => seek(other.docs, other.start, other.end, doc));
    if (places.some((place, i) => place >= others[i].end || others[i].docs[place] !== doc)) continue;
    if (match === 'phrase' && !standSideBySide(index, segment, doc, terms)) continue;
    const inTitle = places.every((place, i) => others[i].payloads[place] & titleFlag);
    docs.push(doc);
    payloads.push(inTitle ? rarest.payloads[at] : rarest.payloads[at] & impactMask);
  }
  return rangeOf(docs, payloads);
}

/** Documents with any of the terms; of several the payload of the highest impact, and the title of each. */
function readAny(segment: Segment, terms: readonly number[]): PostingRange | undefined {
  const payloadByDoc = new Map<number, number>();
  for (const term of terms) {
    const range = segment.postings(term);
    if (!range || payloadByDoc.size + range.end - range.start > mostAnyDocuments) continue;
    for (let at = range.start; at < range.end; at++) {
      const before = payloadByDoc.get(range.docs[at]) ?? 0;
      const payload = range.payloads[at];
      const impact = Math.max(before & impactMask, payload & impactMask);
      payloadByDoc.set(range.docs[at], impact | ((before | payload) & titleFlag));
    }
  }
  const docs = [...payloadByDoc.keys()].sort((a, b) => a - b);
  return rangeOf(
    docs,
    docs.map((doc) => payloadByDoc.get(doc)!),
  );
}

/** Phrases that are remembered per segment. */
const mostKnownPhrases = 5_000;

function severalPostings(index: TextIndex, segment: Segment, alternative: Several): PostingRange | undefined {
  const { phrases, docCount } = segment;
  if (phrases.docCount !== docCount || phrases.ranges.size >= mostKnownPhrases) {
    phrases.ranges.clear();
    phrases.docCount = docCount;
  }
  const { terms, match } = alternative;
  const key = `${match} ${terms}`;
  if (!phrases.ranges.has(key)) {
    const isAny = match === 'any';
    phrases.ranges.set(key, isAny ? readAny(segment, terms) : readAll(index, segment, alternative));
  }
  return phrases.ranges.get(key);
}

export function postingsOf(
  index: TextIndex,
  segment: Segment,
  alternative: Several,
): PostingRange | undefined {
  const { terms } = alternative;
  return terms.length === 1 ? segment.postings(terms[0]) : severalPostings(index, segment, alternative);
}

/** Whether any document has the alternative; one that was removed lately may count. */
export function occurs(index: TextIndex, alternative: Several): boolean {
  return index.segments.some((segment) => {
    const range = postingsOf(index, segment, alternative);
    return range !== undefined && range.start < range.end;
  });
}

/** What the scanner reads; undefined when the segment has nothing for the slot. */
export function scanSlotOf(index: TextIndex, segment: Segment, slot: WeightedSlot): ScanSlot | undefined {
  const scanSlot: ScanSlot = { lists: [], maxScore: 0, postingCount: 0 };
  for (const alternative of slot.alternatives) {
    const range = postingsOf(index, segment, alternative);
    if (!range || range.start === range.end) continue;
    const weight = topScore(slot, alternative);
    const { docs, payloads, start, end, maxImpact } = range;
    scanSlot.lists.push({
      docs,
      payloads,
      start,
      end,
      maxImpact,
      weight,
      scale: scaleOf(weight),
      cursor: start,
    });
    scanSlot.maxScore = Math.max(scanSlot.maxScore, scoreOfImpact(range.maxImpact, weight));
    scanSlot.postingCount += range.end - range.start;
  }
  return scanSlot.lists.length > 0 ? scanSlot : undefined;
}

/** Entries of the rarer word that are looked up; the count of a commoner one is that of its first items. */
const mostRead = 500;

function countShared(segment: Segment, one: PostingRange, other: PostingRange): number {
  const [rarer, commoner] = one.end - one.start <= other.end - other.start ? [one, other] : [other, one];
  const end = Math.min(rarer.end, rarer.start + mostRead);
  let count = 0;
  let from = commoner.start;
  for (let at = rarer.start; at < end && from < commoner.end; at++) {
    const document = rarer.docs[at];
    from = seek(commoner.docs, from, commoner.end, document);
    if (from < commoner.end && commoner.docs[from] === document) count += segment.alive[document];
  }
  return count;
}

/** Items with any of the terms and any of the others, at least by the commonest pair. */
export function sharedDocuments(
  index: TextIndex,
  terms: readonly number[],
  others: readonly number[],
): number {
  let most = 0;
  for (const term of terms) {
    for (const other of others) {
      let count = 0;
      for (const segment of index.segments) {
        const one = segment.postings(term);
        const two = segment.postings(other);
        if (one && two) count += countShared(segment, one, two);
      }
      most = Math.max(most, count);
    }
  }
  return most;
}

/** Items with the terms side by side. */
export function phraseDocuments(index: TextIndex, terms: readonly number[]): number {
  return index.segments.reduce((sum, segment) => {
    const range = postingsOf(index, segment, { terms, match: 'phrase' });
    return sum + (range ? range.end - range.start : 0);
  }, 0);
}
