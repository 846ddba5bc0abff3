/** All pages of a list, or as many as are wanted. */

type Answer = { next_page_token: string };

/** @param ask Asks for the page of a token; the first page has an empty one. */
export async function* readPages<Page extends Answer>(
  ask: (pageToken: string) => Promise<Page>,
): AsyncGenerator<Page> {
  let token = '';
  do {
    const page = await ask(token);
    yield page;
    token = page.next_page_token;
  } while (token !== '');
}
