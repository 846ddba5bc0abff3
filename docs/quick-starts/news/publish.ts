/** Sends each new or changed article of a newsroom with one PUT, using only `fetch`. */

import { readFileSync } from 'node:fs';

/** As `npm start` has them. */
const { PORT = '8080', DATA_DIR = '.data' } = process.env;
const service = `http://localhost:${PORT}/api`;
const credentials = JSON.parse(readFileSync(`${DATA_DIR}/admin-credentials.json`, 'utf8'));

const body = new URLSearchParams({ grant_type: 'client_credentials', ...credentials });
const answer = await fetch(`${service}/oauth/token`, { method: 'POST', body });
const { access_token } = (await answer.json()) as { access_token: string };

const lines = readFileSync(new URL('articles.ndjson', import.meta.url), 'utf8')
  .trim()
  .split('\n');
for (const line of lines) {
  const { item_id, hours_ago, ...article } = JSON.parse(line);
  const publication_datetime = new Date(Date.now() - hours_ago * 3_600_000).toISOString();
  const response = await fetch(`${service}/news/items/article/${item_id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ ...article, publication_datetime }),
  });
  if (!response.ok) throw new Error(await response.text());
}
console.log(`${lines.length} articles`);
