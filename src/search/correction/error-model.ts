/**
 * How likely a word is typed as another: a weighted edit distance (Kernighan, Church, Gale, "A spelling correction program
 * based on a noisy channel model", COLING 1990), with classes of letters in place of learnt tables.
 *
 * A full edit costs 1. Cheaper is what hands and ears confuse: neighbours on the keyboard, vowels, letters of one sound,
 * double letters, swapped neighbours. Costs are rounded to what held on both halves of the measured misspellings.
 */

const keyboardRows = ['qwertyuiop', 'asdfghjkl', 'zxcvbnm'];
const sounds = ['ckqsxz', 'gj', 'mn', 'bp', 'dt', 'fvw', 'iy', 'lr', 'uw'];
const vowels = 'aeiouy';
const silent = "h'";

const costs = {
  vowel: 0.55,
  sound: 0.65,
  keyboard: 0.85,
  other: 1.1,
  double: 0.4,
  vowelMissing: 0.75,
  silentMissing: 0.65,
  missing: 0.9,
  vowelExtra: 1,
  silentExtra: 0.8,
  extra: 1.15,
  swapped: 0.65,
};

const letters = 26;
const codeOfA = 97;

function isLetter(code: number): boolean {
  return code >= codeOfA && code < codeOfA + letters;
}

/** Cost of one letter for another, by position in the alphabet. */
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

function isDoubled(text: string, at: number): boolean {
  return text[at] === text[at - 1] || text[at] === text[at + 1];
}

/** Cost of a letter of the meant word that was not typed. Letters are left out more often than put in. */
function missingCost(meant: string, at: number): number {
  if (isDoubled(meant, at)) return costs.double;
  if (vowels.includes(meant[at])) return costs.vowelMissing;
  return silent.includes(meant[at]) ? costs.silentMissing : costs.missing;
}

/** Cost of a typed letter that the meant word does not have. */
function extraCost(typed: string, at: number): number {
  if (isDoubled(typed, at)) return costs.double;
  if (vowels.includes(typed[at])) return costs.vowelExtra;
  return silent.includes(typed[at]) ? costs.silentExtra : costs.extra;
}

/** The cheapest way from the typed word to the meant one. */
export function errorCost(typed: string, meant: string): number {
  const width = meant.length + 1;
  const cells = new Float32Array((typed.length + 1) * width);
  for (let j = 1; j <= meant.length; j++) cells[j] = cells[j - 1] + missingCost(meant, j - 1);
  for (let i = 1; i <= typed.length; i++) {
    const row = i * width;
    const extra = extraCost(typed, i - 1);
    cells[row] = cells[row - width] + extra;
    for (let j = 1; j <= meant.length; j++) {
      const changed =
        cells[row - width + j - 1] + substitutionCost(typed.charCodeAt(i - 1), meant.charCodeAt(j - 1));
      const missing = cells[row + j - 1] + missingCost(meant, j - 1);
      let cost = Math.min(changed, missing, cells[row - width + j] + extra);
      const isSwapped = i > 1 && j > 1 && typed[i - 1] === meant[j - 2] && typed[i - 2] === meant[j - 1];
      if (isSwapped) cost = Math.min(cost, cells[row - 2 * width + j - 2] + costs.swapped);
      cells[row + j] = cost;
    }
  }
  return cells[typed.length * width + meant.length];
}

/** Consonants without repeats: what is left when vowels are confused. */
export function skeleton(word: string): string {
  let kept = '';
  for (const letter of word) if (!vowels.includes(letter) && !kept.endsWith(letter)) kept += letter;
  return kept;
}
