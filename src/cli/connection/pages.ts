/** Pages of a list, read one after the other. */

type Page = { nextPageToken: string };

/** @param read Reads the page of a token; the first page has an empty one. */
export async function* readPages<Answer extends Page>(
  read: (pageToken: string) => Promise<Answer>,
): AsyncGenerator<Answer> {
  let pageToken = '';
  do {
    const page = await read(pageToken);
    yield page;
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
}
