/**
 * How likely a word is typed as another: a weighted edit distance (Kernighan, Church, Gale, "A
 * spelling correction program based on a noisy channel model", COLING 1990), with classes of
 * letters in place of learnt tables.
 *
 * Costs are in nats; less is likelier. Cheap are double letters, vowels, letters of one sound,
 * swapped vowels, and a letter left out rather than one put in; the first letter is seldom wrong.
 * The costs were fitted as one log-linear model with the weights of corrector.ts, on a seeded half
 * of Wikipedia's misspellings, and rounded.
 */

const keyboardRows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const sounds = ['ckqsxz', 'gj', 'mn', 'bp', 'dt', 'fvw', 'iy', 'lr', 'uw'];
const vowels = 'aeiouy';
const silent = "h'";

const costs = {
  vowel: 3.7,
  sound: 2.2,
  keyboard: 5.5,
  other: 6.1,
  missing: { doubleConsonant: 1.2, doubleVowel: 0.8, finalE: 0, vowel: 2.5, silent: 2.1, consonant: 2.7 },
  extra: { doubleConsonant: 2.6, doubleVowel: 0.5, finalE: 1.6, vowel: 3.3, silent: 5.7, consonant: 4.1 },
  swapped: 4.3,
  swappedVowels: 2.5,
  /** Added to an edit of the first letter. */
  first: 1.1,
};

const letters = 26;
const codeOfA = 97;

function isLetter(code: number): boolean {
  return code >= codeOfA && code < codeOfA + letters;
}

/** Returns the cost of one letter for another, by positions in the alphabet. */
function substitutionTable(): Float32Array {
  const table = new Float32Array(letters * letters).fill(costs.other);
  const set = (a: string, b: string, cost: number): void => {
    const at = (a.charCodeAt(0) - codeOfA) * letters + b.charCodeAt(0) - codeOfA;
    table[at] = Math.min(table[at], cost);
  };
  for (const a of vowels) for (const b of vowels) set(a, b, costs.vowel);
  for (const sound of sounds) for (const a of sound) for (const b of sound) set(a, b, costs.sound);
  keyboardRows.forEach((row, r) => {
    [...row].forEach((a, i) => {
      const near = [row[i - 1], row[i + 1], keyboardRows[r + 1]?.[i - 1], keyboardRows[r + 1]?.[i]];
      for (const b of near) {
        if (!b) continue;
        set(a, b, costs.keyboard);
        set(b, a, costs.keyboard);
      }
    });
  });
  return table;
}

const substitutions = substitutionTable();

function substitutionCost(a: number, b: number): number {
  if (a === b) return 0;
  return isLetter(a) && isLetter(b) ? substitutions[(a - codeOfA) * letters + b - codeOfA] : costs.other;
}

function isVowel(letter: string): boolean {
  return vowels.includes(letter);
}

/** Returns the cost of a letter that only the meant word (`missing`) or only the typed word (`extra`) has. */
function gapCost(kind: 'missing' | 'extra', text: string, at: number): number {
  const letter = text[at];
  const gap = costs[kind];
  const first = at === 0 ? costs.first : 0;
  if (letter === text[at - 1] || letter === text[at + 1])
    return first + (isVowel(letter) ? gap.doubleVowel : gap.doubleConsonant);
  if (letter === 'e' && at === text.length - 1) return first + gap.finalE;
  if (isVowel(letter)) return first + gap.vowel;
  return first + (silent.includes(letter) ? gap.silent : gap.consonant);
}

function swapCost(a: string, b: string): number {
  return isVowel(a) && isVowel(b) ? costs.swappedVowels : costs.swapped;
}

/** Returns the cost of the cheapest way from the typed word to the meant one. */
export function errorCost(typed: string, meant: string): number {
  const width = meant.length + 1;
  const cells = new Float32Array((typed.length + 1) * width);
  const missing = Array.from(meant, (_, j) => gapCost('missing', meant, j));
  for (let j = 1; j <= meant.length; j++) cells[j] = cells[j - 1] + missing[j - 1];
  for (let i = 1; i <= typed.length; i++) {
    const row = i * width;
    const extra = gapCost('extra', typed, i - 1);
    cells[row] = cells[row - width] + extra;
    for (let j = 1; j <= meant.length; j++) {
      const substitution = substitutionCost(typed.charCodeAt(i - 1), meant.charCodeAt(j - 1));
      const first = substitution > 0 && (i === 1 || j === 1) ? costs.first : 0;
      const changed = cells[row - width + j - 1] + substitution + first;
      let cost = Math.min(changed, cells[row + j - 1] + missing[j - 1], cells[row - width + j] + extra);
      const isSwapped = i > 1 && j > 1 && typed[i - 1] === meant[j - 2] && typed[i - 2] === meant[j - 1];
      if (isSwapped) {
        const swapped = swapCost(typed[i - 1], typed[i - 2]) + (i === 2 ? costs.first : 0);
        cost = Math.min(cost, cells[row - 2 * width + j - 2] + swapped);
      }
      cells[row + j] = cost;
    }
  }
  return cells[typed.length * width + meant.length];
}

/** Spellings of the same sound. */
const heardAs: [written: RegExp, heard: string][] = [
  [/ph/g, 'f'],
  [/ck|[cq]/g, 'k'],
  [/x/g, 'ks'],
  [/z/g, 's'],
  [/gh|h/g, ''],
  [/g/g, 'j'],
];

/** Returns the consonants as they are heard, without repeats. */
export function soundOf(word: string): string {
  const heard = heardAs.reduce((text, [written, sound]) => text.replace(written, sound), word);
  let kept = '';
  for (const letter of heard) if (!isVowel(letter) && !kept.endsWith(letter)) kept += letter;
  return kept;
}
