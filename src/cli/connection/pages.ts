/** Elements of a list, read page by page. */

/** @param name Field of the elements. @param read Reads the page of a token; the first page has an empty one. */
export async function* readAll<Page extends { nextPageToken: string }, Name extends keyof Page>(
  name: Name,
  read: (pageToken: string) => Promise<Page>,
): AsyncGenerator<Page[Name] extends (infer Element)[] ? Element : never> {
  let pageToken = '';
  do {
    const page = await read(pageToken);
    yield* page[name] as Iterable<never>;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}
