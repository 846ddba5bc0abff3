/** Most clients accept messages of 4 MiB, and a character may take three bytes. */
const mostCharacters = 1_000_000;

/** Splits records into parts that fit into a message. A larger record gets a part of its own. */
export function* inParts<T>(records: Iterable<T>, lengthOf: (record: T) => number): Generator<T[]> {
  let part: T[] = [];
  let characters = 0;
  for (const record of records) {
    const length = lengthOf(record);
    if (part.length > 0 && characters + length > mostCharacters) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(record);
    characters += length;
  }
  if (part.length > 0) yield part;
}
