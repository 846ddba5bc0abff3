/**
 * Tests whether a text begins with, or contains, any of many strings, in time that hardly grows
 * with their number.
 *
 * Strings that begin with another one are dropped, because they add no match. A text can
 * then only begin with the last of the sorted strings that does not sort after it.
 */

/** Up to this number, testing one string after the other is faster. */
const fewStrings = 8;

export type TextTest = (text: string) => boolean;

export function beginsWithAny(strings: readonly string[]): TextTest {
  if (strings.length <= fewStrings) return (text) => strings.some((one) => text.startsWith(one));
  const kept = withoutExtensions(strings);
  return (text) => {
    const found = lastNotAfter(kept, text);
    return found !== undefined && text.startsWith(found);
  };
}

export function containsAny(strings: readonly string[]): TextTest {
  if (strings.length <= fewStrings) return (text) => strings.some((one) => text.includes(one));
  const kept = withoutExtensions(strings);
  if (kept[0] === '') return () => true;
  const longest = kept.reduce((length, one) => Math.max(length, one.length), 0);
  const firstUnits = new Set(kept.map((one) => one.charCodeAt(0)));
  return (text) => {
    for (let start = 0; start < text.length; start++) {
      if (!firstUnits.has(text.charCodeAt(start))) continue;
      const found = lastNotAfter(kept, text.slice(start, start + longest));
      if (found !== undefined && text.startsWith(found, start)) return true;
    }
    return false;
  };
}

/** Returns the strings that begin with no other one, sorted by code units. */
function withoutExtensions(strings: readonly string[]): string[] {
  const kept: string[] = [];
  for (const one of strings.toSorted()) {
    const last = kept.at(-1);
    if (last === undefined || !one.startsWith(last)) kept.push(one);
  }
  return kept;
}

function lastNotAfter(sorted: readonly string[], text: string): string | undefined {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] <= text) low = middle + 1;
    else high = middle;
  }
  return sorted[low - 1];
}
