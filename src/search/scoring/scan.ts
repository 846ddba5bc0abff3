/**
 * The best documents of a query, over all segments: those with all words first, and those with some only when there is room
 * left, as a document with all words stands before every other.
 */
import type { Segment } from '../index/segment.ts';
import type { ScanSlot } from './posting-list.ts';
import { type Admits, allWordsKey, scanAllWords } from './scan-all.ts';
import { createAnyScanner } from './scan-any.ts';
import type { Top } from './top.ts';

/** A segment with the slots that it has something for; others are left out. */
export type ScanPart = { segment: Segment; slots: readonly ScanSlot[] };

export type Scanner = {
  /** @param slotCount of the query, at least 1 */
  scan(parts: readonly ScanPart[], slotCount: number, top: Top, admits: Admits): void;
};

export function createScanner(): Scanner {
  const scanAnyWords = createAnyScanner();
  return {
    scan(parts, slotCount, top, admits) {
      const known = parts.map(({ segment, slots }) =>
        slots.length === slotCount ? scanAllWords(segment, slots, top, admits) : [],
      );
      if (slotCount === 1 || top.threshold >= allWordsKey) return;
      parts.forEach(({ segment, slots }, i) => {
        if (slots.length > 0) scanAnyWords({ segment, slots, known: known[i], top, admits });
      });
    },
  };
}
