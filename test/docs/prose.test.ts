/**
 * Prose fits into an editor beside a browser; only tables, examples and single words may be longer.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { root } from './support/documents.ts';

const widest = 100;
const folders = ['*.md', 'docs/**/*.md', 'clients/*.md', 'clients/*/*.md'];

/** Fenced or indented examples, tables, addresses and headings. */
const isFree = (line: string) => /^\s*\||^ {4,}\S|^#|^\[[^\]]+\]:/.test(line);

function wideLines(path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8').replaceAll(/^\s*```.*?^\s*```$/gms, (example) =>
    example.replaceAll(/[^\n]/g, ''),
  );
  return text.split('\n').flatMap((line, i) => {
    const isWide = [...line].length > widest && !isFree(line) && true;
    return isWide ? [`${path}:${i + 1} ${line}`] : [];
  });
}

test(`no line of prose is wider than ${widest} characters`, (t) => {
  const paths = globSync(folders, { cwd: root }).filter((path) => !path.includes('node_modules'));
  t.true(paths.length > 40);
  t.deepEqual(paths.flatMap(wideLines), []);
});
