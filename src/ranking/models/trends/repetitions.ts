/** Detects repeated contacts with an item in the same hour, in a table of the latest. */

const repetitionSlots = 1 << 16;
const hourSeconds = 3_600;

export function createRepetitions(): (index: number, atSeconds: number, subject: number) => boolean {
  const marks = new Int32Array(repetitionSlots);
  return (index, atSeconds, subject) => {
    const hour = Math.floor(atSeconds / hourSeconds);
    const mark =
      Math.imul(Math.imul(subject ^ 0x9e3779b1, 0x85ebca6b) ^ index, 0xc2b2ae35) ^
      Math.imul(hour, 0x27d4eb2f);
    const slot = (mark ^ (mark >>> 15)) & (repetitionSlots - 1);
    if (marks[slot] === mark) return true;
    marks[slot] = mark;
    return false;
  };
}
