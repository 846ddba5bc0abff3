/** Splits bytes into lines of strict UTF-8. An unusable line is reported in its place. */

/** Maximum length of a line; bounds memory for any file. */
export const longestLineBytes = 4 * 1_048_576;

/** `line` counts from 1. With a fault, `text` is what could be read. */
export type Line = { line: number; text: string; fault?: string };

const newline = 0x0a;
const byteOrderMark = [0xef, 0xbb, 0xbf];

/** Removes a byte order mark at the start and CR before LF. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Line> {
  let line = 1;
  let parts: Uint8Array[] = [];
  let partBytes = 0;
  const keep = (part: Uint8Array) => {
    partBytes += part.length;
    if (partBytes <= longestLineBytes) parts.push(part);
    else parts = [];
  };
  const finish = (): Line => {
    const result: Line =
      partBytes > longestLineBytes
        ? { line, text: '', fault: `Is longer than ${longestLineBytes} bytes.` }
        : decodeLine(line, parts.length === 1 ? parts[0] : joined(parts, partBytes));
    line += 1;
    parts = [];
    partBytes = 0;
    return result;
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      yield finish();
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (partBytes > 0) yield finish();
}

function joined(parts: readonly Uint8Array[], byteCount: number): Uint8Array {
  const whole = new Uint8Array(byteCount);
  let place = 0;
  for (const part of parts) {
    whole.set(part, place);
    place += part.length;
  }
  return whole;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder();

function decodeLine(line: number, bytes: Uint8Array): Line {
  const isMarked = line === 1 && byteOrderMark.every((byte, i) => bytes[i] === byte);
  const end = bytes.at(-1) === 0x0d ? bytes.length - 1 : bytes.length;
  try {
    return { line, text: decoder.decode(bytes.subarray(isMarked ? 3 : 0, end)) };
  } catch {
    return { line, text: lenient.decode(bytes), fault: 'Is not UTF-8.' };
  }
}
