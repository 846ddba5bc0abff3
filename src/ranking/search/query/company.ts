/** What was typed beside the words that are looked for: `dr who`, where `dr` tells nothing by itself. */
import type { Pair, Slot } from '../slot.ts';

/** Words typed up to which what stands beside a word is asked for; a longer query is prose. */
const mostTyped = 8;

/** The slots with what was typed beside their words. */
export function inCompany(slots: readonly Slot[], typed: readonly string[]): Slot[] {
  if (typed.length < 2 || typed.length > mostTyped || typed.length === slots.length) return [...slots];
  const asked = new Set(slots.map(({ word }) => word));
  const seen = new Set<string>();
  // A word said before counts once, so its second saying is company to what stands beside it.
  const isLookedFor = typed.map((word) => {
    const isFirst = asked.has(word) && !seen.has(word);
    seen.add(word);
    return isFirst;
  });
  return slots.map((slot) => ({ ...slot, company: companyOf(slot.word, typed, isLookedFor) }));
}

function companyOf(word: string, typed: readonly string[], isLookedFor: readonly boolean[]): Pair[] {
  const pairs: Pair[] = [];
  for (let at = 0; at + 1 < typed.length; at++) {
    const pair: Pair = [typed[at], typed[at + 1]];
    if (pair.includes(word) && !(isLookedFor[at] && isLookedFor[at + 1])) pairs.push(pair);
  }
  return pairs;
}
