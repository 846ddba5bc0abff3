/**
 * What texts say, read once for all that say the same. A kept history would else hold strings of its own for each entry, and
 * the garbage collector has to go through those of a hundred thousand entries again and again.
 */
import { createRecentlyUsed } from '../../recently-used.ts';

/**
 * @param most remembered, at least 1
 * @param read of a text that is no part of a longer one, and may be kept
 */
export function createSharedReadings<Reading extends string | object>(
  most: number,
  read: (text: string) => Reading,
): (text: string) => Reading {
  const known = createRecentlyUsed<Reading>(most);
  const remember = (part: string): Reading => {
    const text = copyOf(part);
    const reading = read(text);
    known.set(text, reading);
    return reading;
  };
  return (text) => known.get(text) ?? remember(text);
}

/** A part of a text keeps the whole text; a copy does not. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
