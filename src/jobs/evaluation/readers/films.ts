/** Reads titles and genres of MovieLens films (`movies.csv`). */

import type { ItemContent } from '../../../ranking/models/features.ts';
import { readLines, splitFields } from './lines.ts';

export async function* readFilms(path: string): AsyncGenerator<{ id: string; content: ItemContent }> {
  let isHeading = true;
  for await (const line of readLines(path)) {
    const [id, title, genres = ''] = splitFields(line, ',');
    if (!isHeading) yield { id, content: { title, tags: genres.split('|') } };
    isHeading = false;
  }
}
