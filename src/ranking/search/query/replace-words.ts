/** The typed text with some words replaced: its case, punctuation and every other word stay as they were typed. */
import { fold } from '../analysis/fold.ts';
import type { Repair } from './repairs.ts';

const runPattern = /[\p{L}\p{M}\p{N}]+/gu;

/** As the typed word: all capitals, or the first. */
function inCaseOf(typed: string, word: string): string {
  const upper = typed.toUpperCase();
  if (typed.length > 1 && typed === upper && typed !== typed.toLowerCase()) return word.toUpperCase();
  return typed[0] === upper[0] ? word[0].toUpperCase() + word.slice(1) : word;
}

/** Undefined when a word to be replaced does not stand in the text by itself. */
export function replaceWords(text: string, repairs: readonly Repair[]): string | undefined {
  const runs = [...text.matchAll(runPattern)].map((match) => ({ text: match[0], at: match.index }));
  const folded = runs.map((run) => fold(run.text));
  let replaced = '';
  let copied = 0;
  const left = new Set(repairs);
  for (let i = 0; i < runs.length; i++) {
    const repair = repairs.find(({ from }) => from.every((word, k) => folded[i + k] === word));
    if (!repair) continue;
    left.delete(repair);
    const last = runs[i + repair.from.length - 1];
    const meant = repair.to.join(' ');
    replaced += text.slice(copied, runs[i].at) + inCaseOf(runs[i].text, meant);
    copied = last.at + last.text.length;
    i += repair.from.length - 1;
  }
  return left.size > 0 ? undefined : replaced + text.slice(copied);
}
