/** Invented words of three syllables, for vocabularies of any size. */

import type { Chance } from '../../../src/deployment/demo/random.ts';

const onsets = [...'bdfgklmnprstv'];
const vowels = [...'aeiou'];

export function drawWords(chance: Chance, count: number): string[] {
  const syllable = () => chance.pick(onsets) + chance.pick(vowels);
  const words = new Set<string>();
  while (words.size < count) words.add(`${syllable()}${syllable()}${syllable()}${chance.pick(onsets)}`);
  return [...words];
}

/** So many words, the first of the vocabulary most often. */
export function drawText(chance: Chance, vocabulary: readonly string[], length: number): string {
  const draw = () => vocabulary[Math.floor(chance.fraction() ** 2 * vocabulary.length)];
  return Array.from({ length }, draw).join(' ');
}
