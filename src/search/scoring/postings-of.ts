/** The posting lists that fill a slot in one segment. */
import type { TextIndex } from '../index/index.ts';
import type { PostingRange, Segment } from '../index/segment.ts';
import { impactMask } from '../index/weights.ts';
import type { Alternative, Slot } from '../query/slots.ts';
import { saturation } from '../settings.ts';
import { type ScanSlot, scaleOf, scoreOfImpact } from './posting-list.ts';

/** A phrase whose rarer word is in more documents is not looked for: reading their streams would take too long. */
const mostPhraseDocuments = 1_000;

/** A slot with its rarity, which is that of all its alternatives together. */
export type WeightedSlot = Slot & { rarity: number };

export function weighSlots(index: TextIndex, slots: readonly Slot[]): WeightedSlot[] {
  const total = Math.max(1, index.documentCount);
  return slots.map((slot) => {
    const holders = slot.alternatives.reduce(
      (sum, { terms }) => sum + Math.min(...terms.map(index.documentFrequency)),
      0,
    );
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

/** Documents with the terms side by side; the payloads are those of the rarest term. */
function readPhrase(index: TextIndex, segment: Segment, terms: readonly number[]): PostingRange | undefined {
  const ranges = terms.map((term) => segment.postings(term));
  if (ranges.includes(undefined)) return undefined;
  const rarest = (ranges as PostingRange[]).reduce((a, b) => (b.end - b.start < a.end - a.start ? b : a));
  if (rarest.end - rarest.start > mostPhraseDocuments) return undefined;
  const docs: number[] = [];
  const payloads: number[] = [];
  for (let at = rarest.start; at < rarest.end; at++) {
    if (!standSideBySide(index, segment, rarest.docs[at], terms)) continue;
    docs.push(rarest.docs[at]);
    payloads.push(rarest.payloads[at]);
  }
  const maxImpact = payloads.reduce((max, payload) => Math.max(max, payload & impactMask), 0);
  return {
    docs: Int32Array.from(docs),
    payloads: Uint16Array.from(payloads),
    start: 0,
    end: docs.length,
    maxImpact,
  };
}

/** Phrases that are remembered per segment. */
const mostKnownPhrases = 5_000;

function phrasePostings(
  index: TextIndex,
  segment: Segment,
  terms: readonly number[],
): PostingRange | undefined {
  const { phrases, docCount } = segment;
  if (phrases.docCount !== docCount || phrases.ranges.size >= mostKnownPhrases) {
    phrases.ranges.clear();
    phrases.docCount = docCount;
  }
  const key = terms.join();
  if (!phrases.ranges.has(key)) phrases.ranges.set(key, readPhrase(index, segment, terms));
  return phrases.ranges.get(key);
}

export function postingsOf(
  index: TextIndex,
  segment: Segment,
  { terms }: Alternative,
): PostingRange | undefined {
  return terms.length === 1 ? segment.postings(terms[0]) : phrasePostings(index, segment, terms);
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
