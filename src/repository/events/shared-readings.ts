/**
 * What texts say, read once for all that say the same. A kept history would else hold strings of its own for each entry, and
 * the garbage collector has to go through those of a hundred thousand entries again and again.
 */

/**
 * @param most remembered at once, twice that for moments: what was not met again is forgotten by halves
 * @param read of a text that is no part of a longer one, and may be kept
 */
export function createSharedReadings<Reading extends string | object>(
  most: number,
  read: (text: string) => Reading,
): (text: string) => Reading {
  let recent = new Map<string, Reading>();
  let former = recent;
  const remember = (part: string): Reading => {
    if (recent.size >= most) {
      former = recent;
      recent = new Map();
    }
    const text = copyOf(part);
    const reading = former.get(text) ?? read(text);
    recent.set(text, reading);
    return reading;
  };
  return (text) => recent.get(text) ?? remember(text);
}

/** A part of a text keeps the whole text; a copy does not. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
