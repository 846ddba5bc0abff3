/** The pages of the static site, which `npm run docs` builds. */

import test from 'ava';
import { llmsText } from '../../docs/site/build.ts';
import { readIndex, readPages } from '../../docs/site/pages.ts';

const pages = readPages();
const index = readIndex(pages);

test('links of the pages lead to pages of the site', (t) => {
  const known = new Set(pages.map(({ path }) => `/${path}`));
  t.true(known.has('/index.md') && known.has('/docs/install.md'));
  const broken = pages.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/(?<!!)\[[^\]]*\]\((\/[^)#\s]+)/g), ([, link]) => link)
      .filter((link) => !known.has(link))
      .map((link) => `${path}: ${link}`),
  );
  t.deepEqual(broken, []);
});

test('llms.txt and the side bar have every page of the index with its content', (t) => {
  t.true(index.length > 8);
  t.true(index.flatMap((group) => group.pages).length > 40);
  const text = llmsText(index);
  t.regex(
    text,
    /^# Personalisation\n\n> .+\n\n## Try it\n\n- \[README\]\(\/index\.md#try-it\): run the demo/,
  );
  t.regex(text, /\n- \[Upgrades\]\(\/docs\/upgrades\.md\): steps from each release to the next\n/);
});
