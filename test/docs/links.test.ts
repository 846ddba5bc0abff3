/** Links of the documents lead to files that exist, and to headings that those files have. */

import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import test from 'ava';
import { root } from './support/documents.ts';

const documents = globSync(['*.md', 'docs/**/*.md', 'clients/*.md', 'clients/*/*.md', '.github/**/*.md'], {
  cwd: root,
}).filter((path) => !path.includes('node_modules'));

const withoutExamples = (path: string) =>
  readFileSync(join(root, path), 'utf8')
    .replaceAll(/^\s*```.*?^\s*```$/gms, '')
    .replaceAll(/`[^`]*`/g, (code) => code.replaceAll(/[[\]()]/g, ''));

/** As GitHub and VitePress make them of a heading. */
function anchorsOf(path: string): Set<string> {
  const headings = withoutExamples(path).matchAll(/^#{1,6} (.+)$/gm);
  const counts = new Map<string, number>();
  return new Set(
    Array.from(headings, ([, heading]) => {
      const text = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
      const slug = text.replaceAll(/[^\p{L}\p{N}\s_-]/gu, '').replaceAll(/\s/g, '-');
      const count = counts.get(slug) ?? 0;
      counts.set(slug, count + 1);
      return count === 0 ? slug : `${slug}-${count}`;
    }),
  );
}

function brokenLinks(path: string): string[] {
  const links = withoutExamples(path).matchAll(/\]\(([^)\s]+)\)/g);
  return Array.from(links, ([, link]) => link).filter((link) => {
    if (/^(https?|mailto):/.test(link)) return false;
    const [file, anchor] = link.split('#');
    const target = file === '' ? path : normalize(join(dirname(path), file));
    if (!existsSync(join(root, target))) return true;
    return anchor !== undefined && !(target.endsWith('.md') && anchorsOf(target).has(anchor));
  });
}

test('links and their anchors resolve', (t) => {
  t.true(documents.length > 50);
  const broken = documents.flatMap((path) => brokenLinks(path).map((link) => `${path}: ${link}`));
  t.deepEqual(broken, []);
});

test('every page of the documentation is in its index', (t) => {
  const index = readFileSync(join(root, 'docs/README.md'), 'utf8');
  const pages = documents.filter((path) => /^docs\/(guides\/|quick-starts\/)?[\w-]+\.md$/.test(path));
  const missing = pages.filter((page) => !index.includes(`(${page.replace('docs/', '')}`));
  t.deepEqual(missing, ['docs/README.md']);
});
