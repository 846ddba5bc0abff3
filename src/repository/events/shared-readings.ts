/**
 * Shares the parsed value of equal texts. Otherwise each entry of a cached history would hold its
 * own strings, and garbage collection would scan those of a hundred thousand entries.
 */
import { copyOf, createCache } from '../../ranking/runtime/cache.ts';

/**
 * @param mostBytes Limit for all cached texts; parsed values are not counted.
 * @param read Parses a text. The text is a copy, not a slice of a longer one, and may be kept.
 */
export function createSharedReadings<Reading extends string | object>(
  mostBytes: number,
  read: (text: string) => Reading,
): (text: string) => Reading {
  const known = createCache<Reading>({ maxBytes: mostBytes });
  const remember = (part: string): Reading => {
    const text = copyOf(part);
    const reading = read(text);
    known.set(text, reading);
    return reading;
  };
  return (text) => known.get(text) ?? remember(text);
}
