/**
 * `npm run docs`: builds the documentation as a static site with search, in `build/docs`.
 *
 * VitePress is installed below `build` the first time, so that packages of the service lack it. Each
 * page is also there as Markdown, and `llms.txt` lists them (https://llmstxt.org).
 */

import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type IndexGroup, readIndex, readPages, root, type SitePage } from './pages.ts';

const tools = join(root, 'build/docs-site');
const staged = join(tools, 'pages');
const built = join(root, 'build/docs');

if (import.meta.main) build();

function build(): void {
  const vitepress = join(tools, 'node_modules/vitepress/bin/vitepress.js');
  write(join(tools, 'package.json'), readFileSync(join(import.meta.dirname, 'package.json'), 'utf8'));
  if (!existsSync(vitepress))
    execFileSync('npm', ['install', '--no-audit', '--no-fund'], { cwd: tools, stdio: 'inherit' });
  const pages = readPages();
  const index = readIndex(pages);
  stage(pages, index);
  execFileSync(process.execPath, [vitepress, 'build', staged], { cwd: tools, stdio: 'inherit' });
  for (const { path, text } of pages) write(join(built, path), text);
  writeFileSync(join(built, 'llms.txt'), llmsText(index));
  console.log(`The documentation is in ${built}. Serve it with: npx --yes serve build/docs`);
}

/** Writes the pages and the settings of VitePress. */
function stage(pages: readonly SitePage[], index: readonly IndexGroup[]): void {
  for (const folder of [staged, built]) rmSync(folder, { recursive: true, force: true });
  for (const { path, text } of pages) write(join(staged, path), text);
  cpSync(join(root, 'docs/pictures'), join(staged, 'docs/pictures'), { recursive: true });
  write(join(staged, '.vitepress/config.mjs'), `export default ${JSON.stringify(settingsOf(index))};\n`);
}

function settingsOf(index: readonly IndexGroup[]) {
  const sidebar = index.map(({ task, pages }) => ({
    text: task[0].toUpperCase() + task.slice(1),
    items: pages.map(({ title, path }) => ({ text: title, link: `/${path}` })),
  }));
  return {
    title: 'Personalisation',
    description: 'Recommendations, search, audiences and metrics for shops, news and video sites',
    outDir: built,
    cacheDir: join(tools, 'cache'),
    cleanUrls: false,
    /** Text such as `<name>` is no HTML. */
    markdown: { html: false, languageAlias: { caddy: 'nginx', envoy: 'yaml' } },
    themeConfig: {
      search: { provider: 'local' },
      outline: 'deep',
      nav: [
        { text: 'Documentation', link: '/docs/index.md' },
        { text: 'Changes', link: '/CHANGELOG.md' },
      ],
      sidebar,
    },
  };
}

export function llmsText(index: readonly IndexGroup[]): string {
  const groups = index.map(({ task, pages }) => {
    const lines = pages.map(({ title, path, content }) => `- [${title}](/${path}): ${content}`);
    return `## ${task[0].toUpperCase()}${task.slice(1)}\n\n${lines.join('\n')}`;
  });
  const head =
    '# Personalisation\n\n> A personalisation service: recommendations, search, audiences and metrics.';
  return `${[head, ...groups].join('\n\n')}\n`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
