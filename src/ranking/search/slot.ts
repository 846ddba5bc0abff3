/** What one word of a query asks for: the terms that may fill it. */

export type Alternative = {
  kind: keyof typeof worth;
  terms: readonly number[];
  /** How several terms are had: side by side in this order, all of them anywhere, or any of them. */
  match: 'phrase' | 'all' | 'any';
  /** What was looked for, as text. */
  text: string;
  /** 0…1: its worth beside the typed word's. */
  weight: number;
};

export type Slot = {
  /** The typed word, folded. */
  word: string;
  /** The better ones first; empty when the index knows none. */
  alternatives: Alternative[];
  /** The word with a neighbour that is not looked for, as typed: `dr who`, `door in` and `in door`. */
  company?: readonly Pair[];
};

/** Two typed words side by side. */
export type Pair = readonly [first: string, second: string];

/** Of each kind, beside the typed word's. */
export const worth = {
  word: 1,
  joined: 0.9,
  split: 0.8,
  synonym: 0.8,
  code: 0.8,
  compound: 0.7,
  apart: 0.5,
  near: 0.3,
} as const;
