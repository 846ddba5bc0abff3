/** The pages of the site, made of the documents of the repository. */

import { globSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

/** `path` is that in the site, with `index.md` for `README.md`. */
export type SitePage = { path: string; title: string; text: string };

export const root = join(import.meta.dirname, '../..');

const folders = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'].concat(
  'docs/*.md',
  'docs/{guides,quick-starts,decisions}/*.md',
  'clients/*.md',
  'clients/*/README.md',
);

const sitePath = (path: string) => path.replace(/README\.md$/, 'index.md');

export function readPages(): SitePage[] {
  const paths = globSync(folders, { cwd: root }).map((path) => path.replaceAll('\\', '/'));
  const known = new Set(paths);
  return paths.toSorted().map((path) => {
    const source = readFileSync(join(root, path), 'utf8');
    const title = /^# (.+)$/m.exec(source)?.[1].replaceAll('`', '') ?? path;
    return { path: sitePath(path), title, text: withSiteLinks(source, path, known) };
  });
}

/** Links to pages lead to pages of the site; links to other files of the repository become text. */
function withSiteLinks(source: string, path: string, known: ReadonlySet<string>): string {
  const parts = source.split(/^(```[\s\S]*?^```$)/m);
  return parts.map((part, i) => (i % 2 === 1 ? part : linked(part, path, known))).join('');
}

function linked(text: string, path: string, known: ReadonlySet<string>): string {
  return text.replaceAll(/(!?)\[([^\]]*)\]\(([^)\s]+)\)/g, (whole, image, label, link) => {
    if (image !== '' || /^(https?:|mailto:|#)/.test(link)) return whole;
    const [file, anchor] = link.split('#');
    const target = posix.normalize(posix.join(dirname(path), file));
    const page = [target, `${target}/README.md`].find((candidate) => known.has(candidate));
    if (page === undefined) return label;
    return `[${label}](/${sitePath(page)}${anchor === undefined ? '' : `#${anchor}`})`;
  });
}

export type IndexGroup = { task: string; pages: { title: string; path: string; content: string }[] };

/** Reads the table of `docs/README.md`, whose first column has the task. */
export function readIndex(pages: readonly SitePage[]): IndexGroup[] {
  const groups: IndexGroup[] = [];
  const index = pages.find(({ path }) => path === 'docs/index.md')!;
  for (const [, task, title, path, content] of index.text.matchAll(
    /^\| ([^|]*)\| \[([^\]]+)\]\(\/([^)]+)\) \| (.*) \|$/gm,
  )) {
    if (task.trim() !== '') groups.push({ task: task.trim(), pages: [] });
    groups.at(-1)?.pages.push({ title, path, content });
  }
  return groups;
}
