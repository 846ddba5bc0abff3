/**
 * What texts say, read once for all that say the same. A kept history would else hold strings of its own for each entry, and
 * the garbage collector has to go through those of a hundred thousand entries again and again.
 */
import { copyOf, createCache } from '../../ranking/runtime/cache.ts';

/**
 * @param mostBytes of all that is remembered; a reading counts as nothing beside its text
 * @param read of a text that is no part of a longer one, and may be kept
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
