/**
 * BM25F (Robertson, Zaragoza, Taylor, "Simple BM25 extension to multiple weighted fields", CIKM
 * 2004) at write time.
 *
 *   x(t, d) = Σ_fields weight · tf / (1 - b + b · length / average length)        impact = x / (saturation + x)
 *
 * In the title tf is 0 or 1: a title that repeats a word is not more about it. A posting holds the
 * impact in 15 bits and in the 16th whether the title has the term. A query multiplies the impact
 * by the term's rarity, so a common term costs one multiplication an item. Impacts below
 * `leastTellingImpact` belong to terms that only light fields have.
 */

import { grown } from '../../catalog/growth.ts';
import {
  leastTellingWeight,
  lengthNormalisation,
  type SearchField,
  saturation,
  titleField,
} from '../settings.ts';
import type { Words } from './words.ts';

export const titleFlag = 0x8000;
export const impactMask = 0x7fff;

/** The least impact of a term in a telling field: 3 % of the highest. */
export const leastTellingImpact = 1_000;

function impactOf(x: number, isTelling: boolean): number {
  const impact = Math.max(1, Math.round((impactMask * x) / (saturation + x)));
  return isTelling ? Math.max(impact, leastTellingImpact) : Math.min(impact, leastTellingImpact - 1);
}

/** Average lengths of the fields in words, over items that have the field; at least 1. */
export type AverageLengths = Float64Array;

/** Returns everything that postings depend on beside the texts. */
export function measureOf(fields: readonly SearchField[]): Float64Array {
  const constants = [lengthNormalisation, saturation, leastTellingWeight, leastTellingImpact];
  return Float64Array.from([...constants, ...fields.map(({ weight }) => weight)]);
}

export type Weigher = {
  /** Distinct terms of the last document, with their payloads; only the first `count` entries are valid. */
  terms: Int32Array;
  payloads: Uint16Array;
  /** Finds the distinct terms of the stream at `start`, without weighing them; returns their number. */
  distinct(stream: Int32Array, start: number): number;
  /** Weighs the stream at `start`; returns the number of distinct terms. */
  weigh(stream: Int32Array, start: number, averages: AverageLengths): number;
};

export function createWeigher(fields: readonly SearchField[], words: Words): Weigher {
  const tells = fields.map(({ weight }) => Number(weight >= leastTellingWeight));
  /** Sum of the last document that had the term, valid while `seenIn` names the current document. */
  let sums = new Float64Array(0);
  let seenIn = new Int32Array(0);
  let flags = new Uint16Array(0);
  let telling = new Uint8Array(0);
  let document = 0;
  const begin = (): void => {
    document += 1;
    sums = grown(sums, words.termCount);
    seenIn = grown(seenIn, words.termCount);
    flags = grown(flags, words.termCount);
    telling = grown(telling, words.termCount);
  };

  const addWord = (weigher: Weigher, count: number, term: number, field: number, x: number): number => {
    if (seenIn[term] === document) {
      if (field !== titleField) sums[term] += x;
      telling[term] |= tells[field];
      return count;
    }
    seenIn[term] = document;
    sums[term] = x;
    telling[term] = tells[field];
    flags[term] = field === titleField ? titleFlag : 0;
    weigher.terms = grown(weigher.terms, count + 1);
    weigher.terms[count] = term;
    return count + 1;
  };

  return {
    terms: new Int32Array(256),
    payloads: new Uint16Array(256),
    distinct(stream, start) {
      begin();
      let count = 0;
      let at = start;
      for (let field = 0; field < fields.length; field++) {
        const end = at + 1 + stream[at];
        for (at += 1; at < end; at++) {
          const term = words.termAt(stream[at]);
          if (seenIn[term] === document) continue;
          seenIn[term] = document;
          this.terms = grown(this.terms, count + 1);
          this.terms[count++] = term;
        }
      }
      return count;
    },
    weigh(stream, start, averages) {
      begin();
      let count = 0;
      let at = start;
      for (let field = 0; field < fields.length; field++) {
        const length = stream[at++];
        const end = at + length;
        const norm = 1 - lengthNormalisation + (lengthNormalisation * length) / averages[field];
        for (; at < end; at++)
          count = addWord(this, count, words.termAt(stream[at]), field, fields[field].weight / norm);
      }
      this.payloads = grown(this.payloads, count);
      for (let i = 0; i < count; i++) {
        const term = this.terms[i];
        this.payloads[i] = impactOf(sums[term], telling[term] === 1) | flags[term];
      }
      return count;
    },
  };
}
