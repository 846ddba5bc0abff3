/** Answers of streams that hold many records: each small enough for a message, whatever the records are. */

/** Most clients take messages of 4 MiB at most; of these characters each may be three bytes. */
const mostCharacters = 1_000_000;

/** The records in their order, in parts. A record that is larger than a part has one to itself. */
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
