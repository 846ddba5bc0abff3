/**
 * The best documents of a query, over all segments.
 *
 *   key = 2^24 [all words in the title] or 2^23 [all words], + BM25F score in 1/1024 (below 2^22)
 *
 * The rarest word leads: its documents are mostly the best, and reading them first shows early
 * which other documents have no chance. While the next rarest word is rare enough it leads in its
 * turn; the common rest is added up in windows. Where even the rarest word is common, documents
 * with all words come first, as they rank before every other.
 */
import type { Segment } from '../index/segment.ts';
import type { PostingDocs, ScanSlot } from './postings.ts';
import { createAnyScanner } from './scan-any.ts';
import { allWordsKey, isNarrow, scanLead, scanListed } from './scan-lead.ts';
import { createWholeScanner } from './scan-whole.ts';
import type { Offers } from './top.ts';

/** A segment with the slots that it has something for. */
export type ScanPart = { segment: Segment; slots: readonly ScanSlot[] };

export type Scan = {
  /** Slots of the query, at least 1. */
  slotCount: number;
  top: Offers;
  admits: (itemIndex: number) => boolean;
  /** Lists that hold everything that is admitted of a segment; undefined where there are none. */
  narrowing?: (segment: Segment) => readonly PostingDocs[] | undefined;
};

export type Scanner = { scan(parts: readonly ScanPart[], scan: Scan): void };

/** Entries that are added up in the time of one look-up. */
const lookUpCost = 12;

/**
 * Whether looking up the others for each document of the first slot takes less time than reading
 * the others.
 */
function isRare([lead, ...others]: readonly ScanSlot[]): boolean {
  const entries = others.reduce((sum, { postingCount }) => sum + postingCount, 0);
  return lead.postingCount * others.length * lookUpCost <= entries;
}

export function createScanner(): Scanner {
  const scanAny = createAnyScanner();
  const scanWhole = createWholeScanner();

  const scanPart = ({ segment, slots: given }: ScanPart, scan: Scan): void => {
    if (given.length === 0) return;
    const { top, admits } = scan;
    let slots = [...given].sort((a, b) => a.postingCount - b.postingCount);
    let isWhole = slots.length === scan.slotCount;
    const lists = scan.narrowing?.(segment);
    if (lists && isNarrow(slots, lists)) {
      scanListed({ segment, slots, isWhole, top, admits }, lists);
      return;
    }
    const known: PostingDocs[] = [];
    if (isWhole && !isRare(slots)) {
      known.push(scanWhole({ segment, slots, top, admits }));
      isWhole = false;
    }
    for (; slots.length > 0 && isRare(slots); slots = slots.slice(1)) {
      const most = slots.reduce((sum, { maxScore }) => sum + maxScore, 0);
      if (!isWhole && most < top.threshold) return;
      scanLead({ segment, slots, isWhole, top, admits }, known);
      isWhole = false;
      known.push(...slots[0].lists.map((list) => ({ ...list })));
    }
    if (slots.length > 0 && top.threshold < allWordsKey) scanAny({ segment, slots, top, admits }, known);
  };

  return {
    scan(parts, scan) {
      for (const part of parts) scanPart(part, scan);
    },
  };
}
