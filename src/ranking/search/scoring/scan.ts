/**
 * The best documents of a query, over all segments.
 *
 *   key = 2^24 [all words in the title] or 2^23 [all words], + BM25F score in 1/1024 (below 2^22)
 *
 * The rarest word leads: its documents are mostly the best, and reading them first shows early which other documents have no
 * chance. While the next rarest is rare enough too it leads in its turn; the common rest is added up in windows. Where
 * even the rarest word is common, documents with all words are looked for first, as they stand before every other.
 */
import type { Segment } from '../index/segment.ts';
import type { PostingDocs, ScanSlot } from './postings.ts';
import { createAnyScanner } from './scan-any.ts';
import { type Admits, allWordsKey, isNarrow, scanLead, scanListed } from './scan-lead.ts';
import { createWholeScanner } from './scan-whole.ts';
import type { Offers } from './top.ts';

/** A segment with the slots that it has something for; others are left out. */
export type ScanPart = { segment: Segment; slots: readonly ScanSlot[] };

export type Scan = {
  /** Of the query, at least 1. */
  slotCount: number;
  top: Offers;
  admits: Admits;
  /** Lists that hold whatever is admitted of a segment, when there are any. */
  narrowing?: (segment: Segment) => readonly PostingDocs[] | undefined;
};

export type Scanner = {
  scan(parts: readonly ScanPart[], scan: Scan): void;
};

/** Entries that are added up in the time of one look-up. */
const lookUpCost = 12;

/** Whether looking up the others for each document of the first slot takes less time than reading the others. */
function isRare([lead, ...others]: readonly ScanSlot[]): boolean {
  const entries = others.reduce((sum, { postingCount }) => sum + postingCount, 0);
  return lead.postingCount * others.length * lookUpCost <= entries;
}

function mostOf(slots: readonly ScanSlot[]): number {
  return slots.reduce((sum, { maxScore }) => sum + maxScore, 0);
}

export function createScanner(): Scanner {
  const scanAnyWords = createAnyScanner();
  const scanWhole = createWholeScanner();

  const scanPart = (
    { segment, slots: given }: ScanPart,
    { slotCount, top, admits, narrowing }: Scan,
  ): void => {
    let slots = [...given].sort((a, b) => a.postingCount - b.postingCount);
    const lists = narrowing?.(segment);
    if (lists && isNarrow(slots, lists)) {
      scanListed({ segment, slots, isWhole: slots.length === slotCount, lists, top, admits });
      return;
    }
    const known: PostingDocs[] = [];
    const isWhole = slots.length === slotCount;
    if (isWhole && !isRare(slots)) {
      known.push(scanWhole({ segment, slots, top, admits }));
    } else if (slots.length === 0) return;
    for (; slots.length > 0 && isRare(slots); slots = slots.slice(1)) {
      if (!(isWhole && known.length === 0) && mostOf(slots) < top.threshold) return;
      scanLead({
        segment,
        slots,
        isWhole: isWhole && known.length === 0,
        known,
        top,
        admits,
      });
      known.push(...slots[0].lists.map((list) => ({ ...list })));
    }
    if (slots.length > 0 && top.threshold < allWordsKey) scanAnyWords({ segment, slots, known, top, admits });
  };

  return {
    scan(parts, scan) {
      for (const part of parts) scanPart(part, scan);
    },
  };
}
