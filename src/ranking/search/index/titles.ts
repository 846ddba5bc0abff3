/**
 * Which items have a given title: a chained hash table of item positions by the hash of the folded title.
 *
 * Two different titles may share a hash, so a reader compares the titles themselves.
 */
import { foldTitle } from '../analysis/fold.ts';
import { roomFor } from './growable.ts';

export type Titles = {
  put(itemIndex: number, title: string): void;
  remove(itemIndex: number): void;
  /** Calls back for each item whose folded title may be this one, the newest first, at most `limit` of them. */
  visit(foldedTitle: string, limit: number, visit: (itemIndex: number) => void): void;
};

const hashStart = 0x811c9dc5;
const mixed = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);
const ended = (hash: number): number => hash ^ (hash >>> 15);

function hashOf(text: string): number {
  let hash = hashStart;
  for (let i = 0; i < text.length; i++) hash = mixed(hash, text.charCodeAt(i));
  return ended(hash);
}

const space = 0x20;
const isLetter = (lower: number): boolean => lower >= 0x61 && lower <= 0x7a;
const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

/**
 * The hash of a folded ASCII title in one pass, as most titles of a start are; undefined for any other, and for one without
 * letters and digits, whose signs count.
 */
function hashOfAscii(title: string): number | undefined {
  let hash = hashStart;
  let wordCount = 0;
  let isInWord = false;
  for (let i = 0; i < title.length; i++) {
    const code = title.charCodeAt(i);
    if (code > 0x7f) return undefined;
    const lower = code | 0x20;
    const isOfWord = isLetter(lower) || isDigit(code);
    if (isOfWord) {
      if (!isInWord && wordCount++ > 0) hash = mixed(hash, space);
      hash = mixed(hash, isDigit(code) ? code : lower);
    }
    isInWord = isOfWord;
  }
  return wordCount > 0 ? ended(hash) : undefined;
}

/** Undefined for a title of which nothing is left. */
function hashOfTitle(title: string): number | undefined {
  const hash = hashOfAscii(title);
  if (hash !== undefined) return hash;
  const folded = foldTitle(title);
  return folded === '' ? undefined : hashOf(folded);
}

export function createTitles(): Titles {
  /** First item of each chain, plus 1. */
  let heads = new Int32Array(1024);
  let next = new Int32Array(0);
  /** Whether the item is in a chain. */
  let present = new Uint8Array(0);
  let hashes = new Int32Array(0);
  let count = 0;

  const link = (itemIndex: number): void => {
    const slot = hashes[itemIndex] & (heads.length - 1);
    next[itemIndex] = heads[slot];
    heads[slot] = itemIndex + 1;
  };
  const widen = (): void => {
    heads = new Int32Array(heads.length * 2);
    for (let itemIndex = 0; itemIndex < present.length; itemIndex++) if (present[itemIndex]) link(itemIndex);
  };
  const remove = (itemIndex: number): void => {
    if (!present[itemIndex]) return;
    present[itemIndex] = 0;
    count -= 1;
    const slot = hashes[itemIndex] & (heads.length - 1);
    if (heads[slot] === itemIndex + 1) {
      heads[slot] = next[itemIndex];
      return;
    }
    let before = heads[slot] - 1;
    while (next[before] !== itemIndex + 1) before = next[before] - 1;
    next[before] = next[itemIndex];
  };

  return {
    remove,
    put(itemIndex, title) {
      remove(itemIndex);
      const hash = hashOfTitle(title);
      if (hash === undefined) return;
      next = roomFor(next, itemIndex + 1);
      present = roomFor(present, itemIndex + 1);
      hashes = roomFor(hashes, itemIndex + 1);
      hashes[itemIndex] = hash;
      present[itemIndex] = 1;
      count += 1;
      link(itemIndex);
      if (count > heads.length) widen();
    },
    visit(foldedTitle, limit, visit) {
      const hash = hashOf(foldedTitle);
      let left = limit;
      for (let at = heads[hash & (heads.length - 1)] - 1; at >= 0 && left > 0; at = next[at] - 1) {
        if (hashes[at] !== hash) continue;
        visit(at);
        left -= 1;
      }
    },
  };
}
