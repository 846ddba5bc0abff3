/** All elements of a stream. */
export async function collectAll<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const elements: T[] = [];
  for await (const element of stream) elements.push(element);
  return elements;
}
